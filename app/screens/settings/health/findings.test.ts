import { i18n } from '@lingui/core'
import { beforeAll, expect, it } from 'vitest'
import type { WorkspaceHealth } from '../../../../wire/administration.ts'
import { findingsOf } from './findings.ts'

beforeAll(() => i18n.loadAndActivate({ locale: 'en', locales: ['en-GB'], messages: {} }))

const at = (minutes: number) => new Date(Date.parse('2026-11-24T12:00:00Z') + minutes * 60_000).toISOString()

type Server = NonNullable<WorkspaceHealth['server']>

function health(server: Partial<Server> | null = {}, rest: Partial<WorkspaceHealth> = {}): WorkspaceHealth {
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
      restore: null,
      ...server,
    },
    ...rest,
  }
}

const problems = (of: WorkspaceHealth) => findingsOf(of).filter(({ isFine }) => !isFine)

it('has no problem where everything works, also without the numbers of the server', () => {
  expect(problems(health())).toEqual([])
  expect(problems(health(null))).toEqual([])
})

it('states what could not be sent, by what cause, and what to do, before what works', () => {
  const waiting = [
    { kind: 'mail', jobs: 2, since: at(-3) },
    { kind: 'push', jobs: 1000, since: at(-30) },
  ]
  const retried = [{ kind: 'mail', jobs: 3, since: at(-80), next: at(5), problem: 'unreachable' as const }]
  const [mail, push, next] = findingsOf(health({ queue: { waiting, retried, failed: [] } }))
  expect(mail).toMatchObject({ title: 'Mail', isFine: false })
  expect(mail?.sentences.join(' ')).toContain('couldn’t be reached')
  // Two that are due for three minutes are about to be sent.
  expect(mail?.sentences).toHaveLength(3)
  expect(push).toMatchObject({ title: 'Push notifications', isFine: false })
  expect(next?.isFine).toBe(true)
})

it('finds full storage, a missing mail server and scheduled jobs that stand still or fail', () => {
  const cron: Server['cron'] = {
    since: at(-100),
    jobs: [{ name: 'sweep', active: true, last_run: at(-20), succeeded: false, failures: 1 }],
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
  expect(found.map(({ title, sentences }) => [title, sentences.length])).toEqual([
    ['File storage', 2],
    ['Mail', 3],
    ['Webhooks and slash commands', 1],
    ['Scheduled jobs', 2],
  ])
  for (const { advice } of found) expect(advice).not.toEqual([])
})
