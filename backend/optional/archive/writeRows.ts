import type { ArchiveRow } from './ArchiveRow.ts'
import { ArchiveError } from './ImportRequest.ts'
import { groupBy } from './groupBy.ts'
import type { ImportState } from './ImportState.ts'
import { allStatements } from './importTransaction.ts'
import { archivedTables, type ArchivedTable, type Reference } from './tables.ts'

type Row = Record<string, unknown>

/**
 * Writes rows in the order of the tables. The caller runs it in a transaction. The statements are sent together, so that PostgreSQL
 * executes one after the other without waiting for this process.
 */
export async function writeRows(
  state: ImportState,
  byTable: ReadonlyMap<string, ArchiveRow[]>,
): Promise<void> {
  const prepared = archivedTables.flatMap((table) => {
    const rows = (byTable.get(table.name) ?? []).map(({ row }) =>
      withoutCredentials(state, table, replaceIds(state, table, row)),
    )
    checkColumns(table, rows)
    return rows.length === 0 ? [] : [{ table, rows }]
  })
  let sent: Promise<void>[] = []
  for (const { table, rows } of prepared) {
    const counts = state.counts(table.name)
    counts.read += rows.length
    const count = (written: number): void => {
      counts.written += written
      counts.present += rows.length - written
    }
    const special = specialTables[table.name]
    if (special === undefined) sent.push(writeTable(state, table, rows).then(count))
    else {
      await allStatements(sent)
      sent = []
      count(await special(state, table, rows))
    }
  }
  await allStatements(sent)
}

function checkColumns(table: ArchivedTable, rows: readonly Row[]): void {
  const known = new Set<string>([...table.columns, ...table.credentials])
  for (const row of rows) {
    const unknown = Object.keys(row).find((column) => !known.has(column))
    if (unknown !== undefined)
      throw new ArchiveError(
        `The archive contains the column ${table.name}.${unknown}, which this version does not know.`,
      )
  }
}

function withoutCredentials({ withCredentials }: ImportState, { credentials }: ArchivedTable, row: Row): Row {
  if (withCredentials || credentials.length === 0) return row
  return Object.fromEntries(Object.entries(row).filter(([column]) => !credentials.includes(column)))
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Replaces the profiles whose account has another profile here, also in texts, which mention people by their ids. */
function replaceIds({ profileIds }: ImportState, table: ArchivedTable, row: Row): Row {
  if (profileIds.size === 0) return row
  const replaced = JSON.parse(JSON.stringify(row).replaceAll(uuid, (id) => profileIds.get(id) ?? id)) as Row
  // The key of a conversation is computed from its members once they are written: see setConversationKeys.
  return table.name === 'channels' ? { ...replaced, direct_key: row['direct_key'] } : replaced
}

/** Sets the keys of the conversations in which an id of a person was replaced. */
export async function setConversationKeys({ database, workspaceId, profileIds }: ImportState): Promise<void> {
  if (profileIds.size === 0) return
  await database.query(
    `select app.set_conversation_keys(array(
       select distinct c.id from public.channels c join public.channel_members m on m.channel_id = c.id
       where c.workspace_id = $1 and c.kind in ('direct', 'group') and m.profile_id = any ($2)))`,
    [workspaceId, Array.from(profileIds.values())],
  )
}

/** Sends all statements before it waits. Returns the number of rows that did not exist. */
async function writeTable(state: ImportState, table: ArchivedTable, rows: Row[]): Promise<number> {
  const { database } = state
  const inserts = groupByColumns(rows).map((group) => insert(state, table, group))
  const others: Promise<unknown>[] = []
  if (table.isCounter) others.push(updateCounters(state, table, rows))
  others.push(checkRows(state, table, rows))
  if (table.name === 'channels')
    others.push(
      database.query(
        `insert into public.channel_counters (channel_id) select unnest($1::uuid[]) on conflict do nothing`,
        [rows.map(({ id }) => id)],
      ),
    )
  if (table.name === 'messages')
    others.push(
      database.query(`insert into import_channels select unnest($1::uuid[]) on conflict do nothing`, [
        Array.from(new Set(rows.map(({ channel_id: channel }) => channel))),
      ]),
    )
  await allStatements<unknown>([...inserts, ...others])
  return sum(await Promise.all(inserts))
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** Tables whose statements depend on the results of others. They return the number of rows that did not exist. */
const specialTables: Partial<Record<string, typeof writeTable>> = {
  profiles: writeProfiles,
  retention_receipts: writeReceipts,
}

/** Absent columns get their defaults, so that rows with the same columns are inserted together. */
const groupByColumns = (rows: readonly Row[]): Row[][] =>
  Array.from(groupBy(rows, (row) => Object.keys(row).sort().join()).values())

/** The rows of a parameter. PostgreSQL converts a row of `json` in a quarter of the time that a row of `jsonb` takes. */
const rowsOf = (table: string, parameter: string): string =>
  `json_populate_recordset(null::public.${table}, ${parameter}::json)`

async function insert(
  { database }: ImportState,
  { name, computed }: ArchivedTable,
  rows: readonly Row[],
): Promise<number> {
  const columns = Array.from(new Set([...Object.keys(rows[0]!), ...Object.keys(computed)]))
  const statement = `insert into public.${name} (${columns.map((column) => `"${column}"`).join(', ')}) overriding system value
     select ${columns.map((column) => computed[column] ?? `r."${column}"`).join(', ')}
     from ${rowsOf(name, '$1')} r on conflict do nothing`
  const { rowCount } = await database.query(name === 'messages' ? withChanges(statement) : statement, [
    JSON.stringify(rows),
  ])
  return rowCount ?? 0
}

/** Adds the changes of the inserted messages. */
const withChanges = (insertMessages: string): string =>
  `with added as (${insertMessages} returning id, channel_id, rev, history_seq)
   insert into public.message_changes (message_id, channel_id, rev, history_seq)
   select id, channel_id, rev, history_seq from added`

/** A profile that exists is accepted only if no other workspace has it. */
async function writeProfiles(
  state: ImportState,
  table: ArchivedTable,
  rows: readonly Row[],
): Promise<number> {
  const { database, profileIds, workspaceId } = state
  const matched = new Set(profileIds.values())
  const own = rows.filter(({ id }) => !matched.has(String(id)))
  const written = sum(await allStatements(groupByColumns(own).map((group) => insert(state, table, group))))
  const ids = own.map(({ id }) => id)
  const { rows: foreign } = await database.query<{ id: string }>(
    `select p.id from public.profiles p where p.id = any ($1)
       and p.id not in (select i.id from import_people i) and (
         p.user_id is not null
         or exists (select from public.workspace_members w where w.profile_id = p.id and w.workspace_id <> $2)
         or exists (
           select from public.messages m join public.channels c on c.id = m.channel_id
           where m.author_id = p.id and c.workspace_id <> $2)) limit 1`,
    [ids, workspaceId],
  )
  if (foreign.length > 0)
    throw new ArchiveError(
      `The profile ${foreign[0]!.id} of the archive belongs to somebody else on this server.`,
    )
  await database.query(
    `insert into import_people select p.id, true from public.profiles p where p.id = any ($1) on conflict do nothing`,
    [ids],
  )
  return written
}

/**
 * Adds receipts of retention after the last receipt of the workspace. A trigger computes the number and the hash of each receipt. The
 * hash must be the hash that the archive states. A workspace that has continued its chain since the export gets no receipts.
 */
async function writeReceipts(
  state: ImportState,
  table: ArchivedTable,
  rows: readonly Row[],
): Promise<number> {
  const { database, workspaceId } = state
  const { rows: chains } = await database.query<{ last_number: string; last_hash: string }>(
    'select last_number, last_hash from public.retention_chains where workspace_id = $1',
    [workspaceId],
  )
  if (rows.some(({ workspace_id: id }) => id !== workspaceId) || chains.length === 0)
    throw new ArchiveError('The archive contains receipts of retention of another workspace.')
  const { last_number: last, last_hash: hash } = chains[0]!
  const added = rows.filter(({ number }) => Number(number) > Number(last))
  if (added.length === 0 || added[0]!['previous_hash'] !== hash) return 0
  const columns = table.columns.join(', ')
  await database.query(
    `insert into public.retention_receipts (${columns})
     select ${columns} from ${rowsOf(table.name, '$1')} r order by r.number`,
    [JSON.stringify(added)],
  )
  const { rows: changed } = await database.query<{ number: string }>(
    `select r.number from ${rowsOf(table.name, '$2')} r
     left join public.retention_receipts t on t.workspace_id = $1 and t.number = r.number
     where t.hash is distinct from r.hash limit 1`,
    [workspaceId, JSON.stringify(added)],
  )
  if (changed.length > 0)
    throw new ArchiveError(
      `The receipt of retention ${changed[0]!.number} of the archive does not have the hash that it states.`,
    )
  return added.length
}

/** Counters never decrease. */
async function updateCounters(
  { database }: ImportState,
  table: ArchivedTable,
  rows: readonly Row[],
): Promise<void> {
  const { name, key, columns } = table
  const values = columns.filter((column) => !key.includes(column))
  const changes = values.map((column) =>
    name === 'channel_counters'
      ? `${column} = greatest(t.${column}, r.${column})`
      : `${column} = r.${column}`,
  )
  const isDifferent = values.map((column) =>
    name === 'channel_counters'
      ? `coalesce(r.${column} > t.${column}, r.${column} is not null)`
      : `r.${column} <> t.${column}`,
  )
  await database.query(
    `update public.${name} t set ${changes.join(', ')}
     from ${rowsOf(name, '$1')} r where t.${key[0]} = r.${key[0]} and (${isDifferent.join(' or ')})`,
    [JSON.stringify(rows)],
  )
}

/**
 * The conditions on a column, each with a subquery that returns one value. PostgreSQL evaluates it by the index for each row. For
 * `exists` it can choose a hash table of all messages, which each batch would build again.
 */
const referenceChecks: Record<Reference, (column: string) => string> = {
  workspace: (column) => `${column} = $1`,
  person: (column) => `${column} = (select i.id from import_people i where i.id = ${column})`,
  channel: (column) => `(select r.workspace_id from public.channels r where r.id = ${column}) = $1`,
  message: (column) =>
    `(select s.workspace_id from public.messages r join public.channels s on s.id = r.channel_id where r.id = ${column}) = $1`,
  invitation: (column) => `(select r.workspace_id from public.invitations r where r.id = ${column}) = $1`,
  group: (column) => `(select r.workspace_id from public.user_groups r where r.id = ${column}) = $1`,
}

/**
 * Refuses rows whose key belongs to another workspace, and rows that refer to objects of another workspace. A foreign key accepts both.
 */
async function checkRows(
  { database, workspaceId }: ImportState,
  table: ArchivedTable,
  rows: readonly Row[],
): Promise<void> {
  const { name, key, references } = table
  const sameKey = key.map((column, index) =>
    index === 0 ? `t.${column} = r.${column}` : `t.${column} is not distinct from r.${column}`,
  )
  const checks = Object.entries(references).map(
    ([column, reference]) =>
      `(t.${column} is null or coalesce(${referenceChecks[reference](`t.${column}`)}, false))`,
  )
  const keys = rows.map((row) => Object.fromEntries(key.map((column) => [column, row[column]])))
  // `offset 0` prevents a join that reads the whole table.
  const { rows: refused } = await database.query<Record<string, unknown>>(
    `select ${key.map((column) => `r.${column}`).join(', ')}
     from ${rowsOf(name, '$2')} r
     left join lateral (select t.* from public.${name} t where ${sameKey.join(' and ')} offset 0) t on true
     where not (t.${key[0]} is not null and ${checks.join(' and ')}) limit 1`,
    [workspaceId, JSON.stringify(keys)],
  )
  if (refused.length > 0)
    throw new ArchiveError(
      `The row ${JSON.stringify(refused[0])} of the table ${name} refers to another workspace, or its place is taken.`,
    )
}
