import { done, failureFrom, failureNamed } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { getClient } from '../client/getClient.ts'
import type { Client } from '../client/supabase.ts'
import type { DeedAnswer } from './executeMutation.ts'
import type { PreferencesDeed, SectionDeed } from './mutation.ts'

/**
 * Writes one's own preferences of a channel, or a section of one's sidebar: policies confine both to one's own rows. Saved
 * again, it means the same.
 */
export async function saveOwn(deed: PreferencesDeed | SectionDeed): Promise<Outcome<DeedAnswer>> {
  try {
    const client = await getClient()
    if (deed.kind === 'section') return await saveSection(client, deed)
    const { channel, change } = deed
    const answer = await client
      .from('channel_state')
      .update(change)
      .eq('channel_id', channel)
      .select('channel_id')
    if (answer.error) return { ok: false, failure: failureFrom(answer.error, answer.status) }
    // No row: one doesn't belong to it any more.
    if (answer.data.length === 0) return { ok: false, failure: failureNamed('not_found') }
    return done({ type: 'preferencesGiven', channelId: channel, change })
  } catch (error) {
    return { ok: false, failure: failureFrom(error) }
  }
}

async function saveSection(client: Client, deed: SectionDeed): Promise<Outcome<DeedAnswer>> {
  const { section, change } = deed
  const answer = await writeSection(client, deed)
  // Created already: the answer to an earlier try was lost.
  if (answer.error && !/sections_pkey/.test(answer.error.message)) {
    return { ok: false, failure: failureFrom(answer.error, answer.status) }
  }
  return done({ type: 'sectionGiven', section, change })
}

function writeSection(client: Client, { section, workspace, change }: SectionDeed) {
  const { gone, ...row } = change
  const table = client.from('sections')
  if (gone) return table.delete().eq('id', section)
  const isNew = row.name !== undefined && row.position !== undefined && row.collapsed !== undefined
  return isNew
    ? table.insert({ ...row, id: section, workspace_id: workspace })
    : table.update(row).eq('id', section)
}
