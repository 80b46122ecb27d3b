import type { Uuid } from '../../wire/linnet.ts'
import { LIMITS } from '../../wire/linnet.ts'
import { sidebarItems } from './channels.ts'
import type { SidebarItem } from './channels.ts'
import { done, failureNamed } from './failures.ts'
import type { Outcome } from './failures.ts'
import { running } from './runtime.ts'
import type { Running } from './runtime.ts'
import { ownSections, withSectionWishes } from './side/ownSections.ts'
import { planMove } from './side/planMove.ts'
import { preferences } from './side/preferences.ts'
import type { Preferences } from './side/preferences.ts'
import { sideGroups } from './side/sideGroups.ts'
import type { SideGroup } from './side/sideGroups.ts'
import { remembered, steady } from './steady.ts'
import { useRunning } from './useRunning.ts'

export type { Preferences, SideGroup }

const sectionsOf = remembered((_before, ...inputs: Parameters<typeof withSectionWishes>) =>
  withSectionWishes(...inputs),
)

function sectionsNow(now: Running) {
  return sectionsOf('sections', now.store.get().sections, ownSections(now).all())
}

const groupsOf = remembered(
  (before: readonly SideGroup[] | undefined, ...inputs: Parameters<typeof sideGroups>) =>
    steady(
      before,
      sideGroups(...inputs).map((group) => {
        const known = before?.find((one) => one.key === group.key)
        return steady(known, { ...group, items: steady(known?.items, group.items) })
      }),
    ),
)

const NO_GROUPS: readonly SideGroup[] = []

/** The sidebar in the order shown. `openId`: the conversation in front, which stays even when archived. */
export function useSideGroups(openId: Uuid | null): readonly SideGroup[] {
  return useRunning((now) => (now ? groupsNow(now, openId) : NO_GROUPS))
}

function groupsNow(now: Running, openId: Uuid | null): readonly SideGroup[] {
  return groupsOf(openId ?? '', sidebarItems(now), sectionsNow(now), openId)
}

function gone(): Outcome<never> {
  return { ok: false, failure: failureNamed('session_ended') }
}

/** Called once where something has to wait for the connection. */
type OnWaiting = () => void

/**
 * Shows it at once; resolves when the server has it, or with the reason why it was put back. While the server can't be
 * reached it is tried for some minutes, as long as the page is open.
 */
export async function setPreferences(
  channelId: Uuid,
  change: Partial<Preferences>,
  onWaiting?: OnWaiting,
): Promise<Outcome> {
  const now = running()
  return now ? preferences(now).keep(channelId, change, onWaiting) : gone()
}

/** The first one that failed, or that all is well. */
function together(outcomes: readonly Outcome[]): Outcome {
  return outcomes.find((outcome) => !outcome.ok) ?? done(undefined)
}

/**
 * Puts a conversation into a group of the sidebar, at `index` of those shown there (itself left out). Channels and people keep an order of their own: there it only arrives.
 */
export async function moveConversation(
  item: SidebarItem,
  to: Pick<SideGroup, 'key' | 'kind' | 'items'>,
  index: number,
  onWaiting?: OnWaiting,
): Promise<Outcome> {
  const now = running()
  if (!now) return gone()
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
  const wishes = preferences(now)
  return together(
    await Promise.all([
      wishes.keep(item.id, own ? { ...place, position: own.position } : place, onWaiting),
      ...rest.map(({ id, position }) => wishes.keep(id, { position })),
    ]),
  )
}

/** A new section below the others; its value is its id. */
export async function createSection(name: string, onWaiting?: OnWaiting): Promise<Outcome<Uuid>> {
  const now = running()
  if (!now) return gone()
  const sections = sectionsNow(now)
  if (sections.length >= LIMITS.sections)
    return { ok: false, failure: failureNamed('sections_at_most_fifty') }
  const id = crypto.randomUUID()
  const position = planMove(sections, id, sections.length)[0]?.position ?? 0
  const wish = { name, position, collapsed: false }
  const outcome = await ownSections(now).keep(id, wish, onWaiting)
  return outcome.ok ? done(id) : outcome
}

/** Its name, or whether it is folded. */
export async function changeSection(
  id: Uuid,
  change: { name?: string; collapsed?: boolean },
  onWaiting?: OnWaiting,
): Promise<Outcome> {
  const now = running()
  return now ? ownSections(now).keep(id, change, onWaiting) : gone()
}

/** Its conversations go back to where their kind belongs. */
export async function deleteSection(id: Uuid, onWaiting?: OnWaiting): Promise<Outcome> {
  const now = running()
  return now ? ownSections(now).keep(id, { gone: true }, onWaiting) : gone()
}

/** Puts a section at `index` among the others (itself left out). */
export async function moveSection(id: Uuid, index: number, onWaiting?: OnWaiting): Promise<Outcome> {
  const now = running()
  if (!now) return gone()
  const wishes = ownSections(now)
  const writes = planMove(sectionsNow(now), id, index)
  return together(
    await Promise.all(writes.map((one) => wishes.keep(one.id, { position: one.position }, onWaiting))),
  )
}
