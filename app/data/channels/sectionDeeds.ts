import type { Uuid } from '../../../wire/linnet.ts'
import { LIMITS } from '../../../wire/linnet.ts'
import type { SidebarItem } from './channels.ts'
import { done, failureNamed } from '../failures.ts'
import type { Outcome } from '../failures.ts'
import { running } from '../runtime.ts'
import type { Running } from '../runtime.ts'
import { sectionsNow } from './sections.ts'
import type { SideGroup } from './sections.ts'
import { keepWishes } from '../side/keepWishes.ts'
import type { Keep } from '../side/keepWishes.ts'
import { ownSections } from '../side/ownSections.ts'
import type { SectionWish } from '../side/ownSections.ts'
import { planMove } from '../side/planMove.ts'
import { preferences } from '../side/preferences.ts'
import type { Preferences } from '../side/preferences.ts'
import { savePreferences } from '../side/savePreferences.ts'
import { saveSection } from '../side/saveSection.ts'
import { untilOnline } from '../side/untilOnline.ts'

interface Keeps {
  preferences: Keep<Preferences>
  section: Keep<SectionWish>
}

const made = new WeakMap<Running, Keeps>()

function keeps(now: Running): Keeps {
  const known = made.get(now)
  if (known) return known
  const both: Keeps = {
    preferences: keepWishes({
      wishes: preferences(now),
      save: (id, change) => savePreferences(now, id, change),
      pause: untilOnline,
    }),
    section: keepWishes({
      wishes: ownSections(now),
      save: (id, change) => saveSection(now, id, change),
      pause: untilOnline,
    }),
  }
  made.set(now, both)
  return both
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
  return now ? keeps(now).preferences(channelId, change, onWaiting) : gone()
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
  const keep = keeps(now).preferences
  return together(
    await Promise.all([
      keep(item.id, own ? { ...place, position: own.position } : place, onWaiting),
      ...rest.map(({ id, position }) => keep(id, { position })),
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
  const outcome = await keeps(now).section(id, wish, onWaiting)
  return outcome.ok ? done(id) : outcome
}

/** Its name, or whether it is folded. */
export async function changeSection(
  id: Uuid,
  change: { name?: string; collapsed?: boolean },
  onWaiting?: OnWaiting,
): Promise<Outcome> {
  const now = running()
  return now ? keeps(now).section(id, change, onWaiting) : gone()
}

/** Its conversations go back to where their kind belongs. */
export async function deleteSection(id: Uuid, onWaiting?: OnWaiting): Promise<Outcome> {
  const now = running()
  return now ? keeps(now).section(id, { gone: true }, onWaiting) : gone()
}

/** Puts a section at `index` among the others (itself left out). */
export async function moveSection(id: Uuid, index: number, onWaiting?: OnWaiting): Promise<Outcome> {
  const now = running()
  if (!now) return gone()
  const keep = keeps(now).section
  const writes = planMove(sectionsNow(now), id, index)
  return together(await Promise.all(writes.map((one) => keep(one.id, { position: one.position }, onWaiting))))
}
