import { expect, it } from 'vitest'
import { ask, claimsOf, nobody, signIn, tokenOf, type Person } from './person.ts'
import { createSoftAuthenticator, plugIn, type Faults } from './softAuthenticator.ts'
import type { AuthServer } from './startAuth.ts'

const faults: Record<string, Faults> = {
  'another site': { origin: 'https://evil.example' },
  'another party': { rpId: 'evil.example' },
  'an answer to something else': { challenge: 'bm90aGluZw' },
  'an answer of the other kind': { type: 'webauthn.create' },
  'a counter that goes back': { counter: 1 },
  'nobody present': { present: false },
  'another signature': { tampered: true },
  'another person': { userHandle: Buffer.from(nobody).toString('base64url') },
  'a key that may be copied now': { backupEligible: true },
}

/** What a second factor that is an authenticator must hold to; `stage` serves it. */
export function testKeyFactors(stage: () => AuthServer): void {
  it('raises a session by an authenticator', async () => {
    const bea = await signIn(stage())
    const origin = stage().url.replace('127.0.0.1', 'localhost')
    const unplug = plugIn(createSoftAuthenticator({ origin }))
    try {
      const { webauthn } = bea.client.auth.mfa
      const here = { rpId: 'localhost', rpOrigins: [origin] }
      const made = await webauthn.register({ friendlyName: 'Key', webauthn: here })
      expect(made.error).toBeNull()
      expect(claimsOf(await tokenOf(bea))).toMatchObject({
        aal: 'aal2',
        amr: [{ method: 'mfa/webauthn' }, { method: 'otp' }],
      })
      const [factor] = (await bea.client.auth.mfa.listFactors()).data!.webauthn
      const again = await signIn(stage(), bea.email)
      const signed = await again.client.auth.mfa.webauthn.authenticate({
        factorId: factor!.id,
        webauthn: here,
      })
      expect(signed.error).toBeNull()
      expect(claimsOf(await tokenOf(again)).aal).toBe('aal2')
      // The same a step at a time.
      const { data: spare } = await webauthn.enroll({ friendlyName: 'Spare' })
      const { data: answered } = await webauthn.challenge({ factorId: spare!.id, webauthn: here })
      const { factorId, challengeId, webauthn: answer } = answered!
      const verified = await webauthn.verify({ factorId, challengeId, webauthn: { ...here, ...answer } })
      expect(verified.error).toBeNull()
      expect((await bea.client.auth.mfa.listFactors()).data!.webauthn).toHaveLength(2)
    } finally {
      unplug()
    }
  })

  it('takes no faulty answer of an authenticator', async () => {
    const bea = await signIn(stage())
    const authenticator = createSoftAuthenticator({ origin: stage().url.replace('127.0.0.1', 'localhost') })
    const { mfa } = bea.client.auth
    const { data: factor } = await mfa.enroll({ factorType: 'webauthn', friendlyName: 'Key' })
    const path = `/factors/${factor!.id}`
    const begin = async (person: Person, of = path) => {
      const { body } = await ask(stage(), person, `${of}/challenge`, { json: {} })
      const { type, credential_options } = body.webauthn as {
        type: string
        credential_options: { publicKey: never }
      }
      return { id: body.id, type, options: credential_options.publicKey }
    }
    const finish = async (person: Person, id: unknown, type: string, response: unknown, of = path) => {
      const json = { challenge_id: id, webauthn: { type, credential_response: response } }
      const { status, body } = await ask(stage(), person, `${of}/verify`, { json })
      return [status, body.code]
    }
    const failed = [400, 'webauthn_verification_failed']
    const creation = await begin(bea)
    const left = await begin(bea)
    for (const [title, fault] of Object.entries(faults).slice(0, 3)) {
      const answer = authenticator.create(creation.options, fault)
      expect([title, ...(await finish(bea, creation.id, 'create', answer))]).toEqual([title, ...failed])
    }
    for (const [json, message] of [
      [undefined, /WebAuthn config required/],
      [{ type: 'drop' }, /create or request/],
      [{ type: 'create' }, /credential_response required/],
      [{ type: 'create', credential_response: 7 }, /Invalid credential_response/],
      [{ type: 'create', credential_response: { id: 'x' } }, /Invalid credential_response/],
    ] as const) {
      const { status, body } = await ask(stage(), bea, `${path}/verify`, {
        json: { challenge_id: creation.id, webauthn: json },
      })
      expect([status, body.code, body.message]).toEqual([
        400,
        'validation_failed',
        expect.stringMatching(message),
      ])
    }
    const key = authenticator.create(creation.options)
    expect(await finish(bea, creation.id, 'create', key)).toEqual([200, undefined])
    expect(await finish(bea, creation.id, 'create', key)).toEqual([422, 'mfa_factor_not_found'])

    // From here on a second session, as a thief of the password would have it.
    const thief = await signIn(stage(), bea.email)
    const request = await begin(thief)
    expect(request.type).toBe('request')
    const own = key.id
    for (const [title, fault] of Object.entries(faults)) {
      const answer = authenticator.get(request.options, { credential: own, ...fault })
      expect([title, ...(await finish(thief, request.id, 'request', answer))]).toEqual([title, ...failed])
    }
    const replacement = authenticator.create(left.options)
    expect(await finish({ ...thief, ip: bea.ip }, left.id, 'create', replacement)).toEqual(failed)
    const fresh = authenticator.create({
      ...(request.options as object),
      rp: { id: 'localhost' },
      user: { id: 'eA' },
    })
    expect(await finish(thief, request.id, 'create', fresh)).toEqual(failed)
    const thiefs = authenticator.get(request.options, { credential: authenticator.keys().at(-1)! })
    expect(await finish(thief, request.id, 'request', thiefs)).toEqual(failed)
    expect(claimsOf(await tokenOf(thief)).aal).toBe('aal1')
    const right = authenticator.get(request.options, { credential: own })
    expect(await finish(thief, request.id, 'request', right)).toEqual([200, undefined])
  })
}
