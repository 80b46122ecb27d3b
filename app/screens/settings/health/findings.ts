import { i18n } from '@lingui/core'
import type { ProblemKind, WorkspaceHealth } from '../../../../wire/administration.ts'
import { formatDayAndTime } from '../../../ui/dates.ts'
import { formatBytes } from '../../../ui/formatBytes.ts'

/** What is known of one part: a sentence if it works, else what is wrong and what to do. */
export interface Finding {
  title: string
  isFine: boolean
  sentences: string[]
  advice: string[]
  /** The pane that helps. */
  path?: string
}

type Queue = NonNullable<WorkspaceHealth['server']>['queue']

/** Due jobs are begun every minute: what is due for longer waits for something. */
const MAX_WAIT_MS = 5 * 60_000
/** Scheduled jobs run every minute: without one for this time none are run. */
const MAX_PAUSE_MS = 10 * 60_000
/** Up to which the server counts. */
const MAX_COUNT = 1000

/** What does not work first, each part once. */
export function findingsOf(health: WorkspaceHealth): Finding[] {
  const found = [storage(health), mail(health), webhooks(health)]
  const { server } = health
  if (server) {
    found.push(
      work(health, i18n._('Push notifications'), ['push', 'push_message']),
      work(health, i18n._('Scheduled messages and reminders'), ['scheduled_message', 'reminder']),
      work(health, i18n._('Link previews and file text'), ['link_preview', 'index_file']),
      schedule(health),
      database(server.database_bytes),
    )
  }
  return found.toSorted((a, b) => Number(a.isFine) - Number(b.isFine))
}

/** A part that works unless sentences are added. */
const part = (title: string): Finding => ({ title, isFine: true, sentences: [], advice: [] })

function storage({ files }: WorkspaceHealth): Finding {
  const { used_bytes: used, max_bytes: limit } = files
  const found = part(i18n._('File storage'))
  found.sentences.push(
    i18n._('{used} of {limit} used', { used: formatBytes(used), limit: formatBytes(limit) }),
  )
  if (used <= limit * 0.9) return found
  found.isFine = false
  found.path = '/settings/storage'
  found.advice.push(i18n._('Raise the limit, or see which people and channels use the storage.'))
  if (used >= limit)
    found.sentences.push(
      i18n._('File storage is full. Nobody can send files until some are deleted or the limit is raised.'),
    )
  return found
}

function mail(health: WorkspaceHealth): Finding {
  const { state, is_fixed: isFixed, rejected, failed_invitations: failedInvitations } = health.mail
  const found = work(health, i18n._('Mail'), ['mail', 'mail_message', 'invitation'])
  if (found.isFine) {
    if (state === 'off') {
      found.sentences = [i18n._('Emails about unread messages are turned off.')]
      if (isFixed) found.sentences.push(i18n._('Set in linnet.toml.'))
    }
    if (state === 'unknown') found.sentences = [i18n._('No emails have been due yet.')]
    if (state === 'on') found.sentences = [i18n._('Emails are being sent.')]
  }
  if (state === 'no_server') {
    addProblem(
      found,
      i18n._('No mail server is set up, so nobody gets emails.'),
      i18n._('Set a mail server in linnet.toml under [auth.email.smtp], then restart Linnet.'),
    )
  }
  if (failedInvitations)
    addProblem(
      found,
      i18n._(
        '{count, plural, one {# invitation of the last seven days wasn’t delivered.} other {# invitations of the last seven days weren’t delivered.}}',
        { count: failedInvitations },
      ),
      i18n._('Send them again, or share a link: choose “Invite people”.'),
    )
  if (rejected) {
    found.path = '/settings/people'
    addProblem(
      found,
      i18n._(
        '{count, plural, one {# address has refused emails in the last seven days.} other {# addresses have refused emails in the last seven days.}}',
        { count: rejected },
      ),
      i18n._('Ask these people for another address.'),
    )
  }
  return found
}

function webhooks(health: WorkspaceHealth): Finding {
  const found = work(health, i18n._('Webhooks and slash commands'), ['webhook', 'command'])
  if (!health.disabled_webhooks) return found
  found.path = '/settings/bots'
  addProblem(
    found,
    i18n._(
      '{count, plural, one {# webhook was turned off after failed deliveries.} other {# webhooks were turned off after failed deliveries.}}',
      { count: health.disabled_webhooks },
    ),
    i18n._('Check their addresses, then turn them on again.'),
  )
  return found
}

/** Jobs of these kinds that wait, are repeated or failed. */
function work({ server, checked_at }: WorkspaceHealth, title: string, kinds: readonly string[]): Finding {
  const found = part(title)
  const of = <K extends keyof Queue>(list: K): Queue[K] =>
    (server?.queue[list] ?? []).filter(({ kind }) => kinds.includes(kind)) as Queue[K]
  const late = of('waiting').filter(({ since }) => Date.parse(checked_at) - Date.parse(since) > MAX_WAIT_MS)
  const retried = of('retried')
  const failed = of('failed')
  if (late.length)
    addProblem(
      found,
      i18n._('{count} waiting since {time}.', {
        count: countText(sum(late)),
        time: formatDayAndTime(first(late.map(({ since }) => since))),
      }),
      i18n._('Check the server log: the service that does this work may not be running.'),
    )
  if (retried.length) {
    const [{ problem }] = retried as [(typeof retried)[number]]
    addProblem(
      found,
      i18n._('{count} waiting since {time}.', {
        count: countText(sum(retried)),
        time: formatDayAndTime(first(retried.map(({ since }) => since))),
      }),
      adviceOf(problem),
    )
    found.sentences.push(
      causeOf(problem),
      i18n._('Next attempt: {time}.', { time: formatDayAndTime(first(retried.map(({ next }) => next))) }),
    )
  }
  if (failed.length) {
    const [{ problem, latest }] = failed as [(typeof failed)[number]]
    addProblem(
      found,
      i18n._('{count} given up in the last seven days, most recently {time}.', {
        count: countText(sum(failed)),
        time: formatDayAndTime(latest),
      }),
      adviceOf(problem),
    )
    if (!retried.length) found.sentences.push(causeOf(problem))
  }
  if (found.isFine) found.sentences.push(i18n._('Nothing waiting.'))
  return found
}

function schedule({ server, checked_at }: WorkspaceHealth): Finding {
  const found = part(i18n._('Scheduled jobs'))
  const jobs = server?.cron?.jobs ?? []
  if (jobs.length === 0) {
    found.sentences.push(i18n._('This server doesn’t let Linnet read them.'))
    return found
  }
  const last = jobs
    .map(({ last_run }) => last_run ?? '')
    .toSorted((a, b) => a.localeCompare(b))
    .at(-1)
  if (last && Date.parse(checked_at) - Date.parse(last) > MAX_PAUSE_MS)
    addProblem(
      found,
      i18n._('None has run since {time}.', { time: formatDayAndTime(last) }),
      i18n._('Restart Linnet. Until then, messages aren’t deleted, and emails and reminders aren’t sent.'),
    )
  const failing = jobs.filter(({ succeeded }) => succeeded === false)
  if (failing.length)
    addProblem(
      found,
      i18n._('The last run failed: {names}.', { names: failing.map(({ name }) => name).join(', ') }),
      i18n._('The server log has the reason.'),
    )
  const stopped = jobs.filter(({ active }) => !active)
  if (stopped.length)
    addProblem(
      found,
      i18n._('Turned off: {names}.', { names: stopped.map(({ name }) => name).join(', ') }),
      i18n._('Turn them on in cron.job, unless this is intended.'),
    )
  if (found.isFine) found.sentences.push(i18n._('All are running.'))
  return found
}

function database(bytes: number | null): Finding {
  const found = part(i18n._('Database'))
  found.sentences.push(bytes === null ? i18n._('Its size is unknown.') : formatBytes(bytes))
  return found
}

function addProblem(found: Finding, sentence: string, advice: string): void {
  if (found.isFine) found.sentences = []
  found.isFine = false
  found.sentences.push(sentence)
  if (!found.advice.includes(advice)) found.advice.push(advice)
}

const sum = (list: readonly { jobs: number }[]): number => list.reduce((total, { jobs }) => total + jobs, 0)

const first = (times: readonly string[]): string =>
  times.toSorted((a, b) => Date.parse(a) - Date.parse(b))[0] ?? ''

const countText = (count: number): string =>
  count < MAX_COUNT
    ? String(count)
    : i18n._('{count} or more', {
        count: new Intl.NumberFormat(i18n.locales ?? i18n.locale).format(MAX_COUNT),
      })

function causeOf(problem: ProblemKind): string {
  switch (problem) {
    case 'sign_in':
      return i18n._('The last attempt failed because the other server rejected the user name or password.')
    case 'certificate':
      return i18n._('The last attempt failed because the certificate of the other server isn’t valid.')
    case 'timeout':
      return i18n._('The last attempt failed because the other server didn’t respond in time.')
    case 'unreachable':
      return i18n._('The last attempt failed because the other server couldn’t be reached.')
    case 'refused':
      return i18n._('The last attempt failed because the other server refused it.')
    case 'other':
      return i18n._('The last attempt failed.')
  }
}

function adviceOf(problem: ProblemKind): string {
  switch (problem) {
    case 'sign_in':
      return i18n._('Correct the user name and password in linnet.toml, then restart Linnet.')
    case 'certificate':
    case 'timeout':
    case 'unreachable':
      return i18n._('Check its address, and whether this server may connect to it.')
    case 'refused':
    case 'other':
      return i18n._('The server log has the reason.')
  }
}
