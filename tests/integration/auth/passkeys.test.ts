import { afterAll, beforeAll, expect, it } from 'vitest'
import { sweepChallenges } from '../../../backend/auth/passkeys/passkeyChallenge.ts'
import { send, claimsOf, unknownId, signIn, tokenOf, type TestUser } from './support/testUser.ts'
import {
  createSoftAuthenticator,
  installAuthenticator,
  type AuthenticatorResponse,
  type Faults,
  type SoftAuthenticator,
} from './support/softAuthenticator.ts'
import { startAuth, startDatabase, type AuthDatabase, type AuthServer } from './support/startAuth.ts'

let database: AuthDatabase
let server: AuthServer
let off: AuthServer
/** The default site URL. */
let origin: string

beforeAll(async () => {
  database = await startDatabase()
  ;[server, off] = await Promise.all([
    startAuth(database, '[auth.passkey]\nenabled = true\n[auth]\nenable_anonymous_sign_ins = true'),
    startAuth(database, ''),
  ])
  origin = server.url.replace('127.0.0.1', 'localhost')
})
afterAll(async () => {
  await Promise.all([server.stop(), off.stop()])
  await database.stop()
})

const json = (response: AuthenticatorResponse) => JSON.parse(JSON.stringify(response)) as never

async function begin(person: TestUser) {
  const { data, error } = await person.client.auth.passkey.startRegistration()
  if (error) throw error
  return data
}

/** A user with a passkey in an authenticator. */
async function withPasskey(
  o: { aaguid?: string; counts?: boolean } = {},
): Promise<{ person: TestUser; authenticator: SoftAuthenticator; passkeyId: string }> {
  const person = await signIn(server)
  const authenticator = createSoftAuthenticator({ origin, ...o })
  const begun = await begin(person)
  const { data, error } = await person.client.auth.passkey.verifyRegistration({
    challengeId: begun.challenge_id,
    credential: json(authenticator.create(begun.options)),
  })
  if (error) throw error
  return { person, authenticator, passkeyId: data.id }
}

let addressCount = 0
/** A signed-out browser, with the challenge of its sign-in. */
async function newVisitor() {
  const { auth } = server.client({ ip: `10.7.0.${++addressCount}` })
  const { data, error } = await auth.passkey.startAuthentication()
  if (error) throw error
  return { auth, challengeId: data.challenge_id, options: data.options }
}

it('registers a passkey and signs in with it, in a browser', async () => {
  const bea = await signIn(server)
  const unplug = installAuthenticator(
    createSoftAuthenticator({ origin, aaguid: 'bada5566-a7aa-401f-bd96-45619a55120d' }),
  )
  try {
    const made = await bea.client.auth.registerPasskey()
    expect(made.error).toBeNull()
    expect(made.data).toMatchObject({ friendly_name: '1Password', created_at: expect.stringMatching(/Z$/) })
    const { auth } = server.client()
    const signed = await auth.signInWithPasskey()
    expect(signed.error).toBeNull()
    expect(signed.data!.user).toMatchObject({ id: bea.id, email: bea.email })
    expect(claimsOf(signed.data!.session!.access_token)).toMatchObject({
      aal: 'aal1',
      amr: [{ method: 'passkey' }],
    })
    const { data: listed } = await bea.client.auth.passkey.list()
    expect(listed).toMatchObject([{ id: made.data!.id, last_used_at: expect.stringMatching(/Z$/) }])
  } finally {
    unplug()
  }
})

it('returns valid options, and excludes existing credentials', async () => {
  const { person, authenticator } = await withPasskey()
  const { options, expires_at } = await begin(person)
  expect(options).toMatchObject({
    rp: { id: 'localhost', name: 'Linnet' },
    user: { id: Buffer.from(person.id).toString('base64url'), name: person.email },
    excludeCredentials: [{ id: authenticator.keys()[0], type: 'public-key' }],
    authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
    attestation: 'none',
  })
  expect(expires_at).toBeGreaterThan(Date.now() / 1000 + 290)
  const requestedOptions = await newVisitor()
  expect(requestedOptions.options).toMatchObject({ rpId: 'localhost', userVerification: 'preferred' })
  expect(requestedOptions.options).not.toHaveProperty('allowCredentials')
})

it('lists, renames and deletes the user’s own passkeys', async () => {
  const { person, passkeyId } = await withPasskey()
  const { passkey } = person.client.auth
  const renamed = await passkey.update({ passkeyId, friendlyName: 'Ключ '.repeat(20).trim() })
  expect(renamed.data).toMatchObject({ id: passkeyId, friendly_name: expect.stringMatching(/^Ключ/) })
  const other = await withPasskey()
  const refusals: [string, string, unknown, number, string][] = [
    ['PATCH', passkeyId, {}, 400, 'validation_failed'],
    ['PATCH', passkeyId, { friendly_name: 'x'.repeat(121) }, 400, 'validation_failed'],
    ['PATCH', passkeyId, { friendly_name: 7 }, 400, 'bad_json'],
    ['PATCH', other.passkeyId, { friendly_name: 'mine' }, 404, 'validation_failed'],
    ['PATCH', '7', { friendly_name: 'mine' }, 404, 'validation_failed'],
    ['DELETE', other.passkeyId, undefined, 404, 'validation_failed'],
    ['DELETE', unknownId, undefined, 404, 'validation_failed'],
    ['DELETE', '7', undefined, 404, 'validation_failed'],
  ]
  for (const [method, id, body, status, code] of refusals) {
    const response = await send(server, person, `/passkeys/${id}`, {
      method,
      ...(body ? { json: body } : {}),
    })
    expect([method, id, response.status, response.body.code]).toEqual([method, id, status, code])
  }
  expect((await passkey.delete({ passkeyId })).error).toBeNull()
  expect((await passkey.list()).data).toEqual([])
  expect((await other.person.client.auth.passkey.list()).data).toHaveLength(1)
})

it('lets administrators list and delete passkeys', async () => {
  const { person, passkeyId } = await withPasskey()
  const { passkey } = server.asService().auth.admin
  const own = { userId: person.id }
  expect((await passkey.listPasskeys(own)).data).toMatchObject([{ id: passkeyId }])
  expect((await passkey.deletePasskey({ ...own, passkeyId: unknownId })).error).toMatchObject({ status: 404 })
  expect((await passkey.deletePasskey({ ...own, passkeyId })).error).toBeNull()
  expect((await passkey.listPasskeys(own)).data).toEqual([])
  expect((await send(server, person, `/admin/users/${person.id}/passkeys`)).status).toBe(403)
})

const faults: Record<string, Faults> = {
  'another site': { origin: 'https://evil.example' },
  'the site by number': { origin: 'http://127.0.0.1:80' },
  'another party': { rpId: 'evil.example' },
  'an answer to something else': { challenge: 'bm90aGluZw' },
  'nobody present': { present: false },
}

it.each(Object.entries(faults))('rejects a new passkey with %s', async (_, fault) => {
  const bea = await signIn(server)
  const authenticator = createSoftAuthenticator({ origin })
  const { challenge_id: challengeId, options } = await begin(bea)
  const { passkey } = bea.client.auth
  const credential = json(authenticator.create(options, fault))
  const refused = await passkey.verifyRegistration({ challengeId, credential })
  expect(refused.error).toMatchObject({ status: 400, code: 'webauthn_verification_failed' })
  // A challenge cannot be used again.
  const right = json(authenticator.create(options))
  const again = await passkey.verifyRegistration({ challengeId, credential: right })
  expect(again.error).toMatchObject({ status: 400, code: 'webauthn_challenge_not_found' })
  expect((await passkey.list()).data).toEqual([])
})

it.each(
  Object.entries({
    ...faults,
    'an answer of the other kind': { type: 'webauthn.create' },
    'a counter that goes back': { counter: 1 },
    'another signature': { tampered: true },
    'a key that may be copied now': { backupEligible: true },
    'nobody named': { userHandle: null },
    'nonsense named': { userHandle: 'eA' },
    'somebody else named': { userHandle: Buffer.from(unknownId).toString('base64url') },
  } satisfies Record<string, Faults>),
)('rejects a sign-in with %s', async (_, fault) => {
  const { authenticator } = await withPasskey()
  const { auth, challengeId, options } = await newVisitor()
  const credential = json(authenticator.get(options, fault))
  const refused = await auth.passkey.verifyAuthentication({ challengeId, credential })
  expect(refused.error).toMatchObject({ status: 400, code: 'webauthn_verification_failed' })
  const right = json(authenticator.get(options))
  const again = await auth.passkey.verifyAuthentication({ challengeId, credential: right })
  expect(again.error).toMatchObject({ status: 400, code: 'webauthn_challenge_not_found' })
  // The same browser signs in with a new challenge: only the fault prevented it.
  const next = await newVisitor()
  const credentials = json(authenticator.get(next.options))
  const signed = await next.auth.passkey.verifyAuthentication({
    challengeId: next.challengeId,
    credential: credentials,
  })
  expect(signed.error).toBeNull()
})

it('does not sign in as another user', async () => {
  const bea = await withPasskey()
  const ann = await withPasskey()
  const { auth, challengeId, options } = await newVisitor()
  const handle = Buffer.from(ann.person.id).toString('base64url')
  const credential = json(bea.authenticator.get(options, { userHandle: handle }))
  const refused = await auth.passkey.verifyAuthentication({ challengeId, credential })
  expect(refused.error).toMatchObject({ status: 400, code: 'webauthn_verification_failed' })
})

it('accepts keys without a signature counter', async () => {
  const { authenticator } = await withPasskey({ counts: false })
  for (const index of [1, 2]) {
    const { auth, challengeId, options } = await newVisitor()
    const credential = json(authenticator.get(options))
    const { error } = await auth.passkey.verifyAuthentication({ challengeId, credential })
    expect([index, error]).toEqual([index, null])
  }
})

it('accepts a challenge once, before it expires and for its purpose', async () => {
  const { person, authenticator } = await withPasskey()
  const requestedOptions = await newVisitor()
  const credential = json(authenticator.get(requestedOptions.options))
  const responses = await Promise.all(
    Array.from({ length: 20 }, () =>
      requestedOptions.auth.passkey.verifyAuthentication({
        challengeId: requestedOptions.challengeId,
        credential,
      }),
    ),
  )
  expect(responses.filter(({ error }) => error === null)).toHaveLength(1)
  const late = await newVisitor()
  await database.admin.query('update auth.webauthn_challenges set expires_at = now() where id = $1', [
    late.challengeId,
  ])
  const expired = await late.auth.passkey.verifyAuthentication({
    challengeId: late.challengeId,
    credential: json(authenticator.get(late.options)),
  })
  expect(expired.error).toMatchObject({ status: 400, code: 'webauthn_challenge_expired' })
  // Challenges of a registration and of another user are rejected.
  const registration = await begin(person)
  const crossed = await (
    await newVisitor()
  ).auth.passkey.verifyAuthentication({
    challengeId: registration.challenge_id,
    credential,
  })
  expect(crossed.error).toMatchObject({ code: 'webauthn_challenge_not_found' })
  const other = await signIn(server)
  const stolen = await other.client.auth.passkey.verifyRegistration({
    challengeId: registration.challenge_id,
    credential: json(createSoftAuthenticator({ origin }).create(registration.options)),
  })
  expect(stolen.error).toMatchObject({ code: 'webauthn_challenge_not_found' })
})

it('accepts each key once, and ten per user', async () => {
  const bea = await withPasskey()
  const ann = await signIn(server)
  const begun = await begin(ann)
  const copy = createSoftAuthenticator({ origin }).create(begun.options, {
    credential: bea.authenticator.keys()[0]!,
  })
  const copied = await ann.client.auth.passkey.verifyRegistration({
    challengeId: begun.challenge_id,
    credential: json(copy),
  })
  expect(copied.error).toMatchObject({ status: 422, code: 'webauthn_credential_exists' })

  const { passkey } = bea.person.client.auth
  const last = await Promise.all([begin(bea.person), begin(bea.person)])
  await database.admin.query(
    `insert into auth.webauthn_credentials (user_id, credential_id, public_key)
     select $1::uuid, decode(md5(n || $1::text), 'hex'), '' from generate_series(1, 8) n`,
    [bea.person.id],
  )
  // Both were begun when one more was allowed.
  const made = await Promise.all(
    last.map(({ challenge_id: challengeId, options }) =>
      passkey.verifyRegistration({ challengeId, credential: json(bea.authenticator.create(options)) }),
    ),
  )
  expect(made.map(({ error }) => error?.code)).toEqual(
    expect.arrayContaining([undefined, 'too_many_passkeys']),
  )
  expect((await passkey.startRegistration()).error).toMatchObject({ status: 422, code: 'too_many_passkeys' })
})

it('rejects malformed responses', async () => {
  const bea = await signIn(server)
  const id = (await newVisitor()).challengeId
  const cases: [unknown, string, string?][] = [
    [{}, 'validation_failed'],
    [{ challenge_id: id }, 'validation_failed'],
    [{ challenge_id: '7', credential: {} }, 'validation_failed'],
    [{ challenge_id: id, credential: 'x' }, 'bad_json'],
    [[], 'bad_json'],
    [{ challenge_id: unknownId, credential: {} }, 'webauthn_challenge_not_found'],
  ]
  for (const index of ['registration', 'authentication']) {
    for (const [body, code] of cases) {
      const response = await send(server, bea, `/passkeys/${index}/verify`, { json: body })
      expect([index, body, response.status, response.body.code]).toEqual([index, body, 400, code])
    }
  }
  for (const credential of [{}, { id: 'x', rawId: 'x', type: 'public-key', response: {} }, { id: [] }]) {
    const { challengeId, auth } = await newVisitor()
    const response = await auth.passkey.verifyAuthentication({ challengeId, credential: credential as never })
    expect(response.error).toMatchObject({ status: 400, code: 'webauthn_verification_failed' })
  }
})

it('rejects unconfirmed and banned users, after their key is verified', async () => {
  const { person, authenticator } = await withPasskey()
  const cases: [string, string][] = [
    ["banned_until = now() + interval '1 day'", 'user_banned'],
    ["phone = '4915100000009'", 'phone_not_confirmed'],
    ['email_confirmed_at = null', 'email_not_confirmed'],
  ]
  for (const [change, code] of cases) {
    await database.admin.query(`update auth.users set ${change} where id = $1`, [person.id])
    const { auth, challengeId, options } = await newVisitor()
    const credential = json(authenticator.get(options))
    const { error } = await auth.passkey.verifyAuthentication({ challengeId, credential })
    expect({ change, ...error }).toMatchObject({ change, status: 403, code })
  }
})

it('requires the second factor if there is one, and rejects anonymous users', async () => {
  const { person, passkeyId } = await withPasskey()
  const begun = await begin(person)
  await database.admin.query(
    `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
     values (gen_random_uuid(), $1, 'totp', 'verified', now(), now())`,
    [person.id],
  )
  const { passkey } = person.client.auth
  const credential = json(createSoftAuthenticator({ origin }).create(begun.options))
  const refused = [
    await passkey.startRegistration(),
    await passkey.verifyRegistration({ challengeId: begun.challenge_id, credential }),
    await passkey.delete({ passkeyId }),
  ]
  for (const { error } of refused) expect(error).toMatchObject({ status: 403, code: 'insufficient_aal' })
  const guest = server.client()
  await guest.auth.signInAnonymously()
  expect((await guest.auth.passkey.startRegistration()).error).toMatchObject({
    status: 403,
    code: 'no_authorization',
  })
  const managed = await signIn(server)
  await database.admin.query('update auth.users set is_sso_user = true where id = $1', [managed.id])
  expect((await managed.client.auth.passkey.startRegistration()).error).toMatchObject({
    status: 422,
    code: 'validation_failed',
  })
})

it('ignores attestation, and fetches nothing for it', async () => {
  const bea = await signIn(server)
  const authenticator = createSoftAuthenticator({ origin })
  const { challenge_id: challengeId, options } = await begin(bea)
  const statement = new Map<string, never>([
    ['alg', -7 as never],
    ['sig', Buffer.from('no signature') as never],
    ['x5c', [Buffer.from('no certificate')] as never],
  ])
  const credential = json(authenticator.create(options, { attestation: { fmt: 'packed', statement } }))
  const { error } = await bea.client.auth.passkey.verifyRegistration({ challengeId, credential })
  expect(error).toBeNull()
})

it('the routes of passkeys respond 404 if they are disabled', async () => {
  const bea = await signIn(off)
  expect(await tokenOf(bea)).not.toBe('')
  const { passkey } = bea.client.auth
  expect((await passkey.startAuthentication()).error).toMatchObject({ status: 404, code: 'passkey_disabled' })
  expect((await passkey.startRegistration()).error).toMatchObject({ status: 404, code: 'passkey_disabled' })
  expect((await passkey.list()).error).toMatchObject({ status: 404, code: 'passkey_disabled' })
  const fetched = await Promise.all([server, off].map(async (one) => (await one.request('/settings')).json()))
  expect(fetched).toMatchObject([{ passkeys_enabled: true }, { passkeys_enabled: false }])
})

it('deletes unanswered challenges', async () => {
  const bea = await signIn(server)
  const [late] = [await begin(bea), await newVisitor()]
  await database.admin.query('update auth.webauthn_challenges set expires_at = now() where id = $1', [
    late.challenge_id,
  ])
  await database.admin.query(
    `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
     select gen_random_uuid(), $1, 'totp', status::auth.factor_status, now() - age, now()
     from (values ('verified', interval '2 days'), ('unverified', interval '2 days'), ('unverified', interval '0'))
       f (status, age)`,
    [bea.id],
  )
  await sweepChallenges(database.admin)
  const left = await database.admin.query(
    `select (select count(*)::int from auth.webauthn_challenges where expires_at <= now()) as challenges,
       (select count(*)::int from auth.webauthn_challenges) > 0 as others,
       (select count(*)::int from auth.mfa_factors where user_id = $1) as factors`,
    [bea.id],
  )
  expect(left.rows).toEqual([{ challenges: 0, others: true, factors: 2 }])
})

it('limits the rate of sign-ins', async () => {
  const { auth } = server.client({ ip: '10.6.0.1' })
  const responses = await Promise.all(Array.from({ length: 31 }, () => auth.passkey.startAuthentication()))
  expect(responses.filter(({ error }) => error?.code === 'over_request_rate_limit')).toHaveLength(1)
})
