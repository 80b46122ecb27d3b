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
let server: PreparedKeys
const lines: string[] = []
const log = createLogger({ format: 'json', minLevel: 'error', write: (line) => lines.push(line) })
const supabase = () => join(dir, 'supabase')
const dataDir = () => join(dir, 'data')
const start = async (): Promise<PreparedKeys> => {
  const prepared = await prepareKeys(dataDir(), loadConfig(supabase()), log)
  // The tests call reload themselves.
  prepared.close()
  return prepared
}

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'linnet-keys-'))
  mkdirSync(supabase())
  lines.length = 0
  server = await start()
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(dir, { recursive: true })
})

/** Runs `linnet keys …` on the data directory and returns its output. */
async function keys(...args: string[]): Promise<string> {
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const printed = vi.spyOn(console, 'log').mockReturnValue()
  await runCommand(['keys', ...args, '--data', dataDir(), '--supabase', supabase()], dir)
  const output = [out, err, printed].flatMap((spy) => spy.mock.calls.map(([text]) => String(text))).join('')
  vi.restoreAllMocks()
  return output
}

const token = (): string =>
  signToken(server.keys, { sub: 'x', role: 'authenticated', exp: Math.floor(Date.now() / 1000) + 600 })
const published = (): (string | undefined)[] => server.keys.jwks.keys.map(({ kid }) => kid)

it('rotates the key of a running server without invalidating tokens', async () => {
  const verify = createVerifyToken(server.keys)
  const first = server.keys.signing.kid
  const before = token()
  expect(await keys('standby')).toMatch(/^Standby: \S+ \(ES256\)/)
  expect(await keys('standby')).toMatch(/There already is a standby key/)
  await server.reload()
  expect(published()).toHaveLength(2)
  expect(server.keys.signing.kid).toBe(first)

  expect(await keys('rotate')).toMatch(/^In use: \S+ \(ES256\)/)
  await server.reload()
  expect(server.keys.signing.kid).not.toBe(first)
  expect(published()).toContain(first)
  const after = token()
  for (const one of [before, after]) expect(await verify(one)).toMatchObject({ ok: true })
  expect(await keys('list')).toMatch(
    /^in use {4}ES256 .*\nprevious {2}ES256 .* its tokens are valid until 20/,
  )

  // The same after a restart.
  server = await start()
  expect(await createVerifyToken(server.keys)(before)).toMatchObject({ ok: true })

  expect(await keys('revoke', first.slice(0, 8))).toBe(
    `Revoked: ${first}. A running server applies this within a second.`,
  )
  await server.reload()
  const again = createVerifyToken(server.keys)
  expect(await again(before)).toMatchObject({ ok: false, fault: 'signature' })
  expect(await again(after)).toMatchObject({ ok: true })
  expect(lines).toEqual([])
})

it('deletes the private part of a retired key, and makes the file readable for its owner only', async () => {
  await keys('rotate', '--alg', 'RS256')
  const file = join(dataDir(), 'secrets.json')
  const { previousKeys } = JSON.parse(readFileSync(file, 'utf8')) as { previousKeys: { key: object }[] }
  expect(previousKeys).toHaveLength(1)
  expect(previousKeys[0]!.key).not.toHaveProperty('d')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  await server.reload()
  expect(server.keys.signing.alg).toBe('RS256')
})

it('refuses to revoke the key in use or an ambiguous prefix', async () => {
  expect(await keys('revoke', server.keys.signing.kid)).toMatch(/in use/)
  expect(await keys('revoke', 'nothing')).toMatch(/There is no key nothing/)
  for (let i = 0; i < 20; i++) await keys('rotate')
  expect(await keys('revoke', '')).toMatch(/There is no key|Several keys/)
  expect(await createVerifyToken(server.keys)(token())).toMatchObject({ ok: true })
})

it("signs with the key file of the project and still accepts tokens of the server's own key", async () => {
  const before = token()
  const own = server.keys.signing.kid
  const [first, second] = [await createSigningKey('ES256'), await createSigningKey('RS256')]
  const file = join(supabase(), 'signing_keys.json')
  writeFileSync(file, JSON.stringify([{ ...first, key_ops: ['verify'] }, second]))
  writeFileSync(join(supabase(), 'config.toml'), '[auth]\nsigning_keys_path = "./signing_keys.json"\n')
  server = await start()
  expect(server.keys.signing.kid).toBe(second.kid)
  expect(published()).toEqual([second.kid, first.kid, own])
  expect(await createVerifyToken(server.keys)(before)).toMatchObject({ ok: true })
  expect(await keys('rotate')).toMatch(/uses the keys in .*signing_keys\.json/)
  expect(await keys('list')).toMatch(/^in use {4}RS256 .*signing_keys_path\naccepted {2}ES256/)

  // An incompletely written file leaves the keys in use, and is logged once.
  writeFileSync(file, '[{')
  await server.reload()
  await server.reload()
  expect(server.keys.signing.kid).toBe(second.kid)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/is not JSON/)
  writeFileSync(file, JSON.stringify([first]))
  await server.reload()
  expect(server.keys.signing.kid).toBe(first.kid)
})

it('reports an invalid key file before anything starts', async () => {
  const file = join(supabase(), 'signing_keys.json')
  writeFileSync(join(supabase(), 'config.toml'), '[auth]\nsigning_keys_path = "./signing_keys.json"\n')
  await expect(start()).rejects.toThrow(
    /config\.toml, line 2: .*signing_keys_path names .*, which can't be read \(ENOENT\)\.$/,
  )
  const { d: _, ...open } = await createSigningKey('ES256')
  for (const [content, why] of [
    ['{}', /must contain a list/],
    ['[{}]', /has no "kid" in its key 1/],
    ['[{"kid": "a", "alg": "none"}]', /"alg" other than/],
    [JSON.stringify([open]), /no private key that can sign/],
  ] as const) {
    writeFileSync(file, content)
    await expect(start()).rejects.toThrow(why)
  }
})
