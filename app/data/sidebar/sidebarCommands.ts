import type { Uuid } from '../../../wire/scalars.ts'
import { LIMITS } from '../../../wire/limits.ts'
import type { SidebarItem } from '../channels/channels.ts'
import { success, createFailure } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { getClientSession } from '../session/clientSession.ts'
import { currentSections } from './sections.ts'
import type { SidebarGroup } from './sections.ts'
import type { Preferences, SectionChange } from '../store/ownRows.ts'
import { planMove } from './planMove.ts'
import type { MutationInput } from '../mutations/mutation.ts'
import { putMutations } from '../mutations/putMutations.ts'

function preferencesInput(channel: Uuid, change: Partial<Preferences>): MutationInput {
  return { kind: 'preferences', id: crypto.randomUUID(), channel, change }
}

function sectionInput(section: Uuid, change: Partial<SectionChange>): MutationInput {
  const workspace = getClientSession()?.store.get().workspace?.id ?? ''
  return { kind: 'section', id: crypto.randomUUID(), channel: '', workspace, section, change }
}

export function setPreferences(channelId: Uuid, change: Partial<Preferences>): Promise<Outcome> {
  return putMutations([preferencesInput(channelId, change)])
}

/**
 * Moves a conversation into a group of the sidebar, to `index` among the others displayed there. The default groups of
 * channels and people have a fixed order, which ignores `index`.
 */
export function moveConversation(
  item: SidebarItem,
  to: Pick<SidebarGroup, 'key' | 'kind' | 'items'>,
  index: number,
): Promise<Outcome> {
  const target: Partial<Preferences> =
    to.kind === 'starred'
      ? { starred: true }
      : { starred: false, section_id: to.kind === 'section' ? to.key : null }
  const writes =
    to.kind === 'starred' || to.kind === 'section'
      ? planMove(to.items, item.id, index)
      : [{ id: item.id, position: null }]
  const own = writes.find((one) => one.id === item.id)
  const rest = writes.filter((one) => one.id !== item.id)
  return putMutations([
    preferencesInput(item.id, own ? { ...target, position: own.position } : target),
    ...rest.map(({ id, position }) => preferencesInput(id, { position })),
  ])
}

/** Creates a section below the others; the value is its id. */
export async function createSection(name: string): Promise<Outcome<Uuid>> {
  const session = getClientSession()
  const sections = session ? currentSections(session) : []
  if (sections.length >= LIMITS.sections)
    return { ok: false, failure: createFailure('sections_at_most_fifty') }
  const id = crypto.randomUUID()
  const position = planMove(sections, id, sections.length)[0]?.position ?? 0
  const outcome = await putMutations([sectionInput(id, { name, position, collapsed: false })])
  return outcome.ok ? success(id) : outcome
}

/** Changes the name of a section, or whether it is collapsed. */
export function changeSection(id: Uuid, change: { name?: string; collapsed?: boolean }): Promise<Outcome> {
  return putMutations([sectionInput(id, change)])
}

/** Deletes a section: its conversations return to the default groups of their kinds. */
export function deleteSection(id: Uuid): Promise<Outcome> {
  return putMutations([sectionInput(id, { deleted: true })])
}

/** Moves a section to `index` among the others. */
export async function moveSection(id: Uuid, index: number): Promise<Outcome> {
  const session = getClientSession()
  const writes = session ? planMove(currentSections(session), id, index) : []
  return putMutations(writes.map((one) => sectionInput(one.id, { position: one.position })))
}
