import type { Section, Uuid } from '../../../wire/linnet.ts'
import { done, failureFrom, failureNamed } from '../failures.ts'
import type { Outcome } from '../failures.ts'
import { hub, running } from '../runtime.ts'
import type { Running } from '../runtime.ts'
import { getClient } from '../session/client.ts'
import type { Client } from '../session/supabase.ts'
import { untilOnline } from './untilOnline.ts'
import { createWishes } from './wishes.ts'
import type { Wishes } from './wishes.ts'

/** A section as it is wished for; `gone` asks for its end. */
export type SectionWish = Omit<Section, 'id'> & { gone: true }

const kept = new WeakMap<Running, Wishes<SectionWish>>()

/** The sections that are wished for, by id, of who is signed in. */
export function ownSections(now: Running): Wishes<SectionWish> {
  const known = kept.get(now)
  if (known) return known
  const wishes = createWishes<SectionWish>({
    save: (id, change) => save(now, id, change),
    pause: untilOnline,
    tell: hub.tell,
  })
  kept.set(now, wishes)
  return wishes
}

/** The sections as they will be once what is wished for is kept. */
export function withSectionWishes(
  sections: readonly Section[],
  wishes: ReadonlyMap<Uuid, Partial<SectionWish>>,
): readonly Section[] {
  if (wishes.size === 0) return sections
  const all = new Map(sections.map((section) => [section.id, section]))
  for (const [id, wish] of wishes) {
    const section = { id, name: '', position: 0, collapsed: false, ...all.get(id), ...wish }
    if (wish.gone || !section.name) all.delete(id)
    else all.set(id, section)
  }
  return [...all.values()].sort((a, b) => a.position - b.position || a.id.localeCompare(b.id))
}

async function save(now: Running, id: Uuid, change: Partial<SectionWish>): Promise<Outcome> {
  const workspace = now.store.get().workspace?.id
  if (!workspace || running() !== now) return { ok: false, failure: failureNamed('session_ended') }
  try {
    const client = await getClient()
    const held = now.store.get().sections.some((section) => section.id === id)
    const answer = await write(client, workspace, id, change, held)
    // Made already: the answer to an earlier try was lost.
    if (answer.error && !/sections_pkey/.test(answer.error.message)) {
      return { ok: false, failure: failureFrom(answer.error, answer.status) }
    }
  } catch (error) {
    return { ok: false, failure: failureFrom(error) }
  }
  const state = now.store.get()
  if (state.workspace?.id === workspace) {
    const sections = withSectionWishes(state.sections, new Map([[id, change]]))
    const payload = { workspace_id: workspace, sections: [...sections] }
    now.store.dispatch({ type: 'userTold', event: { event: 'sections', payload } })
  }
  return done(undefined)
}

function write(client: Client, workspace: Uuid, id: Uuid, change: Partial<SectionWish>, held: boolean) {
  const table = client.from('sections')
  if (change.gone) return table.delete().eq('id', id)
  if (held) return table.update(change).eq('id', id)
  return table.insert({ ...change, id, workspace_id: workspace })
}
