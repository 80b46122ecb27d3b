/** A column in a relation message. `isKey`: part of the replica identity. */
export interface WalColumn {
  name: string
  typeId: number
  isKey: boolean
}

/** A table in a relation message, which precedes its first change and follows each alteration. */
export interface Relation {
  /** Its OID. */
  id: number
  schema: string
  name: string
  /** `full`: old rows are complete. */
  identity: 'default' | 'nothing' | 'full' | 'index'
  columns: WalColumn[]
}

/**
 * A column's value as text, at the index of its column; null for NULL; undefined for an unchanged TOAST value, which is
 * not sent. References the WAL buffer.
 */
export type WalValue = Buffer | null | undefined

/** A message of pgoutput, in the order of commits. `committedAt`: microseconds since 2000-01-01 UTC. */
export type PgoutputMessage =
  | { kind: 'begin'; committedAt: bigint }
  | { kind: 'commit' }
  | { kind: 'relation'; relation: Relation }
  | { kind: 'insert'; relation: Relation; row: WalValue[] }
  /** `old` is null if the replica identity has not changed; never with identity `full`. */
  | { kind: 'update'; relation: Relation; old: WalValue[] | null; row: WalValue[] }
  /** `old` contains null for columns outside the replica identity. */
  | { kind: 'delete'; relation: Relation; old: WalValue[] }

const identities: Record<string, Relation['identity']> = { d: 'default', n: 'nothing', f: 'full', i: 'index' }
const nullColumn = 0x6e
const unchangedColumn = 0x75
const newRow = 0x4e

/**
 * Reads messages of PostgreSQL's plugin pgoutput, version 1, with values as text ("Logical Replication Message Formats"
 * in its manual). One reader per stream, since tables are announced once. Returns null for truncate, type and origin.
 */
export function createPgoutputReader(): (data: Buffer) => PgoutputMessage | null {
  const relations = new Map<number, Relation>()

  const relationAt = (data: Buffer): Relation => {
    const relation = relations.get(data.readUInt32BE(1))
    if (!relation) throw new Error('a row of a table that was not announced')
    return relation
  }

  return (data) => {
    switch (data[0]) {
      case 0x42:
        return { kind: 'begin', committedAt: data.readBigInt64BE(9) }
      case 0x43:
        return { kind: 'commit' }
      case 0x52: {
        const relation = readRelation(data)
        relations.set(relation.id, relation)
        return { kind: 'relation', relation }
      }
      case 0x49:
        return { kind: 'insert', relation: relationAt(data), row: readRow(data, 6).row }
      case 0x55: {
        const relation = relationAt(data)
        if (data[5] === newRow) return { kind: 'update', relation, old: null, row: readRow(data, 6).row }
        const old = readRow(data, 6)
        return { kind: 'update', relation, old: old.row, row: readRow(data, old.end + 1).row }
      }
      case 0x44:
        return { kind: 'delete', relation: relationAt(data), old: readRow(data, 6).row }
      default:
        return null
    }
  }
}

function readRelation(data: Buffer): Relation {
  let at = 5
  const text = (): string => {
    const end = data.indexOf(0, at)
    const value = data.toString('utf8', at, end)
    at = end + 1
    return value
  }
  // An empty schema stands for pg_catalog.
  const schema = text() || 'pg_catalog'
  const name = text()
  const identity = identities[String.fromCharCode(data[at]!)] ?? 'default'
  const count = data.readUInt16BE(at + 1)
  at += 3
  const columns: WalColumn[] = []
  for (let place = 0; place < count; place++) {
    const isKey = (data[at]! & 1) === 1
    at += 1
    columns.push({ name: text(), typeId: data.readUInt32BE(at), isKey })
    at += 8
  }
  return { id: data.readUInt32BE(1), schema, name, identity, columns }
}

function readRow(data: Buffer, from: number): { row: WalValue[]; end: number } {
  const count = data.readUInt16BE(from)
  const row: WalValue[] = []
  let at = from + 2
  for (let place = 0; place < count; place++) {
    const kind = data[at]
    at += 1
    if (kind === nullColumn) row.push(null)
    else if (kind === unchangedColumn) row.push(undefined)
    else {
      const start = at + 4
      at = start + data.readUInt32BE(at)
      row.push(data.subarray(start, at))
    }
  }
  return { row, end: at }
}
