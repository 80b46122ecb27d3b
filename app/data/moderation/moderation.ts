import { i18n } from '@lingui/core'
import type { Report, ReportOutcome, ReportState, Silence } from '../../../wire/moderation.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import { runQuery } from '../client/runQuery.ts'
import { registerSentences, success, type Outcome } from '../failures/failures.ts'
import { createPagedQuery } from '../queries/pagedQuery.ts'
import { createQuery, refetchAfter, setAfter } from '../queries/createQuery.ts'
import { callForWorkspace } from '../workspaces/callForWorkspace.ts'
import { noWorkspace, workspaceId } from '../workspaces/workspace.ts'

registerSentences({
  bad_reason: () => i18n._('Enter a reason of up to 500 characters.'),
  bad_report: () => i18n._('Describe what’s wrong in up to 500 characters.'),
  bad_silence: () => i18n._('Choose a duration between 5 minutes and 30 days.'),
  report_closed: () => i18n._('Someone else has already closed this report.'),
  too_many_blocks: () => i18n._('You can block up to 500 people.'),
  too_many_reports: () =>
    i18n._(
      'You’ve reported 20 messages that nobody has handled yet. Wait until the admins have looked at them.',
    ),
})

/** The maximum number of silenced people in the list. */
const MAX_SILENCES = 100

/** Reports a message to owners and admins. The caller chooses the `id`, so that a repeated call reports it once. */
export function reportMessage(
  id: Uuid,
  message: Uuid,
  note: string,
  withContext: boolean,
): Promise<Outcome<{ id: Uuid }>> {
  return callCommand('report_message', { id, message, note, with_context: withContext })
}

/** The reports in a state, newest first. */
export const reportList = createPagedQuery({
  events: ['reports'],
  idOf: (report: Report) => report.id,
  fetch: async (before: string | null, state: ReportState) => {
    const outcome = await callForWorkspace('list_reports', { state, before })
    return outcome.ok ? success({ items: outcome.value.reports, next: outcome.value.before }) : outcome
  },
})

/** Assigns a report to the user, even if somebody else has it. */
export function takeReport(report: Uuid): Promise<Outcome<Report>> {
  return callCommand('take_report', { report })
}

export function closeReport(report: Uuid, outcome: ReportOutcome): Promise<Outcome<Report>> {
  return callCommand('close_report', { report, outcome })
}

/** The message to remove: one in a channel that the user can read, or the message of a report. */
export type RemovalTarget = { message: Uuid } | { report: Uuid }

export function removeMessage(target: RemovalTarget, reason: string): Promise<Outcome<{ removed: boolean }>> {
  return callCommand('remove_message', { ...target, reason })
}

export async function silenceMember(
  person: Uuid,
  minutes: number,
  reason: string,
): Promise<Outcome<Silence>> {
  return refetchAfter(await callForWorkspace('silence_member', { person, minutes, reason }), silenceList)
}

export async function endSilence(person: Uuid): Promise<Outcome<{ profile_id: Uuid }>> {
  return refetchAfter(await callForWorkspace('end_silence', { person }), silenceList)
}

/** Hides the direct conversation with a person, or shows it again. The person is not notified. */
export function setBlocked(person: Uuid, blocked: boolean): Promise<Outcome<boolean>> {
  const request = callCommand(blocked ? 'block_person' : 'unblock_person', { person })
  return setAfter(
    isPersonBlocked,
    [person],
    request.then((outcome) => (outcome.ok ? success(blocked) : outcome)),
  )
}

/** Whether the user has blocked a person. */
export const isPersonBlocked = createQuery({
  fetch: async (person: Uuid) => {
    const outcome = await runQuery<{ blocked_id: Uuid }[]>((client) =>
      client.from('blocks').select('blocked_id').eq('blocked_id', person),
    )
    return outcome.ok ? success(outcome.value.length > 0) : outcome
  },
})

/** Whether guests may send messages with links. */
export const guestLinks = createQuery({
  fetch: async () => {
    const workspace = workspaceId()
    if (!workspace) return noWorkspace()
    const outcome = await runQuery<{ guest_links: boolean }[]>((client) =>
      client.from('workspaces').select('guest_links').eq('id', workspace),
    )
    return outcome.ok ? success(outcome.value[0]?.guest_links ?? true) : outcome
  },
})

export function setGuestLinks(allowed: boolean): Promise<Outcome<boolean>> {
  const request = callForWorkspace('set_guest_links', { allowed })
  return setAfter(
    guestLinks,
    [],
    request.then((outcome) => (outcome.ok ? success(outcome.value.guest_links) : outcome)),
  )
}

/**
 * The time at which the user may send their next message to a channel with slow mode, in ms by the clock of
 * this device.
 */
export const slowModeEnd = createQuery({
  fetch: async (channel: Uuid) => {
    const outcome = await callCommand('slow_mode_wait', { channel })
    return outcome.ok ? success(Date.now() + outcome.value.wait_ms) : outcome
  },
})

export function setSlowMode(channel: Uuid, seconds: number): Promise<Outcome<unknown>> {
  return callCommand('set_slow_mode', { channel, seconds })
}

/** The people who are silenced now. Only owners and admins see others than themselves. */
export const silenceList = createQuery({
  fetch: async () => {
    const workspace = workspaceId()
    if (!workspace) return noWorkspace()
    const outcome = await runQuery<Silence[]>((client) =>
      client
        .from('silences')
        .select('profile_id, until, reason')
        .eq('workspace_id', workspace)
        .order('until', { ascending: false })
        .limit(MAX_SILENCES),
    )
    return outcome.ok ? success(outcome.value.filter(({ until }) => Date.parse(until) > Date.now())) : outcome
  },
})
