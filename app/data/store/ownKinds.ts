import type { Uuid } from '../../../wire/scalars.ts'
import type { OwnRows } from '../../../wire/sync.ts'

/** Rows that only the user sees, by id. Emptied drafts stay, so that a save names what it replaces. */
export type OwnRowsById = { readonly [K in keyof OwnRows]: ReadonlyMap<Uuid, OwnRows[K][number]> }

/** Kinds of rows that only their owner sees, stored by id. */
export const OWN_KINDS: readonly (keyof OwnRows)[] = [
  'drafts',
  'saved',
  'responses',
  'searches',
  'scheduled',
  'reminders',
]

/** Rows as the server sends or this browser stores them, by kind and id. */
export function ownRowsById(rows: Partial<OwnRows>): OwnRowsById {
  const byId = (kind: keyof OwnRows) => new Map((rows[kind] ?? []).map((row) => [row.id, row]))
  return Object.fromEntries(OWN_KINDS.map((kind) => [kind, byId(kind)])) as unknown as OwnRowsById
}
