import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createVerifyToken } from './createVerifyToken.ts'
import { createKeys, createSigningKey, issueLegacyKey, loadKeys } from './keys.ts'
import { signToken } from './signToken.ts'

const stored = await createKeys({ jwtSecret: 'a secret of at least thirty-two letters' })
const keys = await loadKeys(stored)
const now = Math.floor(Date.now() / 1000)

describe('verifyToken', () => {
  it('returns the caller of our tokens', async () => {
    const token = signToken(keys, { sub: 'x', role: 'authenticated', exp: now + 60 })
    expect(await createVerifyToken(keys)(token)).toEqual({
      ok: true,
      caller: {
        role: 'authenticated',
        claims: { sub: 'x', role: 'authenticated', exp: now + 60 },
        claimsJson: JSON.stringify({ sub: 'x', role: 'authenticated', exp: now + 60 }),
      },
    })
    const legacy = await createVerifyToken(keys)(issueLegacyKey(stored.jwtSecret, 'service_role'))
    expect(legacy).toMatchObject({ ok: true, caller: { role: 'service_role' } })
    const roleless = await createVerifyToken(keys)(signToken(keys, { sub: 'x', exp: now + 60 }))
    expect(roleless).toMatchObject({ ok: true, caller: { role: 'anon' } })
    // PostgreSQL receives the role with the claims.
    expect(roleless.ok && JSON.parse(roleless.caller.claimsJson)).toMatchObject({ role: 'anon' })
  })

  it('caches a verified token until it expires', async () => {
    let time = Date.now()
    const verify = createVerifyToken(keys, { now: () => time })
    const token = signToken(keys, { role: 'authenticated', exp: now + 60 })
    const first = await verify(token)
    expect(await verify(token)).toBe(first)
    time += 61_000
    expect(await verify(token)).toMatchObject({ ok: false, fault: 'expired' })
  })

  it('caches no more tokens than its capacity', async () => {
    const verify = createVerifyToken(keys, { capacity: 2 })
    const tokens = Array.from({ length: 5 }, (_, i) => signToken(keys, { sub: String(i), exp: now + 60 }))
    const first = []
    for (const token of tokens) first.push(await verify(token))
    expect(await verify(tokens[4]!)).toBe(first[4])
    const again = await verify(tokens[0]!)
    expect(again).not.toBe(first[0])
    expect(again).toEqual(first[0])
  })

  it('accepts the previous key, and RS256 of a published key', async () => {
    const previous = await createKeys()
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const rsa = {
      ...(publicKey.export({ format: 'jwk' }) as { kty: string; n: string; e: string }),
      kid: 'rsa',
      alg: 'RS256',
    }
    const rotated = await loadKeys({ ...stored, previousKeys: [previous.signingKey, rsa] })
    expect(rotated.jwks.keys).toHaveLength(3)
    expect(JSON.stringify(rotated.jwks)).not.toContain('"d"')
    const old = signToken(await loadKeys(previous), { sub: 'x', exp: now + 60 })
    expect(await createVerifyToken(rotated)(old)).toMatchObject({ ok: true })
    expect(await createVerifyToken(keys)(old)).toMatchObject({ ok: false, fault: 'signature' })
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    const signed = `${part({ alg: 'RS256', kid: 'rsa' })}.${part({ sub: 'x', exp: now + 60 })}`
    const byRsa = `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`
    expect(await createVerifyToken(rotated)(byRsa)).toMatchObject({ ok: true })
  })

  it('returns why it rejects a token', async () => {
    const verify = createVerifyToken(keys)
    const good = signToken(keys, { sub: 'x', exp: now + 60 })
    const cases: [string, string][] = [
      ['', 'malformed'],
      ['not a token', 'malformed'],
      [`${good.slice(0, -4)}AAAA`, 'signature'],
      [signToken(keys, { exp: now - 5 }), 'expired'],
      [signToken(keys, { exp: now + 60, nbf: now + 30 }), 'not-yet-valid'],
      [issueLegacyKey('another secret of thirty-two letters', 'service_role'), 'signature'],
      ['x'.repeat(70_000), 'malformed'],
    ]
    for (const [token, fault] of cases) expect(await verify(token)).toMatchObject({ ok: false, fault })
  })
})

describe('keys', () => {
  it.each(['ES256', 'RS256', 'HS256'] as const)('sign with %s, and publish no secret', async (alg) => {
    const own = await loadKeys({ ...stored, signingKey: await createSigningKey(alg) })
    const token = signToken(own, { sub: 'x', role: 'authenticated', exp: now + 60 })
    expect(JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString())).toMatchObject({ alg })
    expect(await createVerifyToken(own)(token)).toMatchObject({ ok: true })
    expect(await createVerifyToken(keys)(token)).toMatchObject({ ok: false, fault: 'signature' })
    expect(own.jwks.keys).toHaveLength(alg === 'HS256' ? 0 : 1)
    expect(JSON.stringify(own.jwks)).not.toMatch(/"(d|k|p|q|dp|dq|qi)":/)
  })

  it('can be replaced at run time: the previous key stays valid, a revoked one does not', async () => {
    const live = await loadKeys(stored)
    const verify = createVerifyToken(live)
    const token = signToken(live, { sub: 'x', exp: now + 60 })
    const standbyKey = await createSigningKey('ES256')
    Object.assign(live, await loadKeys({ ...stored, standbyKey }))
    expect(live.jwks.keys.map((key) => key.kid)).toEqual([stored.signingKey.kid, standbyKey.kid])
    expect(await verify(token)).toMatchObject({ ok: true })
    Object.assign(
      live,
      await loadKeys({ ...stored, signingKey: standbyKey, previousKeys: [stored.signingKey] }),
    )
    expect(await verify(token)).toMatchObject({ ok: true })
    const next = signToken(live, { sub: 'x', exp: now + 60 })
    expect(await verify(next)).toMatchObject({ ok: true })
    Object.assign(live, await loadKeys({ ...stored, signingKey: standbyKey }))
    expect(await verify(token)).toMatchObject({ ok: false, fault: 'signature' })
    expect(await verify(next)).toMatchObject({ ok: true })
  })

  it('are valid for their own algorithm only', async () => {
    const published = Buffer.from(JSON.stringify(keys.jwks.keys[0]))
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    const signed = `${part({ alg: 'HS256', kid: stored.signingKey.kid })}.${part({ role: 'service_role', exp: now + 60 })}`
    const forged = `${signed}.${createHmac('sha256', published).update(signed).digest('base64url')}`
    expect(await createVerifyToken(keys)(forged)).toMatchObject({ ok: false, fault: 'signature' })
  })

  it('create the same legacy key from the same secret', () => {
    expect(issueLegacyKey('s', 'anon')).toBe(issueLegacyKey('s', 'anon'))
    expect(issueLegacyKey('s', 'anon')).not.toBe(issueLegacyKey('t', 'anon'))
  })
  it('survive being stored as JSON', async () => {
    const again = await loadKeys(JSON.parse(JSON.stringify(stored)) as typeof stored)
    const token = signToken(again, { sub: 'x', exp: now + 60 })
    expect(await createVerifyToken(keys)(token)).toMatchObject({ ok: true })
  })
})
