import type { Uuid } from '../../../wire/linnet.ts'
import { done, failureFrom, failureNamed } from '../failures.ts'
import type { Outcome } from '../failures.ts'
import { running } from '../runtime.ts'
import type { Running } from '../runtime.ts'
import { getClient } from '../session/client.ts'
import type { Client } from '../session/supabase.ts'
import { withSectionWishes } from './ownSections.ts'
import type { SectionWish } from './ownSections.ts'

/** Makes, changes or deletes one section; the list shows it before its event comes. */
export async function saveSection(now: Running, id: Uuid, change: Partial<SectionWish>): Promise<Outcome> {
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
