import { randomUUID } from 'node:crypto'
import { TOTP } from 'otpauth'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  anonymous,
  claimsOf,
  describeOwn,
  publicHeaders,
  service,
  target,
  tokenOf,
  usePeople,
  type Person,
} from './target.ts'

const people = usePeople()
const admin = service().auth.admin
let bea: Person

beforeAll(async () => {
  bea = await people.signUp()
})

/** A request to the auth service with the public key and, where given, an access token. */
const request = (path: string, init: RequestInit & { token?: string } = {}): Promise<Response> =>
  fetch(`${target.url}/auth/v1${path}`, {
    ...init,
    headers: {
      ...publicHeaders,
      'x-supabase-api-version': '2024-01-01',
      'content-type': 'application/json',
      ...(init.token && { authorization: `Bearer ${init.token}` }),
    },
  })

/** Status and code with which the user of a token is refused; the client library reports both as a missing session. */
async function refusal(token: string): Promise<[number, unknown]> {
  const response = await request('/user', { token })
  return [response.status, ((await response.json()) as { code: unknown }).code]
}

describe('signing in by password', () => {
  it('returns a session whose claims name the user', async () => {
    const { data, error } = await anonymous().auth.signInWithPassword(bea)
    expect(error).toBeNull()
    const { session, user } = data
    expect(session).toMatchObject({
      token_type: 'bearer',
      expires_in: expect.any(Number),
      refresh_token: expect.any(String),
    })
    expect(user).toMatchObject({
      id: bea.user.id,
      email: bea.email,
      role: 'authenticated',
      aud: 'authenticated',
    })
    expect(claimsOf(session!.access_token)).toMatchObject({
      sub: bea.user.id,
      role: 'authenticated',
      aal: 'aal1',
      email: bea.email,
      session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      amr: [{ method: 'password', timestamp: expect.any(Number) }],
      is_anonymous: false,
    })
  })

  it.each(['a wrong password', 'an unknown address'])('rejects %s in the same way', async (what) => {
    const email = what.includes('address') ? `acceptance-${randomUUID()}@example.com` : bea.email
    const { error } = await anonymous().auth.signInWithPassword({ email, password: 'wrong' })
    expect(error).toMatchObject({
      status: 400,
      code: 'invalid_credentials',
      message: 'Invalid login credentials',
    })
  })
})

describe('a session', () => {
  it('is refreshed by its refresh token, which changes', async () => {
    const client = await people.signIn(bea)
    const before = (await client.auth.getSession()).data.session!
    const { data, error } = await client.auth.refreshSession()
    expect(error).toBeNull()
    expect(data.session!.refresh_token).not.toBe(before.refresh_token)
    expect(claimsOf(data.session!.access_token)['session_id']).toBe(
      claimsOf(before.access_token)['session_id'],
    )
  })

  it('is not made from an unknown refresh token', async () => {
    const { error } = await anonymous().auth.refreshSession({ refresh_token: 'aaaaaaaaaaaa' })
    expect(error).toMatchObject({ status: 400, code: 'refresh_token_not_found' })
  })

  it('ends by signing out, and its token is refused by the service from then on', async () => {
    const client = await people.signIn(bea)
    const token = await tokenOf(client)
    expect((await client.auth.signOut({ scope: 'local' })).error).toBeNull()
    expect(await refusal(token)).toEqual([403, 'session_not_found'])
  })

  it('ends all other sessions of its user', async () => {
    const ann = await people.signUp()
    const other = await people.signIn(ann)
    const token = await tokenOf(other)
    const third = await people.signIn(ann)
    expect((await ann.client.auth.signOut({ scope: 'others' })).error).toBeNull()
    expect(await refusal(token)).toEqual([403, 'session_not_found'])
    for (const ended of [other, third]) expect((await ended.auth.refreshSession()).data.session).toBeNull()
    expect((await ann.client.auth.getUser()).error).toBeNull()
    expect((await ann.client.auth.refreshSession()).error).toBeNull()
    // Sessions of other people go on.
    expect((await bea.client.auth.getUser()).error).toBeNull()
  })
})

describe('the user of a token', () => {
  it('is returned', async () => {
    const { data } = await bea.client.auth.getUser()
    expect(data.user).toMatchObject({
      id: bea.user.id,
      email: bea.email,
      app_metadata: { provider: 'email', providers: ['email'] },
    })
    expect(data.user!.identities).toMatchObject([{ provider: 'email', user_id: bea.user.id }])
  })

  it.each([
    ['no token', undefined, 401, 'no_authorization'],
    ['a malformed token', 'nonsense', 403, 'bad_jwt'],
  ])('is refused with %s', async (_, token, status, code) => {
    const response = await request('/user', { ...(token && { token }) })
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ code })
    expect(response.headers.get('x-sb-error-code')).toBe(code)
  })

  it('changes its metadata key by key', async () => {
    const { client } = await people.signUp()
    await client.auth.updateUser({ data: { first: 1, second: 2 } })
    const { data } = await client.auth.updateUser({ data: { second: null, third: 3 } })
    expect(data.user!.user_metadata).toMatchObject({ first: 1, third: 3 })
    expect(data.user!.user_metadata).not.toHaveProperty('second')
  })

  it.each([
    ['a weak password', '123', 422, 'weak_password'],
    ['the same password', null, 422, 'same_password'],
  ])('cannot take %s', async (_, password, status, code) => {
    const { error } = await bea.client.auth.updateUser({ password: password ?? bea.password })
    expect(error).toMatchObject({ status, code })
  })

  it('cannot take the address of another', async () => {
    const other = await people.signUp()
    const { error } = await bea.client.auth.updateUser({ email: other.email })
    expect(error).toMatchObject({ status: 422, code: 'email_exists' })
  })
})

describe('a link', () => {
  it('signs in once', async () => {
    const { data } = await admin.generateLink({ type: 'magiclink', email: bea.email })
    const token_hash = data.properties!.hashed_token
    const first = await anonymous().auth.verifyOtp({ type: 'magiclink', token_hash })
    expect(first.data.session!.user.id).toBe(bea.user.id)
    expect(claimsOf(first.data.session!.access_token)['amr']).toMatchObject([{ method: 'otp' }])
    const second = await anonymous().auth.verifyOtp({ type: 'magiclink', token_hash })
    expect(second.error).toMatchObject({ status: 403, code: 'otp_expired' })
  })

  it('leads to the site with a session in the fragment', async () => {
    const { data } = await admin.generateLink({ type: 'magiclink', email: bea.email })
    const response = await fetch(data.properties!.action_link, { redirect: 'manual' })
    expect(response.status).toBe(303)
    const fragment = new URLSearchParams(new URL(response.headers.get('location')!).hash.slice(1))
    expect(fragment.get('token_type')).toBe('bearer')
    expect(claimsOf(fragment.get('access_token')!)['sub']).toBe(bea.user.id)
  })

  it('is replaced by a newer one', async () => {
    const older = await admin.generateLink({ type: 'recovery', email: bea.email })
    await admin.generateLink({ type: 'recovery', email: bea.email })
    const { error } = await anonymous().auth.verifyOtp({
      type: 'recovery',
      token_hash: older.data.properties!.hashed_token,
    })
    expect(error).toMatchObject({ status: 403, code: 'otp_expired' })
  })
})

describe('an authorization code of PKCE', () => {
  it('is refused if it is unknown', async () => {
    const response = await request('/token?grant_type=pkce', {
      method: 'POST',
      body: JSON.stringify({ auth_code: randomUUID(), code_verifier: 'v'.repeat(60) }),
    })
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ code: 'flow_state_not_found' })
  })
})

describe('a second factor', () => {
  it('raises the session, and is required to remove it', async () => {
    const { client } = await people.signUp()
    const enrolled = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Phone' })
    expect(enrolled.error).toBeNull()
    const { id: factorId, totp } = enrolled.data!
    expect(totp!.uri).toMatch(/^otpauth:\/\/totp\//)
    expect((await client.auth.mfa.challengeAndVerify({ factorId, code: '000000' })).error).toMatchObject({
      code: 'mfa_verification_failed',
    })
    const code = new TOTP({ secret: totp!.secret }).generate()
    expect((await client.auth.mfa.challengeAndVerify({ factorId, code })).error).toBeNull()
    const level = await client.auth.mfa.getAuthenticatorAssuranceLevel()
    expect(level.data).toMatchObject({ currentLevel: 'aal2', nextLevel: 'aal2' })
    expect((await client.auth.mfa.listFactors()).data!.totp).toMatchObject([
      { id: factorId, status: 'verified' },
    ])
    expect((await client.auth.mfa.unenroll({ factorId })).error).toBeNull()
    expect((await client.auth.mfa.listFactors()).data!.all).toEqual([])
  })

  it('that is not verified is refused to a session of one factor', async () => {
    const ann = await people.signUp()
    const { data } = await ann.client.auth.mfa.enroll({ factorType: 'totp' })
    await ann.client.auth.mfa.challengeAndVerify({
      factorId: data!.id,
      code: new TOTP({ secret: data!.totp.secret }).generate(),
    })
    const later = await people.signIn(ann)
    expect((await later.auth.mfa.unenroll({ factorId: data!.id })).error).toMatchObject({
      code: 'insufficient_aal',
    })
  })
})

describe('an administrator', () => {
  it('creates, reads, changes, lists and deletes users', async () => {
    const email = `acceptance-${randomUUID()}@example.com`
    const created = await admin.createUser({ email, email_confirm: true, user_metadata: { name: 'Ann' } })
    const { id } = created.data.user!
    expect((await admin.createUser({ email })).error).toMatchObject({ status: 422, code: 'email_exists' })
    expect((await admin.getUserById(id)).data.user).toMatchObject({ email, user_metadata: { name: 'Ann' } })
    expect(
      (await admin.updateUserById(id, { app_metadata: { plan: 'team' } })).data.user!.app_metadata,
    ).toMatchObject({ plan: 'team' })
    expect((await admin.listUsers({ page: 1, perPage: 1 })).data.users).toHaveLength(1)
    expect((await admin.deleteUser(id)).error).toBeNull()
    expect((await admin.getUserById(id)).error).toMatchObject({ status: 404, code: 'user_not_found' })
  })

  it('bans a user, who cannot sign in until the ban is lifted', async () => {
    const ann = await people.signUp()
    await admin.updateUserById(ann.user.id, { ban_duration: '1h' })
    expect((await anonymous().auth.signInWithPassword(ann)).error).toMatchObject({
      status: 400,
      code: 'user_banned',
    })
    await admin.updateUserById(ann.user.id, { ban_duration: 'none' })
    expect((await anonymous().auth.signInWithPassword(ann)).error).toBeNull()
  })

  it('needs the secret key', async () => {
    expect((await bea.client.auth.admin.listUsers()).error).toMatchObject({ status: 403, code: 'not_admin' })
    const token = await tokenOf(bea.client)
    expect((await request('/admin/users', { token })).status).toBe(403)
  })
})

describe('the service', () => {
  it('publishes its settings and its public keys', async () => {
    const settings = (await (await request('/settings')).json()) as Record<string, unknown>
    expect(settings).toMatchObject({
      external: { email: expect.any(Boolean) },
      disable_signup: expect.any(Boolean),
    })
    const keys = (await (await fetch(`${target.url}/auth/v1/.well-known/jwks.json`)).json()) as {
      keys: object[]
    }
    expect(Array.isArray(keys.keys)).toBe(true)
    for (const key of keys.keys) expect(key).not.toHaveProperty('d')
  })

  it('returns errors in the older format to clients that name no version', async () => {
    const response = await fetch(`${target.url}/auth/v1/user`, {
      headers: { ...publicHeaders, authorization: 'Bearer x' },
    })
    expect(await response.json()).toMatchObject({ code: 403, error_code: 'bad_jwt', msg: expect.any(String) })
  })

  it('rejects a body that is not JSON', async () => {
    const response = await request('/token?grant_type=password', { method: 'POST', body: '{' })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'bad_json' })
  })
})

describeOwn('with the configuration of these tests', () => {
  it('refuses anonymous sign-in where it is disabled', async () => {
    expect((await anonymous().auth.signInAnonymously()).error).toMatchObject({
      status: 422,
      code: 'anonymous_provider_disabled',
    })
  })

  it('enforces the shortest password', async () => {
    const { error } = await anonymous().auth.signUp({
      email: `acceptance-${randomUUID()}@example.com`,
      password: '1234567',
    })
    expect(error).toMatchObject({ status: 422, code: 'weak_password', reasons: ['length'] })
  })
})
