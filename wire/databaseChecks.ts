import type { ServerHealth, WorkspaceHealth } from './administration.ts'
import { createFinding, type Finding, type JobArea, type ProblemKind } from './serverChecks.ts'

type Queue = ServerHealth['queue']

/** Due jobs are begun every minute: what is due for longer waits for something. */
const maxWaitMs = 5 * 60_000
/** Scheduled jobs run every minute: without one for this time none are run. */
const maxPauseMs = 10 * 60_000
/** A server checks itself more often than this. */
const maxReportAgeMs = 60 * 60_000

/** The kinds of jobs by area. Other kinds are internal. */
const kindsOfAreas: [area: JobArea, kinds: readonly string[]][] = [
  ['mail', ['mail', 'mail_message', 'invitation']],
  ['push', ['push', 'push_message']],
  ['scheduled', ['scheduled_message', 'reminder']],
  ['content', ['link_preview', 'index_file']],
  ['webhooks', ['webhook', 'command']],
]

/**
 * The findings of what the database knows about the installation.
 * @param now in ms since 1970
 */
export function findingsOfDatabase(server: ServerHealth, now: number): Finding[] {
  return [
    ...(server.restore === null
      ? []
      : [createFinding('outgoing.paused', { since: server.restore.restored_at })]),
    ...findingsOfQueue(server.queue, now),
    ...findingsOfSchedule(server.cron, now),
    findingOfPush(server.push),
    server.database_bytes === null
      ? createFinding('database.unknown', {})
      : createFinding('database.size', { bytes: server.database_bytes }),
  ]
}

/** The findings of a workspace, and those of the installation for owners and admins of the first one. */
export function findingsOfHealth(health: WorkspaceHealth): Finding[] {
  const now = Date.parse(health.checked_at)
  const { server } = health
  return [
    ...findingsOfWorkspace(health),
    ...(server === null ? [] : [...findingsOfDatabase(server, now), ...findingsOfServer(server.checks, now)]),
  ]
}

/** What the server reported; old reports are not shown as if they were true now. */
function findingsOfServer(checks: ServerHealth['checks'], now: number): Finding[] {
  if (checks === null) return []
  if (now - Date.parse(checks.reported_at) > maxReportAgeMs)
    return [createFinding('server.not_reporting', { since: checks.reported_at })]
  return checks.findings
}

function findingsOfWorkspace(health: WorkspaceHealth): Finding[] {
  const { files, mail, disabled_webhooks: disabled, server } = health
  const level =
    files.used_bytes >= files.max_bytes
      ? 'full'
      : files.used_bytes > files.max_bytes * 0.9
        ? 'nearly_full'
        : 'used'
  // A server knows more about its mail server than the database does.
  const isKnown = server?.checks?.findings.some(({ code }) => code.startsWith('mail.')) ?? false
  const mailState = {
    on: 'mail.on',
    no_server: 'mail.no_server',
    unknown: 'mail.none_due',
  } as const
  return [
    createFinding(`files.${level}`, files),
    ...(mail.state === 'off'
      ? [createFinding('mail.off', { is_fixed: mail.is_fixed })]
      : isKnown
        ? []
        : [createFinding(mailState[mail.state], {})]),
    ...(mail.failed_invitations > 0
      ? [createFinding('mail.invitations_failed', { invitations: mail.failed_invitations })]
      : []),
    ...(mail.rejected > 0 ? [createFinding('mail.rejected', { addresses: mail.rejected })] : []),
    disabled > 0
      ? createFinding('webhooks.disabled', { webhooks: disabled })
      : createFinding('webhooks.enabled', {}),
  ]
}

function findingsOfQueue(queue: Queue, now: number): Finding[] {
  const findings = kindsOfAreas.flatMap(([area, kinds]) => findingsOfArea(queue, area, kinds, now))
  return findings.length > 0 ? findings : [createFinding('jobs.none_waiting', {})]
}

function findingsOfArea(queue: Queue, area: JobArea, kinds: readonly string[], now: number): Finding[] {
  const isOfArea = ({ kind }: { kind: string }): boolean => kinds.includes(kind)
  const late = queue.waiting.filter((jobs) => isOfArea(jobs) && now - Date.parse(jobs.since) > maxWaitMs)
  const retried = queue.retried.filter(isOfArea)
  const failed = queue.failed.filter(isOfArea)
  return [
    ...(late.length > 0
      ? [createFinding('jobs.late', { area, jobs: sum(late), since: earliest(late, 'since') })]
      : []),
    ...(retried.length > 0
      ? [
          createFinding('jobs.retried', {
            area,
            jobs: sum(retried),
            since: earliest(retried, 'since'),
            next: earliest(retried, 'next'),
            problem: problemOf(retried),
          }),
        ]
      : []),
    // Lists of failed jobs begin with the most recent ones.
    ...(failed.length > 0
      ? [
          createFinding('jobs.failed', {
            area,
            jobs: sum(failed),
            latest: failed[0]!.latest,
            problem: problemOf(failed),
          }),
        ]
      : []),
  ]
}

function findingsOfSchedule(cron: ServerHealth['cron'], now: number): Finding[] {
  const jobs = cron?.jobs ?? []
  if (jobs.length === 0) return [createFinding('schedule.unknown', {})]
  const last = jobs.reduce((latest, { last_run: run }) => (run !== null && run > latest ? run : latest), '')
  const namesOf = (list: typeof jobs): string => list.map(({ name }) => name).join(', ')
  const failing = jobs.filter(({ succeeded }) => succeeded === false)
  const stopped = jobs.filter(({ active }) => !active)
  const findings: Finding[] = [
    ...(last !== '' && now - Date.parse(last) > maxPauseMs
      ? [createFinding('schedule.paused', { since: last })]
      : []),
    ...(failing.length > 0 ? [createFinding('schedule.failing', { names: namesOf(failing) })] : []),
    ...(stopped.length > 0 ? [createFinding('schedule.turned_off', { names: namesOf(stopped) })] : []),
  ]
  return findings.length > 0 ? findings : [createFinding('schedule.running', {})]
}

function findingOfPush({ has_keys: hasKeys, has_contact: hasContact }: ServerHealth['push']): Finding {
  if (!hasKeys) return createFinding('push.unused', {})
  return hasContact ? createFinding('push.ready', {}) : createFinding('push.no_contact', {})
}

const sum = (list: readonly { jobs: number }[]): number => list.reduce((total, { jobs }) => total + jobs, 0)

function earliest<Key extends string>(list: readonly Record<Key, string>[], key: Key): string {
  return list
    .map((one) => one[key])
    .reduce((first, time) => (Date.parse(time) < Date.parse(first) ? time : first))
}

const problemOf = (list: readonly { problem: ProblemKind }[]): ProblemKind => list[0]!.problem
