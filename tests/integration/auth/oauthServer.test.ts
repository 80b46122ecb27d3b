import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SupabaseClient } from '@supabase/supabase-js'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { sweepAuthorizations } from '../../../backend/optional/oauthServer/authorization.ts'
import { createKeys, createSigningKey, loadKeys } from '../../../backend/auth/tokens/keys.ts'
import { signIn } from './support/testUser.ts'
import {
  uniqueEmail,
  startAuth,
  startDatabase,
  type AuthDatabase,
  type AuthServer,
} from './support/startAuth.ts'

let database: AuthDatabase
let auth: AuthServer
/** The same database, with the OAuth server disabled as by default. */
let plain: AuthServer
/** The same, without dynamic registration and consent page, and with an HS256 key. */
let closed: AuthServer
beforeAll(async () => {
  database = await startDatabase()
  auth = await startAuth(
    database,
    `[auth.oauth_server]
enabled = true
authorization_url_path = "/oauth/consent"
allow_dynamic_registration = true
[auth]
enable_manual_linking = true
[auth.passkey]
enabled = true
[auth.webauthn]
rp_id = "localhost"
rp_origins = ["http://localhost"]
`,
  )
  plain = await startAuth(database, '')
  const keys = await loadKeys({ ...(await createKeys()), signingKey: await createSigningKey('HS256') })
  closed = await startAuth(database, '[auth.oauth_server]\nenabled = true\n', { keys })
})
afterAll(async () => {
  await auth.stop()
  await plain.stop()
  await closed.stop()
  await database.stop()
})

const redirectUri = 'https://app.example/callback?kept=1'
const verifier = randomBytes(32).toString('base64url')
const challenge = createHash('sha256').update(verifier).digest('base64url')

interface Client {
  client_id: string
  client_secret?: string
}

async function makeClient(more: Record<string, unknown> = {}): Promise<Client> {
  const made = await auth.asService().auth.admin.oauth.createClient({
    client_name: 'Rota',
    redirect_uris: [redirectUri],
    ...more,
  })
  expect(made.error).toBeNull()
  return made.data!
}

/** A user who is signed in at the site. */
const enter = async (email?: string): Promise<SupabaseClient> => (await signIn(auth, email)).client

/** Adds a verified second factor; existing sessions stay at aal1. */
const addFactor = (userId: string) =>
  database.admin.query(
    `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at, secret)
     values (gen_random_uuid(), $1, 'totp', 'verified', now(), now(), 's')`,
    [userId],
  )

const tokenOf = async (client: SupabaseClient): Promise<string> =>
  (await client.auth.getSession()).data.session!.access_token

function authorizeUrl(client: Client, more: Record<string, string> = {}): string {
  const requests = {
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    scope: 'openid email profile',
    state: 's&1',
    nonce: 'n1',
    ...more,
  }
  return `/oauth/authorize?${new URLSearchParams(requests).toString()}`
}

async function begin(client: Client, more: Record<string, string> = {}): Promise<string> {
  const response = await auth.request(authorizeUrl(client, more))
  expect(response.status).toBe(302)
  const page = new URL(response.headers.get('location')!)
  expect(page.origin + page.pathname).toBe(`${auth.url}/oauth/consent`)
  return page.searchParams.get('authorization_id')!
}

/** The code of an approved request. */
async function letIn(person: SupabaseClient, client: Client, more?: Record<string, string>): Promise<string> {
  const id = await begin(client, more)
  const details = await person.auth.oauth.getAuthorizationDetails(id)
  expect(details.error).toBeNull()
  const approved =
    'redirect_url' in details.data! ? details : await person.auth.oauth.approveAuthorization(id)
  expect(approved.error).toBeNull()
  return new URL((approved.data as { redirect_url: string }).redirect_url).searchParams.get('code')!
}

type Form = Record<string, string>
const basic = (client: Client): Record<string, string> => ({
  authorization: `Basic ${btoa(`${client.client_id}:${client.client_secret ?? ''}`)}`,
})

async function requestToken(form: Form, headers: Record<string, string> = {}) {
  const response = await fetch(`${auth.url}/auth/v1/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const redeem = (client: Client, code: string, more: Form = {}) =>
  requestToken(
    { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri, ...more },
    basic(client),
  )

describe('the OAuth server', () => {
  it('completes a sign-in at a client', async () => {
    const client = await makeClient({ client_uri: 'https://app.example/', logo_uri: '/logo.png' })
    const email = uniqueEmail()
    const person = await enter(email)
    const id = await begin(client)
    const { data: details } = await person.auth.oauth.getAuthorizationDetails(id)
    const { user } = (await person.auth.getUser()).data
    expect(details).toEqual({
      authorization_id: id,
      redirect_uri: redirectUri,
      client: { id: client.client_id, name: 'Rota', uri: 'https://app.example/', logo_uri: '/logo.png' },
      user: { id: user!.id, email },
      scope: 'openid email profile',
    })
    const approved = await person.auth.oauth.approveAuthorization(id)
    const back = new URL(approved.data!.redirect_url)
    expect(back.origin + back.pathname).toBe('https://app.example/callback')
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ kept: '1', state: 's&1' })
    const { status, body } = await redeem(client, back.searchParams.get('code')!)
    expect(status).toBe(200)
    expect(Object.keys(body).toSorted()).toEqual([
      'access_token',
      'expires_in',
      'id_token',
      'refresh_token',
      'token_type',
    ])
    const claims = decodeJwt(body['access_token'] as string)
    expect(claims).toMatchObject({
      sub: user!.id,
      role: 'authenticated',
      client_id: client.client_id,
      scope: 'openid email profile',
      amr: [{ method: 'oauth_provider/authorization_code' }],
    })
    const metadata = (await (await auth.request('/.well-known/openid-configuration')).json()) as Form
    const jwks = createRemoteJWKSet(new URL(metadata['jwks_uri']!))
    const idToken = await jwtVerify(body['id_token'] as string, jwks, {
      issuer: metadata['issuer']!,
      audience: client.client_id,
    })
    expect(idToken.payload).toMatchObject({ sub: user!.id, nonce: 'n1', email, email_verified: true })
    expect(idToken.payload).toHaveProperty('auth_time')
    expect(idToken.payload).not.toHaveProperty('phone_number')
    const { rows } = await database.admin.query(
      'select oauth_client_id, scopes from auth.sessions where id = $1',
      [claims['session_id']],
    )
    expect(rows[0]).toEqual({ oauth_client_id: client.client_id, scopes: 'openid email profile' })

    const refreshed = await requestToken(
      { grant_type: 'refresh_token', refresh_token: body['refresh_token'] as string },
      basic(client),
    )
    expect(refreshed.status).toBe(200)
    expect(refreshed.body).not.toHaveProperty('user')
    expect(decodeJwt(refreshed.body['access_token'] as string)).toMatchObject({
      client_id: client.client_id,
      scope: 'openid email profile',
      session_id: claims['session_id'],
    })

    const bearer = refreshed.body['access_token'] as string
    const userInfo = await (await auth.request('/oauth/userinfo', { bearer })).json()
    expect(userInfo).toMatchObject({ sub: user!.id, email, email_verified: true, name: email })
    const grants = await person.auth.oauth.listGrants()
    expect(grants.data).toEqual([
      {
        client: expect.objectContaining({ id: client.client_id, name: 'Rota' }) as object,
        scopes: ['openid', 'email', 'profile'],
        granted_at: expect.any(String) as string,
      },
    ])
    // The user is not asked again for the same scopes.
    const again = await person.auth.oauth.getAuthorizationDetails(await begin(client, { scope: 'email' }))
    expect(Object.keys(again.data!)).toEqual(['redirect_url'])
    const more = await person.auth.oauth.getAuthorizationDetails(await begin(client, { scope: 'phone' }))
    expect(more.data).toHaveProperty('authorization_id')

    expect((await person.auth.oauth.revokeGrant({ clientId: client.client_id })).error).toBeNull()
    expect((await auth.request('/user', { bearer })).status).toBe(403)
    expect((await person.auth.oauth.listGrants()).data).toEqual([])
    expect((await person.auth.oauth.revokeGrant({ clientId: client.client_id })).error).toMatchObject({
      status: 404,
      code: 'oauth_consent_not_found',
    })
    const late = new URL((again.data as { redirect_url: string }).redirect_url).searchParams.get('code')!
    expect((await redeem(client, late)).body['error']).toBe('invalid_grant')
  })

  it('redirects with an error if the user denies', async () => {
    const client = await makeClient()
    const person = await enter()
    const id = await begin(client)
    await person.auth.oauth.getAuthorizationDetails(id)
    const denied = await person.auth.oauth.denyAuthorization(id)
    expect(denied.data!.redirect_url).toBe(
      'https://app.example/callback?kept=1&error=access_denied&error_description=User+denied+the+request&state=s%261',
    )
    expect((await person.auth.oauth.approveAuthorization(id)).error).toMatchObject({
      status: 400,
      code: 'validation_failed',
    })
  })

  it('accepts no decision of another user, nor after expiry', async () => {
    const client = await makeClient()
    const [ann, bea] = [await enter(), await enter()]
    const id = await begin(client)
    // A request must be opened before it is approved.
    expect((await ann.auth.oauth.approveAuthorization(id)).error?.status).toBe(404)
    expect((await ann.auth.oauth.getAuthorizationDetails(id)).error).toBeNull()
    for (const error of [
      (await bea.auth.oauth.getAuthorizationDetails(id)).error,
      (await bea.auth.oauth.approveAuthorization(id)).error,
      (await bea.auth.oauth.denyAuthorization(id)).error,
      (await ann.auth.oauth.getAuthorizationDetails('x')).error,
    ]) {
      expect(error).toMatchObject({ status: 404, code: 'oauth_authorization_not_found' })
    }
    const aged = `update auth.oauth_authorizations set created_at = created_at - interval '11 minutes',
      expires_at = expires_at - interval '11 minutes' where authorization_id = $1 or authorization_code = $1`
    await database.admin.query(aged, [id])
    expect((await ann.auth.oauth.approveAuthorization(id)).error?.status).toBe(404)
    const { rows } = await database.admin.query(
      'select status from auth.oauth_authorizations where authorization_id = $1',
      [id],
    )
    expect(rows).toEqual([{ status: 'expired' }])
    const code = await letIn(ann, client)
    await database.admin.query(aged, [code])
    expect((await redeem(client, code)).body).toEqual({
      error: 'invalid_grant',
      error_description: 'Authorization code has expired',
    })
  })

  it('ends the session of a code that is reused', async () => {
    const client = await makeClient()
    const person = await enter()
    const code = await letIn(person, client)
    const first = await redeem(client, code)
    const bearer = first.body['access_token'] as string
    expect((await auth.request('/user', { bearer })).status).toBe(200)
    // Another client that uses it ends nothing.
    expect((await redeem(await makeClient(), code)).body['error']).toBe('invalid_grant')
    expect((await auth.request('/user', { bearer })).status).toBe(200)
    expect((await redeem(client, code)).body).toEqual({
      error: 'invalid_grant',
      error_description: 'Invalid authorization code',
    })
    expect((await auth.request('/user', { bearer })).status).toBe(403)
    expect((await person.auth.getUser()).error).toBeNull()
  })

  it('exchanges a code once in concurrent requests', async () => {
    const client = await makeClient()
    const code = await letIn(await enter(), client)
    const responses = await Promise.all(Array.from({ length: 20 }, () => redeem(client, code)))
    expect(responses.filter((response) => response.status === 200)).toHaveLength(1)
    const { rows } = await database.admin.query('select 1 from auth.sessions where oauth_client_id = $1', [
      client.client_id,
    ])
    expect(rows).toHaveLength(0)
  })

  it('leaves no session when a consent is revoked while its code is redeemed', async () => {
    const client = await makeClient()
    const person = await enter()
    for (let round = 0; round < 6; round++) {
      await letIn(person, client)
      const id = await begin(client)
      const sendRequest = person.auth.oauth.getAuthorizationDetails(id)
      const takeBack = person.auth.oauth.revokeGrant({ clientId: client.client_id })
      const [requests, taken] = await Promise.all([sendRequest, takeBack])
      expect([requests.error, taken.error]).toEqual([null, null])
      const url = (requests.data as { redirect_url?: string }).redirect_url
      if (url === undefined) continue
      const response = await redeem(client, new URL(url).searchParams.get('code')!)
      expect(response.body['error']).toBe('invalid_grant')
    }
    const { rowCount } = await database.admin.query(
      'select 1 from auth.sessions where oauth_client_id = $1',
      [client.client_id],
    )
    expect(rowCount).toBe(0)
  })

  it('deletes requests a day after they expired', async () => {
    const client = await makeClient()
    const [old, young] = [await begin(client), await begin(client)]
    await database.admin.query(
      `update auth.oauth_authorizations set created_at = created_at - interval '25 hours',
         expires_at = expires_at - interval '25 hours' where authorization_id = $1`,
      [old],
    )
    await sweepAuthorizations(database.admin)
    const { rows } = await database.admin.query(
      'select authorization_id as id from auth.oauth_authorizations where client_id = $1',
      [client.client_id],
    )
    expect(rows).toEqual([{ id: young }])
  })

  it('rejects codes and tokens of other clients', async () => {
    const client = await makeClient()
    const other = await makeClient()
    const person = await enter()
    const code = await letIn(person, client)
    const faults: [Promise<{ status: number; body: Record<string, unknown> }>, Record<string, unknown>][] = [
      [redeem(client, code, { redirect_uri: 'https://evil.example/' }), { error: 'invalid_grant' }],
      [redeem(client, code, { code_verifier: 'x'.repeat(43) }), { error: 'invalid_grant' }],
      [redeem(client, code, { code_verifier: '' }), { error: 'invalid_grant' }],
      [redeem(other, code), { error: 'invalid_grant' }],
      [redeem(client, ''), { error: 'invalid_request' }],
      [redeem(client, randomUUID()), { error: 'invalid_grant' }],
      [redeem(client, 'a\u0000b'), { error: 'invalid_grant' }],
      [
        redeem({ ...client, client_secret: other.client_secret! }, code),
        { error_code: 'invalid_credentials' },
      ],
      [redeem({ client_id: randomUUID() }, code), { error_code: 'invalid_credentials' }],
      [redeem({ client_id: 'x' }, code), { error_code: 'invalid_credentials' }],
      [requestToken({ grant_type: 'authorization_code', code }), { error_code: 'invalid_credentials' }],
      [
        requestToken({ grant_type: 'authorization_code', code, client_id: client.client_id }),
        { error_code: 'invalid_credentials' },
      ],
      [
        requestToken({
          grant_type: 'authorization_code',
          code,
          client_id: client.client_id,
          client_secret: client.client_secret!,
        }),
        { msg: expect.stringContaining("'client_secret_basic' but 'client_secret_post'") as string },
      ],
      [requestToken({ code }, { authorization: 'Basic !' }), { error_code: 'invalid_credentials' }],
      [
        requestToken({ code }, { authorization: `Basic ${btoa('x')}` }),
        { error_code: 'invalid_credentials' },
      ],
      [requestToken({ code }, basic(client)), { error: 'invalid_request' }],
      [requestToken({ grant_type: 'password' }, basic(client)), { error: 'unsupported_grant_type' }],
      [requestToken({ grant_type: 'refresh_token' }, basic(client)), { error: 'invalid_request' }],
      [
        requestToken({ grant_type: 'refresh_token', refresh_token: 'abcdefghijkl' }, basic(client)),
        { error_code: 'refresh_token_not_found' },
      ],
    ]
    for (const [requests, expected] of faults) {
      const response = await requests
      expect(response).toMatchObject({ status: 400, body: expected })
    }
    // None of these consumed the code.
    const { body } = await redeem(client, code)
    const refreshToken = body['refresh_token'] as string
    expect(refreshToken).toMatch(/^\S+$/)
    const site = await auth.request('/token?grant_type=refresh_token', {
      json: { refresh_token: refreshToken },
    })
    expect([site.status, await site.json()]).toEqual([
      400,
      { error: 'invalid_client', error_description: 'Client authentication required for OAuth session' },
    ])
    const ofSite = (await person.auth.getSession()).data.session!.refresh_token
    for (const [token, by] of [
      [refreshToken, other],
      [ofSite, client],
    ] as const) {
      const response = await requestToken({ grant_type: 'refresh_token', refresh_token: token }, basic(by))
      expect(response).toMatchObject({ status: 400, body: { error: 'invalid_client' } })
    }
    const still = await requestToken(
      { grant_type: 'refresh_token', refresh_token: refreshToken },
      basic(client),
    )
    expect(still.status).toBe(200)
  })

  it('lets no client open or approve requests for the user', async () => {
    const client = await makeClient()
    const person = await enter()
    const { body } = await redeem(client, await letIn(person, client))
    const bearer = body['access_token'] as string
    const id = await begin(client, { scope: 'phone' })
    for (const [path, init] of [
      [`/oauth/authorizations/${id}`, {}],
      [`/oauth/authorizations/${id}/consent`, { json: { action: 'approve' } }],
      ['/user/oauth/grants', {}],
      [`/user/oauth/grants?client_id=${client.client_id}`, { method: 'DELETE' }],
    ] as const) {
      const response = await auth.request(path, { ...init, bearer })
      expect([path, response.status]).toEqual([path, 403])
    }
    // Nor is it an administrator, even if the user is one.
    await database.admin.query(`update auth.users set role = 'supabase_admin' where id = $1`, [
      decodeJwt(bearer).sub,
    ])
    const raised = await requestToken(
      { grant_type: 'refresh_token', refresh_token: body['refresh_token'] as string },
      basic(client),
    )
    expect(decodeJwt(raised.body['access_token'] as string)).toMatchObject({ role: 'supabase_admin' })
    const list = await auth.request('/admin/users', { bearer: raised.body['access_token'] as string })
    expect(list.status).toBe(403)
    // An ID token is not accepted as an access token.
    const idToken = body['id_token'] as string
    expect((await auth.request('/user', { bearer: idToken })).status).toBe(403)
    expect((await auth.request('/oauth/userinfo', { bearer: idToken })).status).toBe(403)
  })

  it('lets no client change the account or sign the user out', async () => {
    const client = await makeClient()
    const person = await enter()
    const bearer = (await redeem(client, await letIn(person, client))).body['access_token'] as string
    const some = randomUUID()
    const remaining = { method: 'PUT', json: { data: { name: 'Omar' } } }
    for (const [path, init] of [
      ['/user', remaining],
      ['/reauthenticate', {}],
      ['/factors', { json: { factor_type: 'totp' } }],
      [`/factors/${some}/challenge`, { json: {} }],
      [`/factors/${some}/verify`, { json: {} }],
      [`/factors/${some}`, { method: 'DELETE' }],
      ['/passkeys', {}],
      ['/passkeys/registration/options', { json: {} }],
      ['/passkeys/registration/verify', { json: {} }],
      [`/passkeys/${some}`, { method: 'PATCH', json: {} }],
      [`/passkeys/${some}`, { method: 'DELETE' }],
      ['/user/identities/authorize?provider=github', {}],
      [`/user/identities/${some}`, { method: 'DELETE' }],
      ['/token?grant_type=id_token', { json: { provider: 'google', id_token: 'x', link_identity: true } }],
      ['/logout', { json: {} }],
      ['/logout?scope=others', { json: {} }],
    ] as [string, RequestInit & { json?: unknown }][]) {
      const response = await auth.request(path, { ...init, bearer })
      expect([path, response.status, response.headers.get('x-sb-error-code')]).toEqual([
        path,
        403,
        'no_authorization',
      ])
    }
    expect((await auth.request('/user', { ...remaining, bearer: await tokenOf(person) })).status).toBe(200)
    // It may read its claims, and end its session.
    expect((await auth.request('/user', { bearer })).status).toBe(200)
    expect((await auth.request('/logout?scope=local', { json: {}, bearer })).status).toBe(204)
    expect((await auth.request('/user', { bearer })).status).toBe(403)
    expect((await person.auth.getUser()).error).toBeNull()
  })

  it('exchanges no code after a global sign-out or a new password', async () => {
    const client = await makeClient()
    for (const end of [
      (person: SupabaseClient) => person.auth.signOut(),
      (person: SupabaseClient) => person.auth.updateUser({ password: 'Correct-horse-9-battery' }),
    ]) {
      const person = await enter()
      const codes = [await letIn(person, client), await letIn(person, client)]
      expect((await redeem(client, codes[0]!)).status).toBe(200)
      const { id } = (await person.auth.getUser()).data.user!
      const locked = randomUUID()
      await database.admin.query(
        `insert into auth.flow_state (id, user_id, auth_code, code_challenge_method, code_challenge, provider_type,
           authentication_method, created_at, updated_at, auth_code_issued_at)
         values ($1, $2, $1::uuid::text, 's256', $3, 'recovery', 'recovery', now(), now(), now())`,
        [locked, id, challenge],
      )
      expect((await end(person)).error).toBeNull()
      expect(await redeem(client, codes[1]!)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
      const json = { auth_code: locked, code_verifier: verifier }
      expect((await auth.request('/token?grant_type=pkce', { json })).status).toBe(404)
    }
  })

  it('requires the second factor to approve a request', async () => {
    const person = await enter()
    const id = await begin(await makeClient())
    await addFactor((await person.auth.getUser()).data.user!.id)
    const bearer = await tokenOf(person)
    for (const [path, init] of [
      [`/oauth/authorizations/${id}`, {}],
      [`/oauth/authorizations/${id}/consent`, { json: { action: 'approve' } }],
    ] as const) {
      const response = await auth.request(path, { ...init, bearer })
      expect([response.status, response.headers.get('x-sb-error-code')]).toEqual([403, 'insufficient_aal'])
    }
    await database.admin.query(`update auth.sessions set aal = 'aal2' where id = $1`, [
      decodeJwt(bearer)['session_id'],
    ])
    expect((await auth.request(`/oauth/authorizations/${id}`, { bearer })).status).toBe(200)
  })

  it('rejects decisions from another origin', async () => {
    const bearer = await tokenOf(await enter())
    const id = await begin(await makeClient())
    for (const [origin, status] of [
      ['https://evil.example', 400],
      [auth.url, 200],
    ] as const) {
      const response = await auth.request(`/oauth/authorizations/${id}`, { bearer, headers: { origin } })
      expect(response.status).toBe(status)
    }
    const consent = `/oauth/authorizations/${id}/consent`
    expect((await auth.request(consent, { bearer, json: { action: 'perhaps' } })).status).toBe(400)
    expect((await auth.request(consent, { bearer, method: 'POST', body: '{' })).status).toBe(400)
    expect((await auth.request(consent, { json: { action: 'approve' } })).status).toBe(403)
    expect((await auth.request('/oauth/userinfo')).status).toBe(403)
  })
})

describe('an authorization request', () => {
  it('gets an error page without a valid client', async () => {
    const client = await makeClient()
    const gone = await makeClient()
    await auth.asService().auth.admin.oauth.deleteClient(gone.client_id)
    const faults: [Record<string, string>, string][] = [
      [{ client_id: '' }, 'validation_failed'],
      [{ redirect_uri: '' }, 'validation_failed'],
      [{ client_id: 'x' }, 'oauth_client_not_found'],
      [{ client_id: randomUUID() }, 'oauth_client_not_found'],
      [{ client_id: gone.client_id }, 'oauth_client_not_found'],
      // Nothing that resembles the client's redirect URI.
      ...[
        'https://evil.example/',
        `${redirectUri}&x=1`,
        `${redirectUri}#x`,
        redirectUri.toUpperCase(),
        'https://app.example/callback',
        'https://app.example/callback?kept=1/../x',
        `https://app.example@evil.example/callback?kept=1`,
      ].map((uri): [Record<string, string>, string] => [{ redirect_uri: uri }, 'validation_failed']),
    ]
    for (const [more, code] of faults) {
      const response = await auth.request(authorizeUrl(client, more))
      const body = (await response.json()) as Record<string, unknown>
      expect([more, response.status, body['error_code']]).toEqual([more, 400, code])
      expect(response.headers.get('location')).toBeNull()
    }
  })

  it('redirects to the client with its error', async () => {
    const client = await makeClient()
    const faults: [Record<string, string>, string, string][] = [
      [{ response_type: 'token' }, 'invalid_request', 'only response_type=code is supported'],
      [{ scope: ' ' }, 'invalid_request', 'scope parameter cannot be empty'],
      [{ scope: 'openid admin' }, 'invalid_request', 'unsupported scope: admin'],
      [{ resource: '/x' }, 'invalid_request', 'resource must be an absolute URI'],
      [{ resource: 'https://x/#a' }, 'invalid_request', 'resource must not include a fragment component'],
      [{ resource: 'https://x/?a' }, 'invalid_request', 'resource must not include a query component'],
      [
        { code_challenge: '' },
        'invalid_request',
        'PKCE flow requires both code_challenge and code_challenge_method',
      ],
      [
        { code_challenge_method: 'md5' },
        'invalid_request',
        "code_challenge_method must be 'S256' or 'plain'",
      ],
      [
        { code_challenge: 'short' },
        'invalid_request',
        'code_challenge must be between 43 and 128 characters',
      ],
      [{ nonce: 'n'.repeat(256) }, 'server_error', 'error creating authorization'],
      [{ state: '\u0000' }, 'server_error', 'error creating authorization'],
    ]
    for (const [more, error, description] of faults) {
      const response = await auth.request(authorizeUrl(client, more))
      expect(response.status).toBe(302)
      const back = new URL(response.headers.get('location')!)
      expect(back.origin + back.pathname).toBe('https://app.example/callback')
      expect(Object.fromEntries(back.searchParams)).toEqual({
        kept: '1',
        error,
        error_description: description,
        state: more['state'] ?? 's&1',
      })
    }
  })

  it('escapes characters that are invalid in a header', async () => {
    const uri = 'ünder://bücher/zurück'.replace('ünder', 'under')
    const client = await makeClient({ redirect_uris: [uri] })
    const response = await auth.request(authorizeUrl(client, { redirect_uri: uri, scope: 'x' }))
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toMatch(/^under:\/\/b%C3%BCcher\/zur%C3%BCck\?error=/)
  })
})

it('accepts unusual input', async () => {
  const client = await makeClient()
  const bearer = await tokenOf(await enter())
  const id = await begin(client)
  const odd = ['\u0000', '\ud800', '[]', '{"a":', 'null', '9'.repeat(400), '%E0%A4%A']
  const tokenAt = (path: string) => (path.startsWith('/admin') ? auth.serviceRoleKey : bearer)
  const paths = (text: string, raw: string) => [
    `/oauth/authorize?client_id=${text}&redirect_uri=${text}`,
    authorizeUrl(client, { scope: raw, state: raw, nonce: raw, resource: raw }),
    authorizeUrl(client, { state: raw, nonce: raw }),
    `/oauth/authorizations/${encodeURIComponent(text)}`,
    `/user/oauth/grants?client_id=${text}`,
    `/admin/oauth/clients/${encodeURIComponent(text)}`,
    `/admin/audit?query=${text}&page=${text}`,
    `/admin/users?filter=${text}`,
  ]
  for (const raw of odd) {
    // Unpaired surrogates cannot be escaped, and escaped input stays the same.
    const text = raw === '\ud800' ? '%ED%A0%80' : raw.startsWith('%') ? raw : encodeURIComponent(raw)
    for (const path of paths(text, raw)) {
      const { status } = await auth.request(path, { bearer: tokenAt(path) })
      expect([path, status < 500]).toEqual([path, true])
    }
    for (const [path, type] of [
      ['/oauth/token', 'application/json'],
      ['/oauth/token', 'application/x-www-form-urlencoded'],
      [`/oauth/authorizations/${id}/consent`, 'application/json'],
      ['/admin/oauth/clients', 'application/json'],
      ['/admin/generate_link', 'application/json'],
    ] as const) {
      const headers = { ...(path === '/oauth/token' ? basic(client) : {}), 'content-type': type }
      const params = JSON.stringify({ action: raw, client_id: raw, email: raw, type: raw, grant_type: raw })
      const body = raw.startsWith('9') ? params : raw
      const { status } = await auth.request(path, { method: 'POST', body, headers, bearer: tokenAt(path) })
      expect([path, type, body, status < 500]).toEqual([path, type, body, true])
    }
  }
})

describe('clients of the OAuth server', () => {
  const oauth = () => auth.asService().auth.admin.oauth

  it('are created, read, changed, listed, given new secrets and deleted', async () => {
    const made = await oauth().createClient({
      client_name: 'Rota',
      redirect_uris: [redirectUri, 'http://localhost:3000/x', 'rota://back'],
      scope: 'admin',
      // A client cannot choose its registration type.
      ...({ client_id: randomUUID(), registration_type: 'dynamic', client_secret: 'mine' } as object),
    })
    const { client_id: id, client_secret: secret, ...client } = made.data!
    expect(client).toEqual({
      client_name: 'Rota',
      client_type: 'confidential',
      token_endpoint_auth_method: 'client_secret_basic',
      registration_type: 'manual',
      redirect_uris: [redirectUri, 'http://localhost:3000/x', 'rota://back'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      created_at: expect.any(String) as string,
      updated_at: expect.any(String) as string,
    })
    expect(secret).toMatch(/^[\w-]{43}$/)
    expect((await oauth().getClient(id)).data).toEqual({ client_id: id, ...client })
    const changed = await oauth().updateClient(id, {
      client_name: 'Roster',
      grant_types: ['authorization_code'],
      token_endpoint_auth_method: 'client_secret_post',
    })
    expect(changed.data).toMatchObject({
      client_name: 'Roster',
      redirect_uris: client.redirect_uris,
      token_endpoint_auth_method: 'client_secret_post',
    })
    const listed = await oauth().listClients()
    expect(listed.data.clients.map((one) => one.client_id)).toContain(id)
    const code = await letIn(await enter(), { client_id: id })
    const sendRequest = (client_secret: string, more: Form = {}) =>
      fetch(`${auth.url}/auth/v1/oauth/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          grant_type: 'authorization_code',
          code,
          code_verifier: verifier,
          client_id: id,
          client_secret,
          ...more,
        }),
      })
    const fresh = (await oauth().regenerateClientSecret(id)).data!.client_secret!
    expect(fresh).not.toBe(secret)
    expect((await sendRequest(secret!)).status).toBe(400)
    expect((await sendRequest(fresh, { grant_type: 'refresh_token' })).status).toBe(400)
    expect(await (await sendRequest(fresh, { resource: 'https://other.example/' })).json()).toMatchObject({
      error: 'invalid_grant',
    })
    const response = (await (await sendRequest(fresh)).json()) as Form
    expect((await auth.request('/user', { bearer: response['access_token']! })).status).toBe(200)
    expect((await oauth().deleteClient(id)).error).toBeNull()
    expect((await auth.request('/user', { bearer: response['access_token']! })).status).toBe(403)
    for (const { error } of [
      await oauth().getClient(id),
      await oauth().updateClient(id, { client_name: 'x' }),
      await oauth().deleteClient(id),
      await oauth().regenerateClientSecret(id),
    ]) {
      expect(error).toMatchObject({ status: 404, code: 'oauth_client_not_found' })
    }
  })

  it('are public without a secret', async () => {
    const client = await makeClient({ token_endpoint_auth_method: 'none' })
    expect(client).toMatchObject({ client_type: 'public' })
    expect(client).not.toHaveProperty('client_secret')
    const code = await letIn(await enter(), client, {
      code_challenge: verifier,
      code_challenge_method: 'plain',
    })
    const form = { grant_type: 'authorization_code', code, client_id: client.client_id }
    expect((await requestToken({ ...form, client_secret: 'x', code_verifier: verifier })).status).toBe(400)
    expect((await requestToken({ ...form, code_verifier: challenge })).status).toBe(400)
    expect((await requestToken({ ...form, code_verifier: verifier })).status).toBe(200)
    expect((await oauth().regenerateClientSecret(client.client_id)).error?.status).toBe(400)
  })

  it('are rejected with a message if invalid', async () => {
    const uri = (text: string): object => ({ redirect_uris: [text] })
    const good = uri(redirectUri)
    const faults: [object | string, string][] = [
      ['{', 'bad_json'],
      [{ redirect_uris: redirectUri }, 'bad_json'],
      [{ redirect_uris: [1] }, 'bad_json'],
      [{ ...good, client_name: 1 }, 'bad_json'],
      [{}, 'validation_failed'],
      [{ redirect_uris: [] }, 'validation_failed'],
      [
        { redirect_uris: Array.from({ length: 11 }, (_, i) => `https://x.example/${i}`) },
        'validation_failed',
      ],
      ...[
        '',
        'x',
        '/x',
        'https:x.example',
        'https://',
        'http://x.example/',
        'http://localhost.evil.example/',
        'http://127.0.0.1.evil.example/',
        'javascript://x/%0aalert(1)',
        'JavaScript:alert(1)',
        'data:text/html,x',
        'https://x.example/#a',
        'https://x.example/,javascript:alert(1)',
        'https://x.example\\@y.example/',
        'https://x.example/ y',
        'https://x.example/\n',
        'https://x.example@y.example/',
        'rota://:x.example@back',
      ].map((text): [object, string] => [uri(text), 'validation_failed']),
      [{ ...good, grant_types: ['password'] }, 'validation_failed'],
      [{ ...good, client_name: 'x'.repeat(1025) }, 'validation_failed'],
      [{ ...good, client_name: 'a\u0000' }, 'validation_failed'],
      [{ ...good, client_name: 'Rota\u202e' }, 'validation_failed'],
      [{ ...good, client_uri: 'javascript:alert(1)' }, 'validation_failed'],
      [{ ...good, logo_uri: 'x' }, 'validation_failed'],
      [{ ...good, logo_uri: `https://x/${'x'.repeat(2048)}` }, 'validation_failed'],
      [{ ...good, client_type: 'secret' }, 'validation_failed'],
      [{ ...good, token_endpoint_auth_method: 'private_key_jwt' }, 'validation_failed'],
      [
        { ...good, client_type: 'public', token_endpoint_auth_method: 'client_secret_post' },
        'validation_failed',
      ],
    ]
    const body = (fault: object | string): RequestInit => ({
      body: typeof fault === 'string' ? fault : JSON.stringify(fault),
    })
    const { client_id: id } = await makeClient()
    for (const [fault, code] of faults) {
      for (const [method, path] of [
        ['POST', '/admin/oauth/clients'],
        ['PUT', `/admin/oauth/clients/${id}`],
      ] as const) {
        // Missing fields stay the same, and the client type cannot change.
        if (method === 'PUT' && JSON.stringify(fault).includes('client_type')) continue
        const response = await auth.request(path, { method, ...body(fault), bearer: auth.serviceRoleKey })
        const { error_code: userInfo } = (await response.json()) as Form
        expect([method, path, fault, response.status, userInfo]).toEqual([method, path, fault, 400, code])
      }
    }
    const { data } = await oauth().getClient(id)
    expect(data).toMatchObject({ client_name: 'Rota', redirect_uris: [redirectUri] })
    for (const fault of [{ token_endpoint_auth_method: 'none' as const }, { grant_types: [] }, {}]) {
      const { error } = await oauth().updateClient(id, fault)
      expect([fault, error?.status, error?.code]).toEqual([fault, 400, 'validation_failed'])
    }
    const odd = await auth.request('/admin/oauth/clients/x', { bearer: auth.serviceRoleKey })
    expect([odd.status, ((await odd.json()) as Form)['error_code']]).toEqual([400, 'validation_failed'])
  })

  it('register themselves if enabled, and are marked as dynamic', async () => {
    const register = (server: AuthServer, redirect_uris: string[]) =>
      server.request('/oauth/clients/register', {
        json: { redirect_uris, token_endpoint_auth_method: 'none' },
      })
    const response = await register(auth, [redirectUri])
    expect(response.status).toBe(201)
    const client = (await response.json()) as Client
    expect(client).toMatchObject({ registration_type: 'dynamic', client_type: 'public' })
    expect((await auth.request(authorizeUrl(client))).status).toBe(302)
    const wrong = await register(auth, ['javascript://x'])
    expect(await wrong.json()).toMatchObject({ code: 400, error_code: 'validation_failed' })
    const refused = await register(closed, [redirectUri])
    expect([refused.status, ((await refused.json()) as Form)['error_code']]).toEqual([
      403,
      'oauth_dynamic_client_registration_disabled',
    ])
    for (const [scope, reason] of [
      ['email', 'oauth authorization path not configured'],
      // With a shared secret nobody else could verify an ID token.
      ['openid', 'HS256 is not supported for ID token signing'],
    ] as const) {
      const back = await closed.request(authorizeUrl(client, { scope }))
      const { searchParams } = new URL(back.headers.get('location')!)
      expect([searchParams.get('error'), searchParams.get('error_description')]).toEqual([
        'server_error',
        reason,
      ])
    }
  })

  it('are limited in registrations', async () => {
    const statuses: number[] = []
    for (let i = 0; i < 31; i++) {
      statuses.push((await closed.request('/oauth/clients/register', { json: {} })).status)
    }
    expect(statuses[0]).toBe(403)
    expect(statuses.at(-1)).toBe(429)
  })

  it('require a service key', async () => {
    const bearer = await tokenOf(await enter())
    for (const [token, code] of [
      [auth.anonKey, 'not_admin'],
      [bearer, 'not_admin'],
    ] as const) {
      const response = await auth.request('/admin/oauth/clients', { bearer: token })
      expect([response.status, ((await response.json()) as Form)['error_code']]).toEqual([403, code])
    }
  })
})

describe('the server metadata', () => {
  it('contains the endpoints, and whether clients may register', async () => {
    for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']) {
      const response = await auth.request(path)
      expect(response.headers.get('cache-control')).toBe('public, max-age=600')
      expect(await response.json()).toMatchObject({
        issuer: `${auth.url}/auth/v1`,
        authorization_endpoint: `${auth.url}/auth/v1/oauth/authorize`,
        token_endpoint: `${auth.url}/auth/v1/oauth/token`,
        registration_endpoint: `${auth.url}/auth/v1/oauth/clients/register`,
        code_challenge_methods_supported: ['S256', 'plain'],
      })
    }
  })

  it('is not found if the server is disabled', async () => {
    const disabled = { status: 404, code: 'feature_disabled' }
    const { admin, oauth } = plain.asService().auth
    expect((await admin.oauth.listClients()).error).toMatchObject(disabled)
    expect((await admin.oauth.createClient({ client_name: 'x', redirect_uris: [] })).error).toMatchObject(
      disabled,
    )
    expect(oauth).toBeDefined()
    for (const [path, init] of [
      ['/.well-known/oauth-authorization-server', {}],
      ['/oauth/authorize', {}],
      ['/oauth/token', { json: {} }],
      ['/oauth/clients/register', { json: {} }],
      ['/oauth/userinfo', {}],
      ['/oauth/authorizations/x', {}],
      ['/oauth/authorizations/x/consent', { json: {} }],
    ] as const) {
      const response = await plain.request(path, init)
      expect([path, response.status]).toEqual([path, 404])
      expect(await response.json()).toMatchObject({ error_code: 'feature_disabled' })
    }
    const metadata = (await (await plain.request('/.well-known/openid-configuration')).json()) as Form
    expect(metadata).not.toHaveProperty('registration_endpoint')
  })
})
