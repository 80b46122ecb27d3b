import { existsSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ConfigError, loadConfig } from '../config/loadConfig.ts'
import { createLogger } from '../logging/logger.ts'
import { SignJWT } from 'jose'
import { createApiKeyVerifier } from '../auth/tokens/createApiKeyVerifier.ts'
import { createSigningKey } from '../auth/tokens/keys.ts'
import { createKeyring } from '../gateway/createKeyring.ts'
import { prepareKeys, type PreparedKeys } from './prepareKeys.ts'
import { warnOfPublicKeys } from './warnOfPublicKeys.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'linnet-keys-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

test('keeps the keys in use while the key file cannot be read, and reloads it afterwards', async () => {
  const lines: string[] = []
  const log = createLogger({ format: 'text', minLevel: 'info', write: (line) => lines.push(line) })
  const prepared = await prepareKeys(dataDir, loadConfig(dataDir), log)
  prepared.close()
  const { kid } = prepared.keys.signing
  const file = join(dataDir, 'secrets.json')
  renameSync(file, `${file}.aside`)
  // Reading fails like a directory without permission, also for root.
  symlinkSync(file, file)
  await prepared.reload()
  await prepared.reload()
  expect(lines.filter((line) => line.includes('auth.signing_keys_reload_failed'))).toHaveLength(1)
  expect(prepared.keys.signing.kid).toBe(kid)
  // A start fails with a sentence. Neither replaces the file.
  await expect(prepareKeys(dataDir, loadConfig(dataDir), log)).rejects.toThrow(
    new ConfigError(`${file} can't be read (ELOOP).`),
  )
  rmSync(file)
  await prepared.reload()
  expect(existsSync(file)).toBe(false)
  renameSync(`${file}.aside`, file)
  await prepared.reload()
  expect(lines.at(-1)).toContain('auth.signing_keys_reloaded')
  expect(prepared.keys.signing.kid).toBe(kid)
})

const warnings: string[] = []
const quiet = createLogger({ format: 'text', minLevel: 'error', write() {} })

async function prepare(toml: string): Promise<{ prepared: PreparedKeys; roleOf(key: string): string }> {
  writeFileSync(join(dataDir, 'config.toml'), toml)
  const prepared = await prepareKeys(dataDir, loadConfig(dataDir), quiet)
  prepared.close()
  const log = createLogger({ format: 'text', minLevel: 'warn', write: (line) => warnings.push(line) })
  const verifyKey = warnOfPublicKeys(createApiKeyVerifier(prepared.keys), log)
  const keyring = createKeyring(prepared.apiKeys, verifyKey)
  return {
    prepared,
    roleOf(key) {
      const access = keyring.authenticate({ headers: { apikey: key }, url: '/' } as never, { keyless: false })
      return 'status' in access ? access.body.message! : access.apiCaller.role
    },
  }
}

const sign = (secret: string, claims: object, header: object = {}): Promise<string> =>
  new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'HS256', ...header })
    .sign(new TextEncoder().encode(secret))

const cliSecret = 'super-secret-jwt-token-with-at-least-32-characters-long'
const cliKeys = [
  'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH',
  'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz',
]
const demo = { iss: 'supabase-demo', exp: 1_983_812_996 }

test("the keys of the official CLI are accepted with the CLI's secret only", async () => {
  const legacy = [
    await sign(cliSecret, { ...demo, role: 'anon' }),
    await sign(cliSecret, { ...demo, role: 'service_role' }),
  ]
  const byDefault = await prepare('')
  expect([...cliKeys, ...legacy].map(byDefault.roleOf)).toEqual(Array(4).fill('Invalid API key'))
  expect(byDefault.roleOf(byDefault.prepared.apiKeys.publishableKey)).toBe('anon')
  const { roleOf } = await prepare(`[auth]\njwt_secret = "${cliSecret}"`)
  expect([...cliKeys, ...legacy].map(roleOf)).toEqual(['anon', 'service_role', 'anon', 'service_role'])
  for (const claims of [
    { ...demo, role: 'authenticated' },
    { ...demo, role: 'postgres' },
    { ...demo, role: 'service_role', sub: 'b2f0' },
    { role: 'anon', exp: 1 },
  ]) {
    expect([claims, roleOf(await sign(cliSecret, claims))]).toEqual([claims, 'Invalid API key'])
  }
  expect(roleOf(await sign('x'.repeat(40), { ...demo, role: 'anon' }))).toBe('Invalid API key')
  for (const wrong of ['a.b.c', `${legacy[0]}x`, legacy[0]!.slice(0, -40), `${legacy[0]}.x`, 'null.null.x'])
    expect([wrong, roleOf(wrong)]).toEqual([wrong, 'Invalid API key'])
})

test('a refused key of the official CLI is explained in the log, and another wrong key is not', async () => {
  const keys = [...cliKeys, await sign(cliSecret, { ...demo, role: 'anon' })]
  for (const key of keys) {
    warnings.length = 0
    const { roleOf } = await prepare('')
    for (const wrong of ['sb_publishable_other', 'a.b.c', await sign('x'.repeat(40), { role: 'anon' })])
      roleOf(wrong)
    expect(warnings).toEqual([])
    roleOf(key)
    expect(warnings.join()).toMatch(/auth\.public_key_refused .*linnet status -o env.*jwt_secret/)
    expect(warnings.join()).not.toContain(key)
  }
})

test('the keys in [auth] of config.toml are used', async () => {
  const anon = await sign('y'.repeat(40), { role: 'anon' })
  const { prepared, roleOf } = await prepare(`[auth]
jwt_secret = "${'z'.repeat(40)}"
publishable_key = "sb_publishable_of_this_project_1"
secret_key = "sb_secret_of_this_project_1"
anon_key = "${anon}"
service_role_key = "env(LINNET_TEST_UNSET)"
`)
  expect(prepared.secrets.jwtSecret).toBe('z'.repeat(40))
  expect(['sb_publishable_of_this_project_1', 'sb_secret_of_this_project_1', anon].map(roleOf)).toEqual([
    'anon',
    'service_role',
    'anon',
  ])
  expect(roleOf(await sign('z'.repeat(40), { role: 'service_role' }))).toBe('service_role')
  for (const [key, value] of [
    ['jwt_secret', 'short'],
    ['publishable_key', 'sb_secret_of_this_project_1'],
    ['secret_key', 'mine'],
    ['anon_key', 'not.a.jwt'],
    ['service_role_key', anon],
  ] as const) {
    const starting = prepare(`[auth]\n${key} = "${value}"`)
    await expect(starting).rejects.toBeInstanceOf(ConfigError)
    await expect(starting).rejects.toThrow(`auth.${key} must`)
    await expect(starting).rejects.not.toThrow(value)
  }
})

test.each(['ES256', 'RS256', 'HS256'] as const)(
  'API keys signed by the first key of signing_keys_path are accepted: %s',
  async (alg) => {
    const jwk = await createSigningKey(alg)
    writeFileSync(join(dataDir, 'signing_keys.json'), JSON.stringify([jwk]))
    const { prepared, roleOf } = await prepare('[auth]\nsigning_keys_path = "./signing_keys.json"')
    const key = (role: string, head: object = {}): Promise<string> =>
      new SignJWT({ ...demo, role })
        .setProtectedHeader({ alg, kid: jwk.kid, ...head })
        .sign(prepared.keys.signing.key)
    expect([await key('anon'), await key('service_role')].map(roleOf)).toEqual(['anon', 'service_role'])
    expect(roleOf(await key('authenticated'))).toBe('Invalid API key')
    expect(roleOf(await key('anon', { kid: 'another' }))).toBe('Invalid API key')
    // A public key is no shared secret.
    const forged = await sign(JSON.stringify(prepared.keys.jwks), { role: 'anon' }, { kid: jwk.kid })
    expect(roleOf(forged)).toBe('Invalid API key')
  },
)
