import { success, failureFrom, createFailure } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { getClient } from '../client/getClient.ts'
import type { Client } from '../client/supabase.ts'
import type { MutationResult } from './executeMutation.ts'
import type { PreferencesMutation, SectionMutation } from './mutation.ts'

/**
 * Writes preferences of a channel or a section of the sidebar directly; policies permit own rows only. Idempotent.
 */
export async function saveOwnRow(
  mutation: PreferencesMutation | SectionMutation,
): Promise<Outcome<MutationResult>> {
  try {
    const client = await getClient()
    if (mutation.kind === 'section') return await saveSection(client, mutation)
    const { channel, change } = mutation
    const response = await client
      .from('channel_state')
      .update(change)
      .eq('channel_id', channel)
      .select('channel_id')
    if (response.error) return { ok: false, failure: failureFrom(response.error, response.status) }
    // No row: the user is no longer a member.
    if (response.data.length === 0) return { ok: false, failure: createFailure('not_found') }
    return success({ type: 'preferencesSaved', channelId: channel, change })
  } catch (error) {
    return { ok: false, failure: failureFrom(error) }
  }
}

async function saveSection(client: Client, mutation: SectionMutation): Promise<Outcome<MutationResult>> {
  const { section, change } = mutation
  const response = await writeSection(client, mutation)
  // Created by an earlier request whose response was lost.
  if (response.error && !/sections_pkey/.test(response.error.message)) {
    return { ok: false, failure: failureFrom(response.error, response.status) }
  }
  return success({ type: 'sectionSaved', section, change })
}

function writeSection(client: Client, { section, workspace, change }: SectionMutation) {
  const { deleted, ...row } = change
  const table = client.from('sections')
  if (deleted) return table.delete().eq('id', section)
  const isNew = row.name !== undefined && row.position !== undefined && row.collapsed !== undefined
  return isNew
    ? table.insert({ ...row, id: section, workspace_id: workspace })
    : table.update(row).eq('id', section)
}
