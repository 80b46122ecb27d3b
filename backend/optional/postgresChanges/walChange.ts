import type { PgoutputMessage, WalValue, Relation } from '../../realtime/wal/pgoutput.ts'
import type { ChangeEvent } from './changeRequest.ts'
import type { Row } from './Subscriptions.ts'

/** A change of one row, copied out of the WAL buffer. */
export interface WalChange {
  relation: Relation
  event: ChangeEvent
  /** ISO 8601 in UTC, to the millisecond. */
  committedAt: string
  /** The new row; null if deleted. Unchanged TOAST values are taken from `old` if it contains them. */
  row: Row | null
  /** The old row: complete with replica identity FULL, else its identity columns; null if inserted. */
  old: Row | null
  /** Size of its values as text. */
  bytes: number
}

const epochMs = Date.UTC(2000, 0, 1)

/** @param micros since 2000-01-01 UTC */
export function commitTimestamp(micros: bigint): string {
  // Rounded down also before 2000, since the text of a time is truncated.
  return new Date(epochMs + Number((micros - (((micros % 1000n) + 1000n) % 1000n)) / 1000n)).toISOString()
}

/** Copies a change out of the WAL buffer, which the next message overwrites. */
export function toWalChange(
  entry: Extract<PgoutputMessage, { kind: 'insert' | 'update' | 'delete' }>,
  committedAt: string,
): WalChange {
  const { relation } = entry
  if (entry.kind === 'insert') {
    const row = entry.row.map(text)
    return { relation, event: 'INSERT', committedAt, row, old: null, bytes: sizeOf(entry.row) }
  }
  if (entry.kind === 'delete') {
    const old = onlyIdentity(relation, entry.old.map(text))
    return { relation, event: 'DELETE', committedAt, row: null, old, bytes: sizeOf(entry.old) }
  }
  const row = entry.row.map(text)
  const old = onlyIdentity(relation, entry.old?.map(text) ?? row)
  return {
    relation,
    event: 'UPDATE',
    committedAt,
    row: row.map((value, index) => (value === undefined ? old[index] : value)),
    old,
    bytes: sizeOf(entry.row) + sizeOf(entry.old ?? []),
  }
}

function text(value: WalValue): string | null | undefined {
  return value ? value.toString('utf8') : value
}

/** Outside the replica identity the WAL contains null for missing values. */
function onlyIdentity(relation: Relation, old: Row): Row {
  if (relation.identity === 'full') return old
  return old.map((value, index) => (relation.columns[index]?.isKey ? value : undefined))
}

function sizeOf(values: WalValue[]): number {
  return values.reduce((sum, value) => sum + (value?.length ?? 0), 0)
}
