import { expect, it } from 'vitest'
import type { WorkspaceHealth } from '../../../wire/administration.ts'
import { createFinding, type Finding } from '../../../wire/serverChecks.ts'
import { needsAttention } from './attention.ts'

const now = Date.parse('2026-11-30T12:00:00Z')

function healthOf(...findings: Finding[]): WorkspaceHealth {
  const time = new Date(now).toISOString()
  return {
    checked_at: time,
    files: { used_bytes: 1, max_bytes: 100 },
    mail: { state: 'on', is_fixed: false, rejected: 0, failed_invitations: 0 },
    disabled_webhooks: 0,
    server: {
      queue: { waiting: [], retried: [], failed: [] },
      cron: null,
      database_bytes: 1,
      restore: null,
      push: { has_keys: true, has_contact: true },
      checks: { reported_at: time, findings },
    },
  }
}

it('a new server without a mail server and without a backup needs no attention', () => {
  const health = healthOf(
    createFinding('mail.local_mailbox', {}),
    createFinding('backups.none_yet', {}),
    createFinding('clock.unknown', {}),
  )
  expect(needsAttention(health, {}, now)).toBe(false)
  expect(needsAttention(healthOf(createFinding('backups.same_disk', { is_new: true })), {}, now)).toBe(false)
})

it('a problem needs attention, and backups on the same disk do until the owner postpones the reminder', () => {
  expect(needsAttention(healthOf(createFinding('backups.none', {})), {}, now)).toBe(true)
  const health = healthOf(createFinding('backups.same_disk', { is_new: false }))
  expect(needsAttention(health, {}, now)).toBe(true)
  expect(needsAttention(health, { 'backups.same_disk': now + 1 }, now)).toBe(false)
  expect(needsAttention(health, { 'backups.same_disk': now }, now)).toBe(true)
  expect(needsAttention({ ...health, server: null }, {}, now)).toBe(false)
})
