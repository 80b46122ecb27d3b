import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Client } from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { availableMemory } from '../server/memorySettings.ts'
import type { Table } from './readTables.ts'

/** Memory with which the new server builds an index, in MB. The servers and their caches need the rest. */
const indexMemory = Math.min(512, Math.max(64, Math.floor(availableMemory() / 8 / 1024 / 1024)))

/**
 * Prepares the tables of the new server, in a transaction that is open: they are empty, no trigger fires, and indexes are not
 * maintained until `finishTables` builds them. Building an index once is several times faster than maintaining it row by row.
 * An index in this state is what a failed `create index concurrently` leaves, which `reindex` completes.
 * @param names quoted names of the tables
 */
export async function prepareTables(target: Client, names: readonly string[]): Promise<string[]> {
  await target.query('set local session_replication_role to replica')
  const triggers = await disableTriggers(target)
  await target.query(`truncate ${names.join(', ')}`)
  await target.query(
    `update pg_catalog.pg_index set indisvalid = false, indisready = false
     where indrelid in (select name::regclass from unnest($1::text[]) name)`,
    [names],
  )
  return triggers
}

/** Disables the triggers that also fire in this session. Returns the statements that enable them again. */
async function disableTriggers(target: Client): Promise<string[]> {
  const { rows } = await target.query<{ disable: string; enable: string }>(`
    select format('alter table %s disable trigger %I', t.tgrelid::regclass, t.tgname) as disable,
      format('alter table %s enable %s trigger %I', t.tgrelid::regclass,
        case t.tgenabled when 'A' then 'always' else 'replica' end, t.tgname) as enable
    from pg_trigger t where t.tgenabled in ('A', 'R') and not t.tgisinternal and t.tgparentid = 0`)
  for (const { disable } of rows) await target.query(disable)
  return rows.map(({ enable }) => enable)
}

/** Builds the indexes of a table. */
export async function buildIndexes(target: Client, name: string): Promise<void> {
  await target.query(`set local maintenance_work_mem to '${indexMemory}MB'`)
  await target.query(`reindex table ${name}`)
}

/**
 * Copies the rows of a table from one server to the other, in the order in which they are stored. Memory is bounded: the
 * target sets the pace.
 * @param sample a percentage of the table's pages; null copies all rows
 * @param onBytes called with the bytes of each chunk
 */
export async function copyRows(o: {
  source: Client
  target: Client
  table: Table
  sample: number | null
  onBytes: (bytes: number) => void
}): Promise<void> {
  const { name, columns, owner } = o.table
  const list = columns.join(', ')
  const rows =
    o.sample === null
      ? `select ${list} from only ${name}`
      : `select ${list} from only ${name} tablesample system (${o.sample})`
  const counter = new Transform({
    transform(chunk: Buffer, _, done) {
      o.onBytes(chunk.length)
      done(null, chunk)
    },
  })
  // Functions of migrations that check or compute columns must not run with a superuser's rights.
  if (owner !== null) await o.target.query(`set local role ${owner}`)
  await pipeline(
    o.source.query(copyTo(`copy (${rows}) to stdout`)),
    counter,
    // Frozen: the table was truncated in this transaction, so no vacuum has to read the rows again.
    o.target.query(copyFrom(`copy ${name} (${list}) from stdin with (freeze)`)),
  )
  await o.target.query('set local role none')
}

/** The number of rows of a table and a checksum of their values that does not depend on their order. */
export interface Checksum {
  rows: string
  sum: string
}

/** Computes the checksum of the same columns on either server. MD5, since its values are the same in each version. */
export async function readChecksum(client: Client, { name, columns }: Table): Promise<Checksum> {
  const { rows } = await client.query<Checksum>(
    `select count(*)::text as rows, coalesce(sum(('x' || left(md5(row(${columns.join(', ')})::text), 16))::bit(64)::bigint::numeric), 0)::text as sum
     from only ${name}`,
  )
  return rows[0]!
}
