import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { knownKeys } from '../config/knownKeys.ts'
import { loadConfig } from '../config/loadConfig.ts'
import { readFixedSettings } from './fixedSettings.ts'

let dir = ''
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'linnet-fixed-'))))
afterEach(() => rmSync(dir, { recursive: true }))

function read(toml: string): Record<string, unknown> {
  writeFileSync(join(dir, 'linnet.toml'), toml)
  return readFixedSettings(loadConfig('/nowhere', dir))
}

it('reads each known setting, and nothing without the section', () => {
  const samples: Record<string, string> = {
    'settings.mail_language': '"de"',
    'settings.mail_off_until': '"infinity"',
    'settings.push_contact': '"mailto:a@example.org"',
    'settings.push_endpoints': '"^https://push[.]example/"',
    'settings.outgoing_webhook_urls': '"^https://"',
    'settings.mail_text': 'false',
    'settings.push_allowed': '["10.0.0.0/8"]',
  }
  const keys = Object.keys(knownKeys).filter((key) => key.startsWith('settings.'))
  const rows = read(keys.map((key) => `${key} = ${samples[key] ?? 5}\n`).join(''))
  expect(Object.keys(rows).toSorted()).toEqual([...new Set(keys.map((key) => key.split('.')[1]!))].toSorted())
  expect(rows).toMatchObject({
    mail_delay_minutes: 5,
    mail_text: false,
    push_allowed: ['10.0.0.0/8'],
    rate_limits: { message: { per_minute: 5, burst: 5 } },
  })
  expect(read('')).toEqual({})
})

it.each([
  ['mail_delay_minutes = -1', 'line 2: settings.mail_delay_minutes must be a whole number from 0'],
  ['search_segments = 1.5', 'line 2: settings.search_segments must be a whole number from 1'],
  ['mail_language = "fr"', 'line 2: settings.mail_language must be "en" or "de"'],
  ['mail_off_until = "tomorrow"', 'line 2: settings.mail_off_until must be "infinity"'],
  ['push_contact = "admin@example.org"', 'line 2: settings.push_contact must be an address such as "mailto:'],
  [
    'push_allowed = ["10.0.0.0/99"]',
    'line 2: settings.push_allowed contains "10.0.0.0/99", whose prefix length is not 0 to 32.',
  ],
  ['[settings.rate_limits.message]\nburst = 5', 'line 2: settings.rate_limits.message needs per_minute'],
  [
    'rate_limits.message = { per_minute = 0, burst = 5 }',
    'line 2: settings.rate_limits.message.per_minute must',
  ],
])('refuses %j', (line, problem) => {
  expect(() => read(`[settings]\n${line}`)).toThrow(`${join(dir, 'linnet.toml')}, ${problem}`)
})
