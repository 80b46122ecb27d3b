import type { UserEvent } from '../../../wire/events.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { OwnRows } from '../../../wire/sync.ts'

/** Rows that only the user sees, by id. Emptied drafts stay, so that a save names what it replaces. */
export type OwnRowsById = { readonly [K in keyof OwnRows]: ReadonlyMap<Uuid, OwnRows[K][number]> }

/** The event of each kind of rows that only their owner sees. */
const OWN_EVENTS = {
  drafts: 'draft',
  saved: 'saved',
  responses: 'response',
  searches: 'search',
  scheduled: 'scheduled',
  reminders: 'reminders',
} as const satisfies Record<keyof OwnRows, UserEvent['event']>

/** Kinds of rows that only their owner sees, stored by id. */
export const OWN_KINDS = Object.keys(OWN_EVENTS) as readonly (keyof OwnRows)[]

/** The kind of rows that an event changes. */
export function ownKindOf(event: (typeof OWN_EVENTS)[keyof OwnRows]): keyof OwnRows | undefined {
  return OWN_KINDS.find((kind) => OWN_EVENTS[kind] === event)
}

/** Rows as the server sends or this browser stores them, by kind and id. */
export function ownRowsById(rows: Partial<OwnRows>): OwnRowsById {
  const byId = (kind: keyof OwnRows) => new Map((rows[kind] ?? []).map((row) => [row.id, row]))
  return Object.fromEntries(OWN_KINDS.map((kind) => [kind, byId(kind)])) as unknown as OwnRowsById
}
