import { errors, exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose'
import { expect, test } from 'vitest'
import { createIssuers } from './createIssuers.ts'
import { OutboundError } from '../../../runtime/outbound/sendOutbound.ts'
import type { Outbound } from '../createOutbound.ts'

const issuer = 'https://id.example'
const [first, second] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')])
const publish = async (key: CryptoKey, kid?: string): Promise<JWK> => ({
  ...(await exportJWK(key)),
  ...(kid === undefined ? {} : { kid }),
})

/** An issuer whose published keys can be changed; counts how often they are fetched. */
function createIssuer(published: JWK[]) {
  let time = Date.now()
  const state = { published, isUnreachable: false, fetched: 0 }
  const outbound: Outbound = {
    resolve: async () => [],
    async send(url) {
      if (state.isUnreachable) throw new OutboundError('away')
      const isKeys = url.endsWith('/keys')
      if (isKeys) state.fetched++
      const response = isKeys ? { keys: state.published } : { issuer, jwks_uri: `${issuer}/keys` }
      return { status: 200, contentType: 'application/json', text: JSON.stringify(response) }
    },
  }
  const issuers = createIssuers(outbound, () => time)
  const sign = (key: CryptoKey, kid?: string): Promise<string> =>
    new SignJWT({})
      .setProtectedHeader({ alg: 'RS256', ...(kid === undefined ? {} : { kid }) })
      .setIssuer(issuer)
      .setExpirationTime(Math.floor(time / 1000) + 3600)
      .sign(key)
  const verify = (token: string) => issuers.verify(token, { issuer, audiences: null })
  return { state, sign, verify, advance: (ms: number) => void (time += ms) }
}

test('a revoked key of an issuer is accepted for ten minutes at most', async () => {
  const { state, sign, verify, advance } = createIssuer([await publish(first.publicKey, 'one')])
  await verify(await sign(first.privateKey, 'one'))
  state.published = [await publish(second.publicKey, 'two')]
  await verify(await sign(first.privateKey, 'one'))
  advance(600_000)
  await expect(verify(await sign(first.privateKey, 'one'))).rejects.toThrow(errors.JWKSNoMatchingKey)
  await verify(await sign(second.privateKey, 'two'))
})

test('the keys of an issuer that rotates keys without a kid are fetched again, at most every 30 seconds', async () => {
  const { state, sign, verify, advance } = createIssuer([await publish(first.publicKey)])
  await verify(await sign(first.privateKey))
  state.published = [await publish(first.publicKey), await publish(second.publicKey)]
  const renewed = await sign(second.privateKey)
  for (let i = 0; i < 3; i++)
    await expect(verify(renewed)).rejects.toThrow(errors.JWSSignatureVerificationFailed)
  expect(state.fetched).toBe(1)
  advance(30_000)
  await verify(renewed)
  await verify(await sign(first.privateKey))
  expect(state.fetched).toBe(2)
})

test('tokens of an unreachable issuer are still verified', async () => {
  const { state, sign, verify, advance } = createIssuer([await publish(first.publicKey, 'one')])
  await verify(await sign(first.privateKey, 'one'))
  state.isUnreachable = true
  advance(600_000)
  expect(await verify(await sign(first.privateKey, 'one'))).toMatchObject({ iss: issuer })
})
