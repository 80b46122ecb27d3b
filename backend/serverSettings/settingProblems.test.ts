import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SettingChanges } from '../../wire/serverSettings.ts'
import { findSettingProblem, type SettingProblem } from '../../wire/settingProblems.ts'
import { loadConfig, type Config } from '../config/loadConfig.ts'
import type { StoredSettings } from '../config/settingsFile.ts'
import { parseCommandLine } from '../cli/linnet.ts'
import { readStartOptions } from '../cli/startOptions.ts'
import { validateConfig } from '../startup/validateConfig.ts'
import { applyChanges } from './describeSettings.ts'
import { refuseInvalid, requireChangeable, requireSecretsAgain, SettingsRefused } from './refusals.ts'

let dir = ''
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'linnet-problems-'))
})
afterAll(() => rmSync(dir, { recursive: true }))

/** The sentence with which the server refuses changes, by the parsers that a save runs. */
function refusalOf(changes: SettingChanges, stored: StoredSettings = {}): string {
  const load = (settings: StoredSettings): Config => loadConfig(dir, dir, settings)
  try {
    requireChangeable(changes, load(stored), { dataDir: dir, options: { 'backup.to': '--option' } })
    requireSecretsAgain(stored, changes)
    refuseInvalid(() => {
      const candidate = load(applyChanges(stored, changes))
      readStartOptions(options, candidate)
      validateConfig(candidate, [])
    }, dir)
  } catch (error) {
    if (error instanceof SettingsRefused) return error.message
    throw error
  }
  throw new Error('The changes are accepted.')
}

const options = parseCommandLine(['start']).options as Parameters<typeof readStartOptions>[0]

const smtp = {
  'auth.email.smtp.host': 'smtp.example.org',
  'auth.email.smtp.admin_email': 'chat@example.org',
  'auth.email.smtp.user': 'linnet',
  'auth.email.smtp.pass': 'secret',
}
const keycloak = {
  'auth.external.keycloak.enabled': true,
  'auth.external.keycloak.client_id': 'linnet',
  'auth.external.keycloak.secret': 'secret',
}

const refusals: [SettingProblem, SettingChanges, StoredSettings?][] = [
  [{ kind: 'size' }, { 'storage.file_size_limit': 'much' }],
  [{ kind: 'range', min: 0, max: 1000 }, { 'backup.keep_days': 1001 }],
  [{ kind: 'range', min: 0, max: 1_000_000 }, { 'settings.mail_max_per_hour': -1 }],
  [{ kind: 'number' }, { 'backup.keep_days': 'seven' }],
  [{ kind: 'number' }, { 'settings.mail_delay_minutes': '1 h' }],
  [{ kind: 'number' }, { 'auth.rate_limit.email_sent': 'many' }],
  [{ kind: 'number' }, { ...smtp, 'auth.email.smtp.port': 'x' }],
  [{ kind: 'time' }, { 'backup.at': 'noon' }],
  [{ kind: 'email' }, { ...smtp, 'auth.email.smtp.admin_email': 'chat' }],
  [{ kind: 'smtp' }, { 'auth.email.smtp.host': 'smtp.example.org' }],
  [{ kind: 'secretAgain' }, { 'auth.email.smtp.host': 'smtp.example.com' }, smtp],
  [{ kind: 'variable' }, { 'auth.email.smtp.sender_name': 'env(LINNET_JWT_SECRET)' }],
  [{ kind: 'url' }, { 'server.public_url': 'chat' }],
  [{ kind: 'fixed', place: '--option' }, { 'backup.to': '/mnt' }],
  [{ kind: 'noMethod' }, { 'auth.email.codes': false, 'auth.email.passwords': false }],
  [{ kind: 'missing', key: 'auth.external.google.client_id' }, { 'auth.external.google.enabled': true }],
  [
    { kind: 'missing', key: 'auth.external.github.secret' },
    { 'auth.external.github.enabled': true, 'auth.external.github.client_id': 'linnet' },
  ],
  [{ kind: 'missing', key: 'auth.external.keycloak.url' }, keycloak],
  [{ kind: 'url' }, { ...keycloak, 'auth.external.keycloak.url': 'keycloak' }],
]

it.each(refusals)('recognizes %j in the sentence of the parser', (problem, changes, stored) => {
  expect(findSettingProblem(refusalOf(changes, stored))).toEqual(problem)
})

it('returns null for a sentence that it does not know', () => {
  expect(findSettingProblem('backup.to has another problem.')).toBeNull()
})
