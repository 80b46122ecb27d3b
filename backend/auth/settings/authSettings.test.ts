import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ConfigError, loadConfig } from '../../config/loadConfig.ts'
import { readAuthSettings } from './authSettings.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'linnet-settings-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

function read(toml: string) {
  writeFileSync(join(dir, 'config.toml'), toml)
  return readAuthSettings(loadConfig(dir))
}

it("has GoTrue's defaults", () => {
  expect(read('')).toMatchObject({
    jwtExpiry: 3600,
    signupEnabled: true,
    anonymousEnabled: false,
    sessions: { rotation: true, reuseInterval: 10_000, timebox: 0, singlePerUser: false, tags: [] },
    password: { minimumLength: 6, required: [] },
    email: { autoconfirm: true, cooldownMs: 1000, otpLength: 6, otpExpiry: 3_600_000 },
    limits: { emailPerHour: null, tokenPer5Minutes: 150, signInPer5Minutes: 30, verifyPer5Minutes: 30 },
    hooks: { before_user_created: null, custom_access_token: null },
    smtp: null,
  })
})

it('disables email by its current key and by the one used until 2026', () => {
  expect(read('').email.enabled).toBe(true)
  expect(read('[auth.email]\nenabled = false').email.enabled).toBe(false)
  expect(read('[auth.email]\nenable_signup = false').email.enabled).toBe(false)
})

it('reads values from the file', () => {
  const settings = read(`
[auth]
jwt_expiry = 600
password_requirements = "letters_digits"
[auth.email]
max_frequency = "1m30s"
[auth.email.smtp]
host = "smtp.example.com"
port = 465
admin_email = "chat@example.com"
[auth.hook.before_user_created]
enabled = true
uri = "pg-functions://postgres/app/gate"
`)
  expect(settings).toMatchObject({
    jwtExpiry: 600,
    email: { cooldownMs: 90_000 },
    limits: { emailPerHour: 2 },
    hooks: { before_user_created: { kind: 'function', sqlName: '"app"."gate"' } },
    smtp: { host: 'smtp.example.com', port: 465, from: { address: 'chat@example.com' } },
  })
  expect(settings.password.required).toHaveLength(2)
})

it.each([
  '[auth]\njwt_expiry = 1',
  '[auth]\njwt_expiry = "1h"',
  '[auth]\npassword_requirements = "very strong"',
  '[auth]\nminimum_password_length = 100',
  '[auth.email]\nmax_frequency = "soon"',
  '[auth.email.smtp]\nenabled = true',
  '[auth.email.smtp]\nhost = "smtp.example.com"\nadmin_email = "Chat <chat@example.com>"',
  '[auth.email.smtp]\nhost = "smtp.example.com"\nadmin_email = "chat@example.com"\nport = 0',
  '[auth.rate_limit]\ntoken_refresh = 1.5',
  '[auth.hook.custom_access_token]\nenabled = true\nuri = "pg-functions://postgres/public/f(); drop table x"',
])('rejects %s', (toml) => {
  expect(() => read(toml)).toThrow(ConfigError)
})
