import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose'
import { expect, it } from 'vitest'
import { createLogger } from '../../logging/logger.ts'
import { createKeys, loadKeys } from './keys.ts'
import { createVerifyToken } from './createVerifyToken.ts'
import { signToken } from './signToken.ts'
import { createThirdPartyVerifier } from './createThirdPartyVerifier.ts'

const issuer = { url: 'https://securetoken.example/pond', audience: 'pond' }
const keys = await loadKeys(await createKeys())
const [first, second] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('ES256')])

async function publish(kid: string, key: CryptoKey, more: Partial<JWK> = {}): Promise<JWK> {
  return { ...(await exportJWK(key)), kid, use: 'sig', ...more }
}

/** The other issuer: its published keys can be changed, and its requests are counted. */
async function createIssuer() {
  let time = Date.now()
  const state = {
    published: [await publish('one', first.publicKey)],
    isUnreachable: false,
    fetches: 0,
    lines: [] as string[],
  }
  const fetchJson = async (url: string): Promise<unknown> => {
    state.fetches++
    if (state.isUnreachable) throw new Error('away')
    return url.endsWith('/.well-known/openid-configuration')
      ? { jwks_uri: 'https://keys.example/all' }
      : { keys: state.published }
  }
  const log = createLogger({ format: 'json', minLevel: 'warn', write: (line) => state.lines.push(line) })
  const ours = createVerifyToken(keys)
  const verify = createThirdPartyVerifier(ours, issuer, { fetchJson, log, now: () => time })
  const token = (
    o: { kid?: string; alg?: string; key?: CryptoKey; iss?: string; aud?: string; claims?: object } = {},
  ) =>
    new SignJWT({ role: 'authenticated', ...o.claims })
      .setProtectedHeader({ alg: o.alg ?? 'RS256', ...(o.kid === '' ? {} : { kid: o.kid ?? 'one' }) })
      .setSubject('uid-1')
      .setIssuer(o.iss ?? issuer.url)
      .setAudience(o.aud ?? 'pond')
      .setExpirationTime(Math.floor(time / 1000) + 3600)
      .sign(o.key ?? first.privateKey)
  return { state, verify, token, advance: (ms: number) => void (time += ms) }
}

it('accepts tokens of the other issuer, and ours as before', async () => {
  const { verify, token, state } = await createIssuer()
  const ours = signToken(keys, { sub: 'x', role: 'authenticated', exp: Math.floor(Date.now() / 1000) + 60 })
  expect(await verify(ours)).toMatchObject({ ok: true })
  expect(state.fetches).toBe(0)
  const together = await Promise.all(Array.from({ length: 20 }, async () => verify(await token())))
  expect(together.every((one) => one.ok)).toBe(true)
  expect(together[0]).toMatchObject({ caller: { role: 'authenticated', claims: { sub: 'uid-1' } } })
  // One discovery document and one key set for all of them.
  expect(state.fetches).toBe(2)
  const slash = await token({ iss: `${issuer.url}/` })
  expect(await verify(slash)).toMatchObject({ ok: true })
  const roleless = await token({ claims: { role: undefined } })
  expect(await verify(roleless)).toMatchObject({ ok: true, caller: { role: 'anon' } })
})

it('rejects tokens that the same keys signed for others, and roles that bypass policies', async () => {
  const { verify, token, state } = await createIssuer()
  expect(await verify(await token())).toMatchObject({ ok: true })
  for (const bad of [
    await token({ aud: 'another' }),
    await token({ iss: 'https://securetoken.example/another' }),
    await token({ claims: { role: 'service_role' } }),
    await token({ claims: { role: 'supabase_realtime_admin' } }),
    await token({ claims: { role: 'none' } }),
    await token({ key: (await generateKeyPair('RS256')).privateKey }),
    await token({ kid: '' }),
    await token({ kid: 'one', alg: 'ES256', key: second.privateKey }),
  ]) {
    expect(await verify(bad)).toMatchObject({ ok: false })
  }
  expect(state.fetches).toBe(2)
})

it('fetches keys when a token names an unknown one, at most once per interval', async () => {
  const { verify, token, state, advance } = await createIssuer()
  expect(await verify(await token())).toMatchObject({ ok: true })
  state.published = [
    await publish('two', second.publicKey),
    await publish('odd', second.publicKey, { x: '!' }),
  ]
  const renewed = await token({ kid: 'two', alg: 'ES256', key: second.privateKey })
  for (let i = 0; i < 5; i++) expect(await verify(renewed)).toMatchObject({ ok: false, fault: 'signature' })
  expect(state.fetches).toBe(2)
  advance(31_000)
  expect(await verify(renewed)).toMatchObject({ ok: true })
  expect(state.fetches).toBe(4)
  expect(await verify(await token())).toMatchObject({ ok: false })
})

it('keeps the known keys while the other issuer is unreachable', async () => {
  const { verify, token, state, advance } = await createIssuer()
  expect(await verify(await token())).toMatchObject({ ok: true })
  state.isUnreachable = true
  advance(601_000)
  expect(await verify(await token())).toMatchObject({ ok: true })
  expect(state.lines).toHaveLength(1)
  expect(await verify(await token({ kid: 'two' }))).toMatchObject({ ok: false })
})
