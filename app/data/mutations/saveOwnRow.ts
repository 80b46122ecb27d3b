import { success, createFailure } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { runQuery } from '../client/runQuery.ts'
import type { PostgrestClient } from '../client/createSessionClient.ts'
import type { MutationResult } from './execution.ts'
import type { MutationOf } from './mutation.ts'

/**
 * Writes preferences of a channel or a section of the sidebar directly; policies permit own rows only. Idempotent.
 */
export async function saveOwnRow(
  mutation: MutationOf<'preferences' | 'section'>,
): Promise<Outcome<MutationResult>> {
  if (mutation.kind === 'section') return await saveSection(mutation)
  const { channel, change } = mutation
  const rows = await runQuery((client) =>
    client.from('channel_member_state').update(change).eq('channel_id', channel).select('rev'),
  )
  if (!rows.ok) return rows
  // No row: the user is no longer a member.
  const [row] = rows.value
  if (!row) return { ok: false, failure: createFailure('not_found') }
  return success({ type: 'preferencesSaved', channelId: channel, change, rev: row.rev })
}

async function saveSection(mutation: MutationOf<'section'>): Promise<Outcome<MutationResult>> {
  const { section, change } = mutation
  const saved = await runQuery<{ rev: number }[]>((client) => writeSection(client, mutation))
  // Created by an earlier request whose response was lost.
  const isRepeated = !saved.ok && saved.failure.name === 'sections_pkey'
  if (!saved.ok && !isRepeated) return saved
  const row = saved.ok ? saved.value[0] : { rev: 0 }
  if (!row && !change.deleted) return { ok: false, failure: createFailure('not_found') }
  return success({ type: 'sectionSaved', section, change, rev: change.deleted || !row ? null : row.rev })
}

function writeSection(client: PostgrestClient, { section, workspace, change }: MutationOf<'section'>) {
  const { deleted, ...row } = change
  const table = client.from('sections')
  if (deleted) return table.delete().eq('id', section).select('rev')
  const isNew = row.name !== undefined && row.position !== undefined && row.collapsed !== undefined
  return isNew
    ? table.insert({ ...row, id: section, workspace_id: workspace }).select('rev')
    : table.update(row).eq('id', section).select('rev')
}
