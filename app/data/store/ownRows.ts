import type { Section, ChannelMemberState } from '../../../wire/channels.ts'
import type { Message } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { OwnRows } from '../../../wire/sync.ts'
import { OWN_KINDS, type OwnRowsById } from './ownKinds.ts'
import type { State } from './state.ts'

/**
 * Own rows after a response that contains the buckets for which `isSent` is true. A row that has changed since the
 * request, when the rows were `before`, is newer than the response.
 */
export function mergeOwnRows(
  state: State,
  before: OwnRowsById,
  received: Partial<OwnRows>,
  isSent: (kind: keyof OwnRows, id: Uuid) => boolean,
): State {
  const changed: Partial<Record<keyof OwnRows, ReadonlyMap<Uuid, unknown>>> = {}
  for (const kind of OWN_KINDS) {
    const isNewer = (id: Uuid) => state[kind].get(id) !== before[kind].get(id)
    const unsent = [...state[kind]].filter(([id]) => isNewer(id) || !isSent(kind, id))
    const rows = (received[kind] ?? []).filter(({ id }) => !isNewer(id)).map((row) => [row.id, row] as const)
    if (unsent.length < state[kind].size || rows.length > 0) changed[kind] = new Map([...unsent, ...rows])
  }
  return { ...state, ...changed } as State
}

/** Stores an own row, unless a later change of it is known; removes it where `row` is null. */
export function withOwnRow<K extends keyof OwnRows>(
  state: State,
  kind: K,
  id: Uuid,
  row: OwnRows[K][number] | null,
): State {
  const known = state[kind].get(id)
  if (row ? known && known.rev >= row.rev : !known) return state
  const rows = new Map<Uuid, unknown>(state[kind])
  if (row) rows.set(id, row)
  else rows.delete(id)
  return { ...state, [kind]: rows }
}

/** Empties the draft that was sent as `message`; `changes`: those that were sent. */
export function withoutSentDraft(state: State, message: Message, changes: readonly Uuid[]): State {
  const draft = state.drafts.get(message.thread_root ?? message.channel_id)
  if (!draft || !changes.includes(draft.change_id)) return state
  const emptied = { ...draft, body: '', quote: null, change_id: message.id }
  return { ...state, drafts: new Map(state.drafts).set(draft.id, emptied) }
}

/** A change of a section. All fields create one; `deleted` deletes it. */
export type SectionChange = Omit<Section, 'id' | 'rev'> & { deleted: true }

/** Applies changes to the sections. */
export function withSectionChanges(
  sections: readonly Section[],
  changes: ReadonlyMap<Uuid, Partial<SectionChange & Pick<Section, 'rev'>>>,
): readonly Section[] {
  if (changes.size === 0) return sections
  const all = new Map(sections.map((section) => [section.id, section]))
  for (const [id, { deleted, ...change }] of changes) {
    const section = { id, name: '', position: 0, collapsed: false, rev: 0, ...all.get(id), ...change }
    if (deleted || !section.name) all.delete(id)
    else all.set(id, section)
  }
  return byPosition([...all.values()])
}

/** Sections in displayed order. */
export function byPosition(sections: readonly Section[]): readonly Section[] {
  return [...sections].sort((a, b) => a.position - b.position || a.id.localeCompare(b.id))
}

/** The sections of an event. A section stays as it is if the page knows a later change of it. */
export function mergeSections(known: readonly Section[], received: readonly Section[]): readonly Section[] {
  const laterOf = (section: Section) =>
    known.find(({ id, rev }) => id === section.id && rev > section.rev) ?? section
  return byPosition(received.map(laterOf))
}

/** Sections after the response to a change of one of them, unless a later change is known. `rev` null: it was deleted. */
export function withSavedSection(
  sections: readonly Section[],
  id: Uuid,
  change: Partial<SectionChange>,
  rev: number | null,
): readonly Section[] {
  const known = sections.find((section) => section.id === id)
  if (rev !== null && known && known.rev > rev) return sections
  return withSectionChanges(sections, new Map([[id, rev === null ? change : { ...change, rev }]]))
}

/** Own settings of a channel without invariants: updated directly under a policy. */
export type Preferences = Pick<ChannelMemberState, 'notify' | 'muted' | 'starred' | 'section_id' | 'position'>
