import { expect, it } from 'vitest'
import { send, claimsOf, unknownId, signIn, tokenOf, type TestUser } from './testUser.ts'
import { createSoftAuthenticator, installAuthenticator, type Faults } from './softAuthenticator.ts'
import type { AuthServer } from './startAuth.ts'

const faults: Record<string, Faults> = {
  'another site': { origin: 'https://evil.example' },
  'another relying party': { rpId: 'evil.example' },
  'another challenge': { challenge: 'bm90aGluZw' },
  'another ceremony type': { type: 'webauthn.create' },
  'a decreasing counter': { counter: 1 },
  'no user presence': { present: false },
  'another signature': { tampered: true },
  'another user handle': { userHandle: Buffer.from(unknownId).toString('base64url') },
  'a changed backup eligibility': { backupEligible: true },
}

/** Tests of WebAuthn factors on the server that `getServer` returns. */
export function testWebAuthnFactors(getServer: () => AuthServer): void {
  it('upgrades a session with an authenticator', async () => {
    const bea = await signIn(getServer())
    const origin = getServer().url.replace('127.0.0.1', 'localhost')
    const unplug = installAuthenticator(createSoftAuthenticator({ origin }))
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
      const again = await signIn(getServer(), bea.email)
      const signed = await again.client.auth.mfa.webauthn.authenticate({
        factorId: factor!.id,
        webauthn: here,
      })
      expect(signed.error).toBeNull()
      expect(claimsOf(await tokenOf(again)).aal).toBe('aal2')
      // The same in single steps.
      const { data: spare } = await webauthn.enroll({ friendlyName: 'Spare' })
      const { data: answered } = await webauthn.challenge({ factorId: spare!.id, webauthn: here })
      const { factorId, challengeId, webauthn: response } = answered!
      const verified = await webauthn.verify({ factorId, challengeId, webauthn: { ...here, ...response } })
      expect(verified.error).toBeNull()
      expect((await bea.client.auth.mfa.listFactors()).data!.webauthn).toHaveLength(2)
    } finally {
      unplug()
    }
  })

  it('rejects faulty responses of an authenticator', async () => {
    const bea = await signIn(getServer())
    const authenticator = createSoftAuthenticator({
      origin: getServer().url.replace('127.0.0.1', 'localhost'),
    })
    const { mfa } = bea.client.auth
    const { data: factor } = await mfa.enroll({ factorType: 'webauthn', friendlyName: 'Key' })
    const path = `/factors/${factor!.id}`
    const begin = async (person: TestUser, of = path) => {
      const { body } = await send(getServer(), person, `${of}/challenge`, { json: {} })
      const { type, credential_options } = body.webauthn as {
        type: string
        credential_options: { publicKey: never }
      }
      return { id: body.id, type, options: credential_options.publicKey }
    }
    const finish = async (person: TestUser, id: unknown, type: string, response: unknown, of = path) => {
      const json = { challenge_id: id, webauthn: { type, credential_response: response } }
      const { status, body } = await send(getServer(), person, `${of}/verify`, { json })
      return [status, body.code]
    }
    const failed = [400, 'webauthn_verification_failed']
    const creation = await begin(bea)
    const pendingCreation = await begin(bea)
    for (const [title, fault] of Object.entries(faults).slice(0, 3)) {
      const response = authenticator.create(creation.options, fault)
      expect([title, ...(await finish(bea, creation.id, 'create', response))]).toEqual([title, ...failed])
    }
    for (const [json, message] of [
      [undefined, /WebAuthn config required/],
      [{ type: 'drop' }, /create or request/],
      [{ type: 'create' }, /credential_response required/],
      [{ type: 'create', credential_response: 7 }, /Invalid credential_response/],
      [{ type: 'create', credential_response: { id: 'x' } }, /Invalid credential_response/],
    ] as const) {
      const { status, body } = await send(getServer(), bea, `${path}/verify`, {
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

    // From here on a second session, of someone who has stolen the password.
    const attacker = await signIn(getServer(), bea.email)
    const request = await begin(attacker)
    expect(request.type).toBe('request')
    const own = key.id
    for (const [title, fault] of Object.entries(faults)) {
      const response = authenticator.get(request.options, { credential: own, ...fault })
      expect([title, ...(await finish(attacker, request.id, 'request', response))]).toEqual([
        title,
        ...failed,
      ])
    }
    const replacement = authenticator.create(pendingCreation.options)
    expect(await finish({ ...attacker, ip: bea.ip }, pendingCreation.id, 'create', replacement)).toEqual(
      failed,
    )
    const fresh = authenticator.create({
      ...(request.options as object),
      rp: { id: 'localhost' },
      user: { id: 'eA' },
    })
    expect(await finish(attacker, request.id, 'create', fresh)).toEqual(failed)
    const attackersAssertion = authenticator.get(request.options, {
      credential: authenticator.keys().at(-1)!,
    })
    expect(await finish(attacker, request.id, 'request', attackersAssertion)).toEqual(failed)
    expect(claimsOf(await tokenOf(attacker)).aal).toBe('aal1')
    const right = authenticator.get(request.options, { credential: own })
    expect(await finish(attacker, request.id, 'request', right)).toEqual([200, undefined])
  })
}
