import { i18n } from '@lingui/core'
import type { NotificationPreferences } from '../../../wire/notifications.ts'
import { success, createFailure, outdatedClient, registerSentences } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { runQuery } from '../client/runQuery.ts'
import type { PostgrestClient } from '../client/createSessionClient.ts'
import type { MutationResult } from './execution.ts'
import type { MutationOf, OwnRowMutation } from './mutation.ts'

const sectionName = () => i18n._('Section names can be 1 to 80 characters long.')
const tooManyKeywords = () => i18n._('You can have up to 20 keywords, with about 1,000 characters in total.')
const notFound = () => i18n._('This doesn’t exist, or you don’t have access to it.')

registerSentences({
  sections_name_length: sectionName,
  sections_at_most_fifty: () => i18n._('You’ve reached the limit of 50 sections. Delete one to add another.'),
  sections_position_finite: outdatedClient,
  channel_member_state_own_section: () => i18n._('That section was deleted. Choose another.'),
  channel_member_state_notify_known: outdatedClient,
  channel_member_state_position_finite: outdatedClient,
  notification_preferences_keywords_count: tooManyKeywords,
  notification_preferences_keywords_length: tooManyKeywords,
  notification_preferences_may_interrupt_count: () => i18n._('You can choose up to 20 people.'),
  notification_preferences_time_zone_known: () =>
    i18n._('The server doesn’t know this time zone. Choose another.'),
  notification_preferences_level_known: outdatedClient,
  notification_preferences_quiet_days_known: outdatedClient,
  notification_preferences_mail_language_tag: outdatedClient,
  notification_preferences_of_a_member: notFound,
})

/** The columns of `NotificationPreferences`. */
export const NOTIFICATION_COLUMNS =
  'level, keywords, quiet_days, quiet_from, quiet_to, time_zone, may_interrupt, mail, mail_language, shares_reads'

/** Writes an own row directly; policies permit own rows only. Idempotent. */
export async function saveOwnRow(mutation: OwnRowMutation): Promise<Outcome<MutationResult>> {
  switch (mutation.kind) {
    case 'preferences':
      return savePreferences(mutation)
    case 'notificationPreferences':
      return saveNotificationPreferences(mutation)
    case 'section':
      return saveSection(mutation)
  }
}

async function savePreferences({
  channel,
  change,
}: MutationOf<'preferences'>): Promise<Outcome<MutationResult>> {
  const rows = await runQuery((client) =>
    client.from('channel_member_state').update(change).eq('channel_id', channel).select('rev'),
  )
  if (!rows.ok) return rows
  // No row: the user is no longer a member.
  const [row] = rows.value
  if (!row) return { ok: false, failure: createFailure('not_found') }
  return success({ type: 'preferencesSaved', channelId: channel, change, rev: row.rev })
}

async function saveNotificationPreferences({
  workspace,
  change,
}: MutationOf<'notificationPreferences'>): Promise<Outcome<MutationResult>> {
  const saved = await runQuery((client) =>
    client
      .from('notification_preferences')
      // A person has no row before the first change.
      .upsert({ workspace_id: workspace, ...change })
      .select(NOTIFICATION_COLUMNS)
      .single<NotificationPreferences>(),
  )
  return saved.ok ? success({ type: 'notificationPreferencesSaved', preferences: saved.value }) : saved
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
