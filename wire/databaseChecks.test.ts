import { expect, it } from 'vitest'
import type { ServerHealth, WorkspaceHealth } from './administration.ts'
import { findingsOfHealth } from './databaseChecks.ts'
import { createFinding, type CheckCode } from './serverChecks.ts'

const at = (minutes: number): string =>
  new Date(Date.parse('2026-11-24T12:00:00Z') + minutes * 60_000).toISOString()

function health(
  server: Partial<ServerHealth> | null = {},
  rest: Partial<WorkspaceHealth> = {},
): WorkspaceHealth {
  return {
    checked_at: at(0),
    files: { used_bytes: 5, max_bytes: 100 },
    mail: { state: 'on', is_fixed: false, rejected: 0, failed_invitations: 0 },
    disabled_webhooks: 0,
    server: server && {
      queue: { waiting: [], retried: [], failed: [] },
      cron: {
        since: at(-60),
        jobs: [{ name: 'send mail', active: true, last_run: at(-1), succeeded: true, failures: 0 }],
      },
      database_bytes: 1e8,
      push: { has_keys: true, has_contact: true },
      restore: null,
      checks: null,
      ...server,
    },
    ...rest,
  }
}

const problems = (of: WorkspaceHealth): CheckCode[] =>
  findingsOfHealth(of)
    .filter(({ state }) => state === 'problem')
    .map(({ code }) => code)

it('there is no problem where everything works, also without the numbers of the server', () => {
  expect(problems(health())).toEqual([])
  expect(problems(health(null))).toEqual([])
})

it('jobs are late after five minutes, and repeated jobs name the cause', () => {
  const waiting = [
    { kind: 'mail', jobs: 2, since: at(-3) },
    { kind: 'push', jobs: 1000, since: at(-30) },
  ]
  const retried = [{ kind: 'mail', jobs: 3, since: at(-80), next: at(5), problem: 'unreachable' as const }]
  const found = findingsOfHealth(health({ queue: { waiting, retried, failed: [] } }))
  expect(found.filter(({ state }) => state === 'problem')).toEqual([
    createFinding('jobs.retried', {
      area: 'mail',
      jobs: 3,
      since: at(-80),
      next: at(5),
      problem: 'unreachable',
    }),
    createFinding('jobs.late', { area: 'push', jobs: 1000, since: at(-30) }),
  ])
})

it('full storage, a missing mail server and scheduled jobs that stand still or fail are problems', () => {
  const cron: ServerHealth['cron'] = {
    since: at(-100),
    jobs: [{ name: 'sweep', active: false, last_run: at(-20), succeeded: false, failures: 1 }],
  }
  const found = problems(
    health(
      { cron },
      {
        files: { used_bytes: 100, max_bytes: 100 },
        mail: { state: 'no_server', is_fixed: false, rejected: 1, failed_invitations: 1 },
        disabled_webhooks: 1,
      },
    ),
  )
  expect(found).toEqual([
    'files.full',
    'mail.no_server',
    'mail.invitations_failed',
    'mail.rejected',
    'webhooks.disabled',
    'schedule.paused',
    'schedule.failing',
    'schedule.turned_off',
  ])
})

it('findings of the server are shown while it reports, and as unknown an hour later', () => {
  const findings = [
    createFinding('disk.low', { free_bytes: 1, total_bytes: 2 }),
    createFinding('mail.reachable', {}),
  ]
  const codesAt = (minutes: number): CheckCode[] =>
    findingsOfHealth(health({ checks: { reported_at: at(minutes), findings } })).map(({ code }) => code)
  expect(codesAt(-5)).toEqual(expect.arrayContaining(['disk.low', 'mail.reachable']))
  // The server knows more about its mail server than the database does.
  expect(codesAt(-5)).not.toContain('mail.on')
  expect(codesAt(-61)).toContain('server.not_reporting')
  expect(codesAt(-61)).not.toContain('disk.low')
})
