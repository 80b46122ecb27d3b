import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startProvider, type FakeProvider } from '../../support/oidc/startProvider.ts'
import { oauth2, oidc, invalidCustomProviders } from './support/customProviders.ts'
import {
  continueAtProvider,
  signInWithProvider,
  newProviderUser,
  signInAndExchange,
} from './support/providerSignIn.ts'
import {
  latestMailTo,
  uniqueEmail,
  startAuth,
  startDatabase,
  type AuthDatabase,
  type AuthServer,
} from './support/startAuth.ts'

const app = 'enabled = true\nclient_id = "app"\nsecret = "secret-of-app"\n'
const external = ['google', 'github', 'apple', 'gitlab']
  .map((name) => `[auth.external.${name}]\n${app}`)
  .join('')

let database: AuthDatabase
let provider: FakeProvider
let auth: AuthServer
/** A server without email confirmations and without manual linking. */
let lax: AuthServer

beforeAll(async () => {
  ;[database, provider] = await Promise.all([startDatabase(), startProvider()])
  const outbound = { outbound: provider.outbound }
  const careful = `[auth]
enable_manual_linking = true
enable_anonymous_sign_ins = true
[auth.email]
enable_confirmations = true
max_frequency = "0s"
[auth.email.notification.identity_linked]
enabled = true
[auth.email.notification.identity_unlinked]
enabled = true
`
  ;[auth, lax] = await Promise.all([
    startAuth(database, careful + external, outbound),
    startAuth(database, external, outbound),
  ])
})
afterAll(async () => {
  await Promise.all([auth.stop(), lax.stop()])
  await provider.stop()
  await database.stop()
})
afterEach(() => {
  provider.faults = {}
  provider.answers = {}
})

const sql = async <T extends Record<string, unknown>>(text: string, values: unknown[] = []): Promise<T[]> =>
  (await database.admin.query<T>(text, values)).rows

/** An account whose address is confirmed or not. */
async function account(email: string, o: { confirmed?: boolean } = {}): Promise<string> {
  const { data, error } = await auth
    .asService()
    .auth.admin.createUser({ email, email_confirm: o.confirmed ?? true })
  if (error) throw error
  return data.user.id
}

/** Makes GitHub return the provider's user, with a verified address or not. */
function onGithub(verified: boolean): void {
  const { id, email, name } = provider.person
  provider.answers = {
    '/user': { id: Number(id), login: 'ann', name },
    '/user/emails': [{ email, primary: true, verified }],
  }
}

const faultOf = ({ end }: { end: URL }): string | null => end.searchParams.get('error_code')

describe('automatic linking', () => {
  it('links by an address that the provider has verified', async () => {
    const person = newProviderUser()
    const id = await account(person.email)
    const { userId, client } = await signInAndExchange(auth, provider, 'google', person)
    expect(userId).toBe(id)
    const { data } = await client.auth.getUserIdentities()
    expect(data!.identities.map((one) => one.provider)).toEqual(['email', 'google'])
    expect((await client.auth.getUser()).data.user!.app_metadata).toMatchObject({
      provider: 'email',
      providers: ['email', 'google'],
    })
    const [logged] = await sql<{ payload: { traits: object } }>(
      `select payload from auth.audit_log_entries where payload ->> 'action' = 'identity_linked' and payload ->> 'actor_id' = $1`,
      [id],
    )
    expect(logged!.payload.traits).toMatchObject({ provider: 'google', provider_id: person.id })
  })

  it('does not link by an unverified address, and does not reveal whether it is taken', async () => {
    const redirects: string[] = []
    for (const taken of [true, false]) {
      const person = newProviderUser()
      const id = taken ? await account(person.email) : null
      provider.person = person
      onGithub(false)
      const result = await signInWithProvider(provider, auth.client(), 'github')
      expect(faultOf(result)).toBe('provider_email_needs_verification')
      redirects.push(result.end.search)
      const rows = await sql('select 1 from auth.identities where user_id = $1 and provider = $2', [
        id,
        'github',
      ])
      expect(rows).toEqual([])
    }
    expect(redirects[0]).toBe(redirects[1])
  })

  it('does not link by an unverified address without confirmations either', async () => {
    const person = newProviderUser()
    const id = await account(person.email)
    provider.person = person
    onGithub(false)
    const client = lax.client()
    const { end } = await signInWithProvider(provider, client, 'github')
    const { data } = await client.auth.exchangeCodeForSession(end.searchParams.get('code')!)
    expect(data.user!.id).not.toBe(id)
    expect(data.user!.email).toBe('')
  })

  it("is not triggered by someone else's profile with the address", async () => {
    const victim = newProviderUser()
    const otherUserId = await account(uniqueEmail('omar'))
    await sql(
      `insert into auth.identities (provider_id, user_id, identity_data, provider, created_at, updated_at)
       values ('lure', $1, $2, 'github', now(), now())`,
      [otherUserId, JSON.stringify({ sub: 'lure', email: victim.email, email_verified: false })],
    )
    const { userId, client } = await signInAndExchange(auth, provider, 'google', victim)
    expect(userId).not.toBe(otherUserId)
    expect((await client.auth.getUser()).data.user!.email).toBe(victim.email)
  })

  it('removes everything of an unconfirmed owner of the address', async () => {
    const person = newProviderUser()
    const id = await account(person.email, { confirmed: false })
    await sql(
      `update auth.users set encrypted_password = 'x', phone = $2, phone_confirmed_at = now(),
         raw_user_meta_data = '{"planted": true}' where id = $1`,
      [id, `4179${person.id}`],
    )
    const session = '5f9c1f0e-0000-4000-8000-000000000001'
    await sql(
      'insert into auth.sessions (id, user_id, created_at, updated_at) values ($1, $2, now(), now())',
      [session, id],
    )
    await sql(
      `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at, secret)
       values (gen_random_uuid(), $1, 'totp', 'verified', now(), now(), 's')`,
      [id],
    )
    await sql(
      `with made as (
         insert into auth.oauth_clients (id, client_type, registration_type, redirect_uris, grant_types,
           token_endpoint_auth_method)
         values ($1, 'public', 'manual', 'https://omar.example/', 'authorization_code', 'none') returning id)
       insert into auth.oauth_consents (id, user_id, client_id, scopes) select $1, $1, id, 'email' from made`,
      [id],
    )
    const { userId, client } = await signInAndExchange(auth, provider, 'google', person)
    expect(userId).toBe(id)
    expect(await sql('select 1 from auth.oauth_consents where user_id = $1', [id])).toEqual([])
    const { data } = await client.auth.getUser()
    expect(data.user!.identities!.map((one) => one.provider)).toEqual(['google'])
    expect(data.user).toMatchObject({ phone: '', email: person.email })
    expect(data.user!.user_metadata).not.toHaveProperty('planted')
    expect(data.user!.factors).toBeUndefined()
    const [row] = await sql('select encrypted_password, phone_confirmed_at from auth.users where id = $1', [
      id,
    ])
    expect(row).toEqual({ encrypted_password: null, phone_confirmed_at: null })
    expect(await sql('select 1 from auth.sessions where id = $1', [session])).toEqual([])
  })

  it.each([
    [
      'signup',
      (client: SupabaseClient, email: string) => client.auth.signUp({ email, password: 'long enough' }),
    ],
    ['email', (client: SupabaseClient, email: string) => client.auth.signInWithOtp({ email })],
    ['recovery', (client: SupabaseClient, email: string) => client.auth.resetPasswordForEmail(email)],
    ['signup', (client: SupabaseClient, email: string) => client.auth.resend({ type: 'signup', email })],
  ] as const)(
    'leaves no access to a user whose provider did not verify the address: %s',
    async (type, requestLinking) => {
      provider.person = newProviderUser()
      const { email } = provider.person
      onGithub(false)
      await signInWithProvider(provider, auth.client(), 'github')
      await sql('update auth.users set confirmation_sent_at = null where email = $1', [email])
      const { error } = await requestLinking(auth.client(), email)
      expect(error).toBeNull()
      const owner = await auth
        .client()
        .auth.verifyOtp({ email, token: latestMailTo(auth, email).code!, type })
      expect(owner.data.user).toMatchObject({ email, app_metadata: { providers: ['email'] } })
      expect(owner.data.user!.user_metadata).not.toHaveProperty('name')
      expect(faultOf(await signInWithProvider(provider, auth.client(), 'github'))).toBe(
        'provider_email_needs_verification',
      )
    },
  )

  it('does not reserve an unverified address', async () => {
    const omar = auth.client()
    await omar.auth.signInAnonymously()
    provider.person = newProviderUser()
    const { email } = provider.person
    onGithub(false)
    expect(faultOf(await link(omar, 'github'))).toBe('email_not_confirmed')
    const bea = auth.client()
    expect((await bea.auth.signInWithOtp({ email })).error).toBeNull()
    const { data } = await bea.auth.verifyOtp({
      email,
      token: latestMailTo(auth, email).code!,
      type: 'email',
    })
    const left = (await omar.auth.getUser()).data.user!
    expect(data.user).toMatchObject({ email })
    expect(left).toMatchObject({ email: '', is_anonymous: true })
    expect(left.id).not.toBe(data.user!.id)
  })

  it('does not confirm an address by the verification of another one', async () => {
    const victims = uniqueEmail('bea')
    const person = newProviderUser({ email: victims })
    provider.person = person
    onGithub(false)
    expect(faultOf(await signInWithProvider(provider, auth.client(), 'github'))).toBe(
      'provider_email_needs_verification',
    )
    // The same GitHub account, now with its own address.
    provider.person = { ...person, email: uniqueEmail('omar') }
    onGithub(true)
    expect(faultOf(await signInWithProvider(provider, auth.client(), 'github'))).toBe(
      'provider_email_needs_verification',
    )
    const [row] = await sql('select email_confirmed_at from auth.users where email = $1', [victims])
    expect(row).toEqual({ email_confirmed_at: null })
  })

  it('does not choose among several accounts', async () => {
    const person = newProviderUser()
    for (const name of ['one', 'two']) {
      const id = await account(uniqueEmail(name))
      await sql(
        `insert into auth.identities (provider_id, user_id, identity_data, provider, created_at, updated_at)
         values ($1, $2, $3, 'keycloak', now(), now())`,
        [
          `${name}-${person.id}`,
          id,
          JSON.stringify({ sub: name, email: person.email, email_verified: true }),
        ],
      )
    }
    provider.person = person
    expect(faultOf(await signInWithProvider(provider, auth.client(), 'google'))).toBe('conflict')
  })

  it('does not match addresses with similar letters', async () => {
    const person = newProviderUser({ email: uniqueEmail('kay') })
    const id = await account(person.email)
    provider.person = { ...person, email: person.email.replace('k', '\u212A') }
    expect(provider.person.email.toLowerCase()).toBe(person.email)
    const { end } = await signInWithProvider(provider, auth.client(), 'google')
    expect(end.searchParams.get('error_description')).toBe('Error getting user email from external provider')
    expect(
      await sql('select 1 from auth.identities where user_id = $1 and provider = $2', [id, 'google']),
    ).toEqual([])
  })

  it('creates one account in concurrent first sign-ins', async () => {
    provider.person = newProviderUser()
    const ids = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const client = auth.client()
        const { end } = await signInWithProvider(provider, client, 'google')
        return (await client.auth.exchangeCodeForSession(end.searchParams.get('code')!)).data.user!.id
      }),
    )
    expect(new Set(ids).size).toBe(1)
  })
})

/** Links an identity as a signed-in user. */
async function link(client: SupabaseClient, name: string) {
  const { data, error } = await client.auth.linkIdentity({ provider: name as never })
  if (error) throw error
  return continueAtProvider(provider, data.url!)
}

describe('manual linking', () => {
  it('links with a redirect, and with an ID token', async () => {
    const { client, userId } = await signInAndExchange(auth, provider, 'google', newProviderUser())
    const email = provider.person.email
    provider.person = newProviderUser()
    onGithub(true)
    const { end } = await link(client, 'github')
    const { data } = await client.auth.exchangeCodeForSession(end.searchParams.get('code')!)
    expect(data.user).toMatchObject({ id: userId, email })
    provider.person = newProviderUser()
    const token = await provider.idToken('https://appleid.apple.com', { aud: 'app' })
    const linked = await client.auth.linkIdentity({ provider: 'apple', token })
    expect(linked.error).toBeNull()
    const names = (await client.auth.getUserIdentities()).data!.identities.map((one) => one.provider)
    expect(names).toEqual(['google', 'github', 'apple'])
    expect(latestMailTo(auth, email).html).toMatch(/apple/i)
  })

  it('links an identity to one account, once', async () => {
    const mine = newProviderUser()
    const { client } = await signInAndExchange(auth, provider, 'google', mine)
    expect(faultOf(await link(client, 'google'))).toBe('identity_already_exists')
    const other = await signInAndExchange(auth, provider, 'google', newProviderUser())
    provider.person = mine
    const { end } = await link(other.client, 'google')
    expect(end.searchParams.get('error_description')).toBe('Identity is already linked to another user')
    const token = await provider.idToken('https://accounts.google.com', { aud: 'app' })
    const { error } = await other.client.auth.linkIdentity({ provider: 'google', token })
    expect(error).toMatchObject({ code: 'identity_already_exists', status: 422 })
  })

  it('makes an anonymous user permanent', async () => {
    const client = auth.client()
    const { data } = await client.auth.signInAnonymously()
    provider.person = newProviderUser()
    const { end } = await link(client, 'google')
    const after = await client.auth.exchangeCodeForSession(end.searchParams.get('code')!)
    expect(after.data.user).toMatchObject({
      id: data.user!.id,
      email: provider.person.email,
      is_anonymous: false,
      app_metadata: { provider: 'google' },
    })
    expect(after.data.user!.email_confirmed_at).toBeDefined()
  })

  it('keeps a user anonymous until the address is verified, and rejects one of another user', async () => {
    const client = auth.client()
    const { data } = await client.auth.signInAnonymously()
    provider.person = newProviderUser()
    onGithub(false)
    expect(faultOf(await link(client, 'github'))).toBe('email_not_confirmed')
    expect(latestMailTo(auth, provider.person.email)).toBeDefined()
    const [row] = await sql('select is_anonymous, email_confirmed_at from auth.users where id = $1', [
      data.user!.id,
    ])
    expect(row).toEqual({ is_anonymous: true, email_confirmed_at: null })

    const other = auth.client()
    await other.auth.signInAnonymously()
    provider.person = newProviderUser()
    await account(provider.person.email)
    expect(faultOf(await link(other, 'google'))).toBe('email_exists')
    expect((await other.auth.getUserIdentities()).data!.identities).toEqual([])
  })

  it('requires the second factor to link and unlink, if there is one', async () => {
    const { client, userId } = await signInAndExchange(auth, provider, 'google', newProviderUser())
    await sql(
      `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at, secret)
       values (gen_random_uuid(), $1, 'totp', 'verified', now(), now(), 's')`,
      [userId],
    )
    const bearer = (await client.auth.getSession()).data.session!.access_token
    const requests = [
      ['/user/identities/authorize?provider=github&skip_http_redirect=true', {}],
      ['/user/identities/5f9c1f0e-0000-4000-8000-000000000002', { method: 'DELETE' }],
      ['/token?grant_type=id_token', { json: { provider: 'google', id_token: 'x', link_identity: true } }],
    ] as const
    for (const [path, init] of requests) {
      const response = await auth.request(path, { ...init, bearer })
      expect([response.status, response.headers.get('x-sb-error-code')]).toEqual([403, 'insufficient_aal'])
    }
    await sql(`update auth.sessions set aal = 'aal2' where user_id = $1`, [userId])
    expect((await auth.request(requests[0][0], { bearer })).status).toBe(200)
  })

  it('deletes identities with the account', async () => {
    const { client, userId } = await signInAndExchange(auth, provider, 'google', newProviderUser())
    const { data } = await client.auth.linkIdentity({ provider: 'github' })
    await auth.asService().auth.admin.deleteUser(userId)
    onGithub(true)
    expect(faultOf(await continueAtProvider(provider, data!.url!))).toBe('user_not_found')
  })

  it('requires a signed-in user, and the setting', async () => {
    expect((await auth.request('/user/identities/authorize?provider=google')).status).toBe(403)
    const { client } = await signInAndExchange(lax, provider, 'google', newProviderUser())
    const { error } = await client.auth.linkIdentity({ provider: 'github' })
    expect(error).toMatchObject({ code: 'manual_linking_disabled', status: 404 })
    const { data } = await client.auth.getUserIdentities()
    const unlinked = await client.auth.unlinkIdentity(data!.identities[0]!)
    expect(unlinked.error).toMatchObject({ code: 'manual_linking_disabled' })
    const token = await auth.request('/token?grant_type=id_token', {
      json: { provider: 'google', id_token: 'x', link_identity: true },
    })
    expect(token.headers.get('x-sb-error-code')).toBe('bad_jwt')
  })

  it('begins with a redirect if requested', async () => {
    const { client } = await signInAndExchange(auth, provider, 'google', newProviderUser())
    const bearer = (await client.auth.getSession()).data.session!.access_token
    const redirected = await auth.request('/user/identities/authorize?provider=github', { bearer })
    expect(redirected.status).toBe(302)
    expect(redirected.headers.get('location')).toMatch(/^https:\/\/github\.com\//)
  })
})

describe('unlinking', () => {
  /** A user with an identity of Google, and one of GitHub with another address. */
  async function withTwo() {
    const person = newProviderUser()
    const { client, userId } = await signInAndExchange(auth, provider, 'google', person)
    const second = newProviderUser()
    provider.person = second
    onGithub(true)
    const { end } = await link(client, 'github')
    await client.auth.exchangeCodeForSession(end.searchParams.get('code')!)
    const { data } = await client.auth.getUserIdentities()
    const [google, github] = data!.identities
    return { client, userId, person, second, google: google!, github: github! }
  }

  it('sets the account’s address to that of another identity', async () => {
    const { client, userId, person, second, google, github } = await withTwo()
    const { error } = await client.auth.unlinkIdentity(google)
    expect(error).toBeNull()
    const { data } = await client.auth.getUser()
    expect(data.user).toMatchObject({
      id: userId,
      email: second.email,
      app_metadata: { providers: ['github'] },
    })
    expect(latestMailTo(auth, person.email).html).toMatch(/google/i)
    const last = await client.auth.unlinkIdentity(github)
    expect(last.error).toMatchObject({ code: 'single_identity_not_deletable', status: 422 })
    // A new sign-in with Google creates another account.
    expect((await signInAndExchange(auth, provider, 'google', person)).userId).not.toBe(userId)
  })

  it('never removes both of two identities concurrently', async () => {
    const { client, google, github } = await withTwo()
    const results = await Promise.all([google, github].map((one) => client.auth.unlinkIdentity(one)))
    expect(results.filter(({ error }) => error === null)).toHaveLength(1)
    expect((await client.auth.getUserIdentities()).data!.identities).toHaveLength(1)
  })

  it('keeps an identity if the remaining address belongs to another user', async () => {
    const { client, google, github } = await withTwo()
    const email = uniqueEmail('other')
    await account(email)
    await sql(
      `update auth.identities set identity_data = identity_data || jsonb_build_object('email', $2::text) where id = $1`,
      [github.identity_id, email],
    )
    const { error } = await client.auth.unlinkIdentity(google)
    expect(error).toMatchObject({ code: 'email_conflict_identity_not_deletable', status: 422 })
    expect((await client.auth.getUserIdentities()).data!.identities).toHaveLength(2)
  })

  it('removes the phone number with its identity', async () => {
    const { client, userId } = await withTwo()
    await sql('update auth.users set phone = $2, phone_confirmed_at = now() where id = $1', [
      userId,
      '41790000001',
    ])
    const [phone] = await sql<{ id: string }>(
      `insert into auth.identities (provider_id, user_id, identity_data, provider, created_at, updated_at)
       values ($1::text, $1::uuid, jsonb_build_object('sub', $1::text), 'phone', now(), now()) returning id`,
      [userId],
    )
    await client.auth.unlinkIdentity({ identity_id: phone!.id } as never)
    const { data } = await client.auth.getUser()
    expect(data.user).toMatchObject({ phone: '' })
    expect(data.user!.phone_confirmed_at).toBeUndefined()
  })

  it('rejects identities of other users', async () => {
    const { client, google } = await withTwo()
    const otherPath = await withTwo()
    const bearer = (await client.auth.getSession()).data.session!.access_token
    const remove = async (id: string, headers: Record<string, string> = {}) => {
      const path = `/user/identities/${id}`
      const response = await auth.request(path, { method: 'DELETE', bearer, headers })
      return [response.status, response.headers.get('x-sb-error-code')]
    }
    expect(await remove(otherPath.google.identity_id)).toEqual([422, 'identity_not_found'])
    expect(await remove('x')).toEqual([404, 'validation_failed'])
    expect(await remove(google.identity_id, { 'x-jwt-aud': 'others' })).toEqual([403, 'unexpected_audience'])
    expect((await client.auth.getUserIdentities()).data!.identities).toHaveLength(2)
  })
})

describe('custom providers', () => {
  const admin = () => auth.asService().auth.admin.customProviders
  const faults = async (body: object, method = 'POST', path = '') => {
    const response = await auth.request(`/admin/custom-providers${path}`, {
      method,
      json: body,
      bearer: auth.serviceRoleKey,
      headers: { apikey: auth.serviceRoleKey },
    })
    return { status: response.status, body: (await response.json()) as { error_code: string; msg: string } }
  }

  it('are created, returned without their secret, changed and deleted', async () => {
    const made = await admin().createProvider(oidc)
    expect(made.error).toBeNull()
    expect(made.data).toMatchObject({
      identifier: 'custom:acme',
      scopes: ['openid', 'email'],
      pkce_enabled: true,
      enabled: true,
      issuer: 'https://id.acme.test',
      discovery_document: { issuer: 'https://id.acme.test', jwks_uri: 'https://id.acme.test/fake/keys' },
    })
    expect(JSON.stringify(made.data)).not.toContain('secret-of-app')
    expect((await admin().createProvider(oidc)).error).toMatchObject({ code: 'conflict', status: 400 })
    await admin().createProvider(oauth2)
    const all = await admin().listProviders()
    expect(all.data.providers.map((one) => one.identifier)).toEqual(['custom:forge', 'custom:acme'])
    expect((await admin().listProviders({ type: 'oidc' })).data.providers).toHaveLength(1)
    const changed = await admin().updateProvider('custom:acme', { name: 'Acme Inc', scopes: ['profile'] })
    expect(changed.data).toMatchObject({ name: 'Acme Inc', scopes: ['openid', 'profile'], client_id: 'app' })
    expect((await admin().getProvider('custom:acme')).data).toMatchObject({ name: 'Acme Inc' })
    expect((await admin().deleteProvider('custom:acme')).error).toBeNull()
    expect((await admin().deleteProvider('custom:acme')).error).toMatchObject({
      code: 'custom_provider_not_found',
      status: 404,
    })
    expect((await admin().getProvider('custom:acme')).error).toMatchObject({
      code: 'custom_provider_not_found',
    })
    expect((await admin().updateProvider('custom:acme', {})).error).toMatchObject({
      code: 'custom_provider_not_found',
    })
    await admin().deleteProvider('custom:forge')
  })

  it('sign users in with OpenID Connect, and with ID tokens', async () => {
    await admin().createProvider(oidc)
    provider.faults.claims = { department: 'wards', secret: 'no' }
    const person = newProviderUser()
    const { client, userId } = await signInAndExchange(auth, provider, 'custom:acme', person)
    const [identity] = (await client.auth.getUserIdentities()).data!.identities
    expect(identity).toMatchObject({ provider: 'custom:acme', id: person.id, email: person.email })
    expect(identity!.identity_data!['custom_claims']).toEqual({ department: 'wards' })
    const { authorizationParams } = await signInWithProvider(provider, auth.client(), 'custom:acme', {
      queryParams: { prompt: 'none' },
    })
    expect(Object.fromEntries(authorizationParams)).toMatchObject({ prompt: 'login', scope: 'openid email' })
    expect(authorizationParams.get('code_challenge_method')).toBe('S256')
    provider.faults = {}
    const token = await provider.idToken('https://id.acme.test', { aud: 'app-ios' })
    const { data } = await auth.client().auth.signInWithIdToken({ provider: 'custom:acme', token })
    expect(data.user!.id).toBe(userId)
    // A token of another issuer, which is known as a built-in provider.
    const others = await provider.idToken('https://accounts.google.com', { aud: 'app' })
    const wrong = await auth.client().auth.signInWithIdToken({ provider: 'custom:acme', token: others })
    expect(wrong.error!.message).toBe('Bad ID token')
    await admin().updateProvider('custom:acme', { enabled: false })
    const off = await auth.client().auth.signInWithIdToken({ provider: 'custom:acme', token })
    expect(off.error).toMatchObject({ code: 'provider_disabled' })
    expect(await (await auth.request('/authorize?provider=custom:acme')).json()).toMatchObject({
      msg: 'Unsupported provider: custom provider custom:acme is disabled',
    })
    await admin().deleteProvider('custom:acme')
  })

  it('sign users in with OAuth 2, with mapped attributes', async () => {
    await admin().createProvider(oauth2)
    provider.person = newProviderUser({ email: '' })
    provider.answers = { '/me': { id: 77_001, login: 'ann', email_verified: true } }
    const client = auth.client()
    const { end } = await signInWithProvider(provider, client, 'custom:forge')
    const { data } = await client.auth.exchangeCodeForSession(end.searchParams.get('code')!)
    expect(data.user).toMatchObject({ email: '', user_metadata: { name: 'ann', sub: '77001' } })
    const { error } = await auth.client().auth.signInWithIdToken({ provider: 'custom:forge', token: 'x' })
    expect(error!.message).toBe('Provider "custom:forge" is not an OIDC provider')
    await admin().deleteProvider('custom:forge')
  })

  it.each(invalidCustomProviders)('are rejected: %o', async (body, message) => {
    const response = await faults(body)
    expect(response.status).toBe(400)
    expect(response.body.msg).toMatch(message)
  })

  it.each([
    ['down', /^OIDC discovery from "https:\/\/id\.acme\.test\/\.well-known\/openid-configuration" failed: /],
    [
      'otherIssuer',
      /issuer mismatch, expected "https:\/\/id\.acme\.test" got "https:\/\/appleid\.apple\.com"$/,
    ],
    ['incomplete', 'OIDC discovery document is missing required fields: token_endpoint'],
  ] as const)('are rejected if their discovery document is %s', async (discovery, message) => {
    provider.faults = { discovery }
    expect((await faults(oidc)).body.msg).toMatch(message)
    expect((await admin().listProviders()).data.providers).toEqual([])
  })

  it('do not share keys with another issuer', async () => {
    // A custom provider with Google's issuer, but another discovery URL, must not verify Google's tokens.
    const issuer = 'https://accounts.google.com'
    provider.answers = {
      '/document': {
        issuer,
        authorization_endpoint: 'https://elsewhere.test/a',
        token_endpoint: 'https://elsewhere.test/t',
        jwks_uri: 'https://elsewhere.test/keys',
      },
      '/keys': { keys: [] },
    }
    const { error } = await admin().createProvider({
      ...oidc,
      identifier: 'custom:google',
      issuer,
      discovery_url: 'https://elsewhere.test/document',
    })
    expect(error).toBeNull()
    provider.person = newProviderUser()
    const token = await provider.idToken(issuer, { aud: 'app' })
    const bring = async (name: string) =>
      (await auth.client().auth.signInWithIdToken({ provider: name, token })).error?.message
    expect([await bring('custom:google'), await bring('google')]).toEqual(['Bad ID token', undefined])
    await admin().deleteProvider('custom:google')
  })

  it('require a service key', async () => {
    const { client } = await signInAndExchange(auth, provider, 'google', newProviderUser())
    const bearer = (await client.auth.getSession()).data.session!.access_token
    const responses = await Promise.all([
      auth.request('/admin/custom-providers'),
      auth.request('/admin/custom-providers', { bearer }),
      auth.request('/admin/custom-providers', { json: oidc, bearer }),
    ])
    expect(responses.map((response) => response.status)).toEqual([403, 403, 403])
    const wrongType = await faults({}, 'PUT', '/acme')
    expect(wrongType.body.msg).toMatch(/^identifier must start with/)
  })
})
