import type { Uuid } from '../../../wire/linnet.ts'
import { LIMITS } from '../../../wire/linnet.ts'
import type { SidebarItem } from '../channels/channels.ts'
import { done, failureNamed } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { running } from '../session/clientSession.ts'
import { sectionsNow } from './sections.ts'
import type { SideGroup } from './sections.ts'
import type { SectionChange } from '../store/ownRows.ts'
import { planMove } from './planMove.ts'
import type { Preferences } from '../store/preferences.ts'
import type { MutationInput } from '../mutations/mutation.ts'

// With what changes the sidebar comes what saves it: the connection may be gone by then.
export { saveOwn } from '../mutations/saveOwnRows.ts'

/** Shows the changes at once and stores them in the outbox, which sends them in order when it can. */
async function put(wishes: readonly MutationInput[]): Promise<Outcome> {
  const now = running()
  if (!now) return { ok: false, failure: failureNamed('session_ended') }
  await Promise.all(wishes.map((wish) => now.outbox.put(wish)))
  return done(undefined)
}

function preferencesOf(channel: Uuid, change: Partial<Preferences>): MutationInput {
  return { kind: 'preferences', id: crypto.randomUUID(), channel, change }
}

function sectionOf(section: Uuid, change: Partial<SectionChange>): MutationInput {
  const workspace = running()?.store.get().workspace?.id ?? ''
  return { kind: 'section', id: crypto.randomUUID(), channel: '', workspace, section, change }
}

export function setPreferences(channelId: Uuid, change: Partial<Preferences>): Promise<Outcome> {
  return put([preferencesOf(channelId, change)])
}

/**
 * Puts a conversation into a group of the sidebar, at `index` of those shown there (itself left out). Channels and people keep an order of their own: there it only arrives.
 */
export function moveConversation(
  item: SidebarItem,
  to: Pick<SideGroup, 'key' | 'kind' | 'items'>,
  index: number,
): Promise<Outcome> {
  const place: Partial<Preferences> =
    to.kind === 'starred'
      ? { starred: true }
      : { starred: false, section_id: to.kind === 'own' ? to.key : null }
  const writes =
    to.kind === 'starred' || to.kind === 'own'
      ? planMove(to.items, item.id, index)
      : [{ id: item.id, position: null }]
  const own = writes.find((one) => one.id === item.id)
  const rest = writes.filter((one) => one.id !== item.id)
  return put([
    preferencesOf(item.id, own ? { ...place, position: own.position } : place),
    ...rest.map(({ id, position }) => preferencesOf(id, { position })),
  ])
}

/** A new section below the others; its value is its id. */
export async function createSection(name: string): Promise<Outcome<Uuid>> {
  const now = running()
  const sections = now ? sectionsNow(now) : []
  if (sections.length >= LIMITS.sections)
    return { ok: false, failure: failureNamed('sections_at_most_fifty') }
  const id = crypto.randomUUID()
  const position = planMove(sections, id, sections.length)[0]?.position ?? 0
  const outcome = await put([sectionOf(id, { name, position, collapsed: false })])
  return outcome.ok ? done(id) : outcome
}

/** Its name, or whether it is folded. */
export function changeSection(id: Uuid, change: { name?: string; collapsed?: boolean }): Promise<Outcome> {
  return put([sectionOf(id, change)])
}

/** Its conversations go back to where their kind belongs. */
export function deleteSection(id: Uuid): Promise<Outcome> {
  return put([sectionOf(id, { gone: true })])
}

/** Puts a section at `index` among the others (itself left out). */
export async function moveSection(id: Uuid, index: number): Promise<Outcome> {
  const now = running()
  const writes = now ? planMove(sectionsNow(now), id, index) : []
  return put(writes.map((one) => sectionOf(one.id, { position: one.position })))
}
