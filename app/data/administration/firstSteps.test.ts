import { expect, it } from 'vitest'
import { createFinding, type Finding } from '../../../wire/serverChecks.ts'
import { findFirstSteps } from './firstSteps.ts'

const time = '2026-11-30T12:00:00Z'
const healthOf = (...findings: Finding[]) => ({
  checked_at: time,
  files: { used_bytes: 1, max_bytes: 100 },
  mail: { state: 'on' as const, is_fixed: false, rejected: 0, failed_invitations: 0 },
  disabled_webhooks: 0,
  server: {
    queue: { waiting: [], retried: [], failed: [] },
    cron: null,
    database_bytes: 1,
    restore: null,
    push: { has_keys: true, has_contact: true },
    checks: { reported_at: time, findings },
  },
})
const account = { factors: [], user_metadata: {} }
const known = { account, passkeys: [], people: 1 }
const namesOf = (more: Partial<Parameters<typeof findFirstSteps>[0]>) =>
  findFirstSteps({ ...known, health: healthOf(), ...more }).map(({ name }) => name)

it('a new server has all steps, and each disappears once it is done', () => {
  const fresh = healthOf(
    createFinding('address.local', {}),
    createFinding('mail.local_mailbox', {}),
    createFinding('backups.none_yet', {}),
  )
  expect(namesOf({ health: fresh })).toEqual(['address', 'mail', 'backup', 'account', 'people'])
  const ready = healthOf(
    createFinding('address.reached', {}),
    createFinding('mail.reachable', {}),
    createFinding('backups.recent', { at: time }),
    createFinding('backups.unproven', {}),
  )
  expect(namesOf({ health: ready, passkeys: [{ id: '1' }], people: 2 })).toEqual(['mail'])
  const tested = { ...account, user_metadata: { test_mail: 'arrived' as const } }
  expect(namesOf({ health: ready, account: tested, passkeys: [{ id: '1' }], people: 2 })).toEqual([])
})

it('the first backup stays a step after it has failed, and a later failure is none', () => {
  const failed = createFinding('backups.failed', { at: time })
  expect(namesOf({ health: healthOf(failed) })).toContain('backup')
  const later = healthOf(failed, createFinding('backups.recent', { at: time }))
  expect(namesOf({ health: later })).not.toContain('backup')
})

it('a hosted project, where no server reports, has the steps of the person only', () => {
  const { server, ...health } = healthOf()
  expect(namesOf({ health: { ...health, server: { ...server, checks: null } } })).toEqual([
    'account',
    'people',
  ])
  expect(namesOf({ health: { ...health, server: null } })).toEqual(['account', 'people'])
})
