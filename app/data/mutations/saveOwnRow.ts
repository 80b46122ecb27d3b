import { success, createFailure } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { runQuery } from '../client/runQuery.ts'
import type { PostgrestClient } from '../client/createSessionClient.ts'
import type { MutationResult } from './executeMutation.ts'
import type { PreferencesMutation, SectionMutation } from './mutation.ts'

/**
 * Writes preferences of a channel or a section of the sidebar directly; policies permit own rows only. Idempotent.
 */
export async function saveOwnRow(
  mutation: PreferencesMutation | SectionMutation,
): Promise<Outcome<MutationResult>> {
  if (mutation.kind === 'section') return await saveSection(mutation)
  const { channel, change } = mutation
  const rows = await runQuery((client) =>
    client.from('channel_member_state').update(change).eq('channel_id', channel).select('channel_id'),
  )
  if (!rows.ok) return rows
  // No row: the user is no longer a member.
  if (rows.value.length === 0) return { ok: false, failure: createFailure('not_found') }
  return success({ type: 'preferencesSaved', channelId: channel, change })
}

async function saveSection(mutation: SectionMutation): Promise<Outcome<MutationResult>> {
  const { section, change } = mutation
  const saved = await runQuery((client) => writeSection(client, mutation))
  // `sections_pkey`: created by an earlier request whose response was lost.
  if (!saved.ok && saved.failure.name !== 'sections_pkey') return saved
  return success({ type: 'sectionSaved', section, change })
}

function writeSection(client: PostgrestClient, { section, workspace, change }: SectionMutation) {
  const { deleted, ...row } = change
  const table = client.from('sections')
  if (deleted) return table.delete().eq('id', section)
  const isNew = row.name !== undefined && row.position !== undefined && row.collapsed !== undefined
  return isNew
    ? table.insert({ ...row, id: section, workspace_id: workspace })
    : table.update(row).eq('id', section)
}
