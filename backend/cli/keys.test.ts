import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createVerifyToken } from '../auth/tokens/createVerifyToken.ts'
import { createSigningKey } from '../auth/tokens/keys.ts'
import { signToken } from '../auth/tokens/signToken.ts'
import { loadConfig } from '../config/loadConfig.ts'
import { createLogger } from '../logging/logger.ts'
import { prepareKeys, type PreparedKeys } from '../startup/prepareKeys.ts'
import { runCommand } from './linnet.ts'

let dir: string
let house: PreparedKeys
const lines: string[] = []
const log = createLogger({ format: 'json', minLevel: 'error', write: (line) => lines.push(line) })
const supabase = () => join(dir, 'supabase')
const dataDir = () => join(dir, 'data')
const start = async (): Promise<PreparedKeys> => {
  const prepared = await prepareKeys(dataDir(), loadConfig(supabase()), log)
  // The tests look themselves.
  prepared.close()
  return prepared
}

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'linnet-keys-'))
  mkdirSync(supabase())
  lines.length = 0
  house = await start()
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(dir, { recursive: true })
})

/** Runs `linnet keys …` on these data; what it says. */
async function keys(...args: string[]): Promise<string> {
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const told = vi.spyOn(console, 'log').mockReturnValue()
  await runCommand(['keys', ...args, '--data', dataDir(), '--supabase', supabase()], dir)
  const said = [out, err, told].flatMap((spy) => spy.mock.calls.map(([text]) => String(text))).join('')
  vi.restoreAllMocks()
  return said
}

const token = (): string =>
  signToken(house.keys, { sub: 'x', role: 'authenticated', exp: Math.floor(Date.now() / 1000) + 600 })
const published = (): (string | undefined)[] => house.keys.jwks.keys.map(({ kid }) => kid)

it('exchanges the key of a house that runs, and ends no token by it', async () => {
  const verify = createVerifyToken(house.keys)
  const first = house.keys.signing.kid
  const before = token()
  expect(await keys('standby')).toMatch(/^Standby: \S+ \(ES256\)/)
  expect(await keys('standby')).toMatch(/There is a standby key already/)
  await house.look()
  expect(published()).toHaveLength(2)
  expect(house.keys.signing.kid).toBe(first)

  expect(await keys('rotate')).toMatch(/^In use: \S+ \(ES256\)/)
  await house.look()
  expect(house.keys.signing.kid).not.toBe(first)
  expect(published()).toContain(first)
  const after = token()
  for (const one of [before, after]) expect(await verify(one)).toMatchObject({ ok: true })
  expect(await keys('list')).toMatch(/^in use {4}ES256 .*\nprevious {2}ES256 .* tokens of it until 20/)

  // The same after a restart.
  house = await start()
  expect(await createVerifyToken(house.keys)(before)).toMatchObject({ ok: true })

  expect(await keys('revoke', first.slice(0, 8))).toBe(
    `Revoked: ${first}. A house that runs takes it up within a second.`,
  )
  await house.look()
  const again = createVerifyToken(house.keys)
  expect(await again(before)).toMatchObject({ ok: false, fault: 'signature' })
  expect(await again(after)).toMatchObject({ ok: true })
  expect(lines).toEqual([])
})

it('keeps no private part of a key that has signed, and lets nobody else read the file', async () => {
  await keys('rotate', '--alg', 'RS256')
  const file = join(dataDir(), 'secrets.json')
  const { previousKeys } = JSON.parse(readFileSync(file, 'utf8')) as { previousKeys: { key: object }[] }
  expect(previousKeys).toHaveLength(1)
  expect(previousKeys[0]!.key).not.toHaveProperty('d')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  await house.look()
  expect(house.keys.signing.alg).toBe('RS256')
})

it('revokes neither the key in use nor one that it can’t tell from others', async () => {
  expect(await keys('revoke', house.keys.signing.kid)).toMatch(/in use/)
  expect(await keys('revoke', 'nothing')).toMatch(/There is no key nothing/)
  for (let i = 0; i < 20; i++) await keys('rotate')
  expect(await keys('revoke', '')).toMatch(/There is no key|Several keys/)
  expect(await createVerifyToken(house.keys)(token())).toMatchObject({ ok: true })
})

it('signs with the file of the project, and keeps the tokens of the house’s own key good', async () => {
  const before = token()
  const own = house.keys.signing.kid
  const [first, second] = [await createSigningKey('ES256'), await createSigningKey('RS256')]
  const file = join(supabase(), 'signing_keys.json')
  writeFileSync(file, JSON.stringify([{ ...first, key_ops: ['verify'] }, second]))
  writeFileSync(join(supabase(), 'config.toml'), '[auth]\nsigning_keys_path = "./signing_keys.json"\n')
  house = await start()
  expect(house.keys.signing.kid).toBe(second.kid)
  expect(published()).toEqual([second.kid, first.kid, own])
  expect(await createVerifyToken(house.keys)(before)).toMatchObject({ ok: true })
  expect(await keys('rotate')).toMatch(/those of .*signing_keys\.json/)
  expect(await keys('list')).toMatch(/^in use {4}RS256 .*signing_keys_path\naccepted {2}ES256/)

  // A file that is half written signs nobody out, and is said once.
  writeFileSync(file, '[{')
  await house.look()
  await house.look()
  expect(house.keys.signing.kid).toBe(second.kid)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/is no JSON/)
  writeFileSync(file, JSON.stringify([first]))
  await house.look()
  expect(house.keys.signing.kid).toBe(first.kid)
})

it('says what is wrong with such a file before anything starts', async () => {
  const file = join(supabase(), 'signing_keys.json')
  writeFileSync(join(supabase(), 'config.toml'), '[auth]\nsigning_keys_path = "./signing_keys.json"\n')
  await expect(start()).rejects.toThrow(/signing_keys_path: .* can't be read \(ENOENT\)/)
  const { d: _, ...open } = await createSigningKey('ES256')
  for (const [content, why] of [
    ['{}', /must hold a list/],
    ['[{}]', /has no "kid" in its key 1/],
    ['[{"kid": "a", "alg": "none"}]', /"alg" other than/],
    [JSON.stringify([open]), /no private key that may sign/],
  ] as const) {
    writeFileSync(file, content)
    await expect(start()).rejects.toThrow(why)
  }
})
