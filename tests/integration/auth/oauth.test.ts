import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startProvider, type FakeProvider } from '../../support/oidc/startProvider.ts'
import {
  continueAtProvider,
  signInWithProvider,
  followCallback,
  newProviderUser,
  signInAndExchange,
} from './support/providerSignIn.ts'
import { providerProfiles } from './support/providerProfiles.ts'
import { faultyProviders } from './support/faultyProviders.ts'
import { hashedNonce, nonce, invalidIdTokens } from './support/invalidIdTokens.ts'
import {
  latestMailTo,
  uniqueEmail,
  startAuth,
  startDatabase,
  type AuthDatabase,
  type AuthServer,
} from './support/startAuth.ts'

const app = 'client_id = "app,app-ios"\nsecret = "secret-of-app"'
const table = (name: string, more = ''): string =>
  `[auth.external.${name}]\nenabled = true\n${app}\n${more}\n`
const toml = `
[auth]
additional_redirect_urls = ["https://app.example.com/**"]
[auth.email]
enable_confirmations = true
max_frequency = "0s"
${Object.keys(providerProfiles)
  .map((name) => table(name, name === 'keycloak' ? 'url = "https://id.example.com/realms/staff"' : ''))
  .join('')}
${table('azure')}
${table('linkedin_oidc')}
${table('vercel_marketplace')}
${table('workos')}
${table('twitter', 'email_optional = true')}
`

let database: AuthDatabase
let provider: FakeProvider
let auth: AuthServer

beforeAll(async () => {
  ;[database, provider] = await Promise.all([startDatabase(), startProvider({ alg: 'RS256' })])
  auth = await startAuth(database, toml, { outbound: provider.outbound })
})
afterAll(async () => {
  await auth.stop()
  await provider.stop()
  await database.stop()
})
afterEach(() => {
  provider.faults = {}
  provider.answers = {}
})

const countUsers = async (): Promise<number> =>
  (await database.admin.query<{ n: number }>('select count(*)::int as n from auth.users')).rows[0]!.n

describe('every provider', () => {
  it.each(
    Object.entries(providerProfiles).filter(([, receivedUser]) => receivedUser.verifiesAddresses !== false),
  )('%s signs a user in', async (name, receivedUser) => {
    const person = newProviderUser()
    provider.person = person
    provider.answers = receivedUser.responses(person)
    const client = auth.client()
    const { authorizationParams, end } = await signInWithProvider(provider, client, name)
    expect(authorizationParams.get('client_id')).toBe('app')
    expect(authorizationParams.get('redirect_uri')).toBe(`${auth.url}/auth/v1/callback`)
    expect(end.href).toMatch(/\?code=[0-9a-f-]{36}$/)
    const { data, error } = await client.auth.exchangeCodeForSession(end.searchParams.get('code')!)
    expect(error).toBeNull()
    expect(data.session).toMatchObject({ provider_refresh_token: 'refresh-of-the-provider' })
    expect(data.session!.provider_token).toMatch(/^access-/)
    expect(data.user).toMatchObject({
      email: person.email,
      app_metadata: { provider: name, providers: [name] },
    })
    const [identity, ...others] = data.user!.identities!
    expect(others).toEqual([])
    expect(identity).toMatchObject({ provider: name, id: person.id, email: person.email })
    expect(identity!.identity_data).toMatchObject({
      sub: person.id,
      provider_id: person.id,
      email: person.email,
      email_verified: true,
      phone_verified: false,
      ...receivedUser.expected(person),
    })
    expect(data.user!.user_metadata).toMatchObject({ sub: person.id, email_verified: true })
  })

  it('sends a confirmation mail for an unverified address', async () => {
    const person = newProviderUser()
    provider.person = person
    provider.answers = providerProfiles['spotify']!.responses(person)
    const { end } = await signInWithProvider(provider, auth.client(), 'spotify')
    expect(Object.fromEntries(end.searchParams)).toMatchObject({
      error: 'access_denied',
      error_code: 'provider_email_needs_verification',
    })
    const link = /href="([^"]*\/verify\?[^"]+)"/.exec(latestMailTo(auth, person.email).html)![1]!
    await fetch(link.replaceAll('&amp;', '&'), { redirect: 'manual' })
    const { userId } = await signInAndExchange(auth, provider, 'spotify', person)
    expect(userId).toMatch(/^[0-9a-f-]{36}$/)
  })

  const tenant = 'https://login.microsoftonline.com/9f1d6d4e-0000-4000-8000-000000000001/v2.0'
  it.each([
    ['azure', { iss: tenant, preferred_username: 'ann@corp', tid: 't' }, { custom_claims: { tid: 't' } }],
    [
      'linkedin_oidc',
      { iss: 'https://www.linkedin.com/oauth', given_name: 'Ann', email_verified: 'true' },
      {},
    ],
    ['vercel_marketplace', { iss: 'https://marketplace.vercel.com', user_name: 'Ann' }, { name: 'Ann' }],
  ])('%s signs a user in with an ID token', async (name, claims, expected) => {
    const person = newProviderUser()
    provider.faults.claims = { ...claims, user_email: person.email }
    const { client } = await signInAndExchange(auth, provider, name, person)
    const { data } = await client.auth.getUserIdentities()
    expect(data!.identities[0]).toMatchObject({ provider: name, id: person.id, email: person.email })
    expect(data!.identities[0]!.identity_data).toMatchObject({ iss: claims.iss, ...expected })
  })

  it('workos returns the user with the token', async () => {
    const { status } = await auth.request('/authorize?provider=workos&workos_provider=authkit')
    expect(status).toBe(302)
    const { id, email } = newProviderUser()
    const profile = { id, email, first_name: 'Ann', last_name: 'Example', organization_id: 'o1' }
    provider.tokenFields = { profile }
    const { client } = await signInAndExchange(auth, provider, 'workos', newProviderUser())
    const [identity] = (await client.auth.getUserIdentities()).data!.identities
    expect(identity).toMatchObject({
      id,
      email,
      identity_data: { name: 'Ann Example', email_verified: true },
    })
    expect(identity!.identity_data!['custom_claims']).toMatchObject({ organization_id: 'o1' })
    // Without a profile there is no user.
    provider.tokenFields = {}
    const { end } = await signInWithProvider(provider, auth.client(), 'workos')
    expect(end.searchParams.get('error_description')).toBe(
      'Error getting user profile from external provider',
    )
  })

  it('uses GoTrue’s names of enabled providers', async () => {
    const { external } = (await (await auth.request('/settings')).json()) as {
      external: Record<string, boolean>
    }
    expect(external).toMatchObject({ github: true, google: true, keycloak: true, twitter: true, email: true })
  })
})

describe('the begin of a sign-in', () => {
  const locationOf = async (query: string): Promise<URL> => {
    const response = await auth.request(`/authorize?${query}`)
    expect(response.status).toBe(302)
    return new URL(response.headers.get('location')!)
  }

  it('forwards the application’s parameters, except reserved ones', async () => {
    const url = await locationOf(
      'provider=github&scopes=repo%20gist&login=ann&redirect_uri=https%3A%2F%2Fevil.example&STATE=1&Client_ID=x' +
        '&response_type=token&code_verifier=v&request=jwt&redirect_to=https%3A%2F%2Fapp.example.com%2Fx&allow_signup=no',
    )
    const params = Object.fromEntries(url.searchParams)
    expect(params).toEqual({
      allow_signup: 'no',
      client_id: 'app',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      login: 'ann',
      redirect_uri: `${auth.url}/auth/v1/callback`,
      response_type: 'code',
      scope: 'user:email repo gist',
      state: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  it('renames the provider parameter of WorkOS', async () => {
    expect((await locationOf('provider=workos&workos_provider=authkit')).searchParams.get('provider')).toBe(
      'authkit',
    )
  })

  it.each([
    ['provider=nobody', 400, 'validation_failed', 'Unsupported provider: Provider nobody could not be found'],
    ['', 400, 'validation_failed', 'Unsupported provider: Provider  could not be found'],
    ['provider=constructor', 400, 'validation_failed', expect.any(String)],
    [
      'provider=custom:nobody',
      400,
      'validation_failed',
      'Unsupported provider: custom provider custom:nobody not found',
    ],
    [
      'provider=github&code_challenge=short&code_challenge_method=s256',
      400,
      'validation_failed',
      expect.any(String),
    ],
    ['provider=github&code_challenge_method=s256', 400, 'validation_failed', expect.any(String)],
    ['provider=github&invite_token=unknown', 404, 'user_not_found', 'User identified by token not found'],
  ])('rejects %s', async (query, status, code, message) => {
    const response = await auth.request(`/authorize?${query}`)
    expect(response.status).toBe(status)
    const body = (await response.json()) as { error_code: string; msg: string }
    expect(body.error_code).toBe(code)
    expect(body.msg).toEqual(message)
  })

  it('accepts provider names in any case', async () => {
    const person = newProviderUser()
    provider.answers = providerProfiles['github']!.responses(person)
    const { userId } = await signInAndExchange(auth, provider, 'GitHub', person)
    expect((await signInAndExchange(auth, provider, 'github', person)).userId).toBe(userId)
  })
})

describe('the callback', () => {
  const callback = (query: string): string => `${auth.url}/auth/v1/callback?${query}`
  const google = async (flowType: 'pkce' | 'implicit' = 'pkce') => {
    provider.person = newProviderUser()
    const client = auth.client({ flowType })
    return { client, ...(await signInWithProvider(provider, client, 'google')) }
  }

  it('returns tokens without a challenge', async () => {
    const { end, fragment } = await google('implicit')
    expect(end.search).toBe('')
    expect(Object.fromEntries(fragment)).toMatchObject({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      provider_token: expect.stringMatching(/^access-/),
      provider_refresh_token: 'refresh-of-the-provider',
      token_type: 'bearer',
      sb: '',
    })
    const { data } = await auth.client().auth.setSession({
      access_token: fragment.get('access_token')!,
      refresh_token: fragment.get('refresh_token')!,
    })
    expect(data.user?.email).toBe(provider.person.email)
    const claims = JSON.parse(
      Buffer.from(fragment.get('access_token')!.split('.')[1]!, 'base64url').toString(),
    ) as { amr: unknown }
    expect(claims.amr).toMatchObject([{ method: 'oauth' }])
  })

  it('redirects to the requested URL if it is allowed', async () => {
    provider.person = newProviderUser()
    const good = await signInWithProvider(provider, auth.client(), 'google', {
      redirectTo: 'https://app.example.com/a?b=1',
    })
    expect(good.end.href).toMatch(/^https:\/\/app\.example\.com\/a\?b=1&code=/)
    for (const redirectTo of [
      'https://evil.example/',
      'https://app.example.com.evil.example/',
      '//evil.example',
      'https://app.example.com@evil.example/',
      'javascript:alert(1)//https://app.example.com/',
    ]) {
      const { end } = await signInWithProvider(provider, auth.client(), 'google', { redirectTo })
      expect(end.origin).toBe(auth.url)
    }
  })

  it('accepts a state once, with code and with tokens', async () => {
    for (const [flow, code] of [
      ['pkce', 'flow_state_already_used'],
      ['implicit', 'bad_oauth_state'],
    ] as const) {
      const { callback } = await google(flow)
      const again = await followCallback(callback)
      expect(again.origin).toBe(auth.url)
      expect(again.searchParams.get('error_code')).toBe(code)
      expect(again.hash).toBe('')
    }
  })

  it('accepts one of two concurrent callbacks', async () => {
    // No PKCE is used with Apple, and this provider accepts a code repeatedly.
    provider.faults = { token: 'twice' }
    for (const flowType of ['pkce', 'implicit'] as const) {
      provider.person = newProviderUser()
      const { data } = await auth.client({ flowType }).auth.signInWithOAuth({ provider: 'apple' })
      const start = await fetch(data.url!, { redirect: 'manual' })
      const { backTo, form } = await provider.visit(start.headers.get('location')!)
      const ends = await Promise.all(Array.from({ length: 6 }, () => followCallback(backTo, form)))
      const good = ends.filter((end) => end.searchParams.has('code') || end.hash.includes('access_token'))
      expect(good).toHaveLength(1)
    }
  })

  it('requires the verifier for the session', async () => {
    const { end, client } = await google()
    const code = end.searchParams.get('code')!
    const stolen = await auth.request('/token?grant_type=pkce', {
      json: { auth_code: code, code_verifier: 'x'.repeat(43) },
    })
    expect(stolen.status).toBe(400)
    expect(stolen.headers.get('x-sb-error-code')).toBe('bad_code_verifier')
    expect((await client.auth.exchangeCodeForSession(code)).error).toBeNull()
  })

  it.each([
    ['', 'bad_oauth_callback', 'OAuth state parameter missing'],
    ['state=x', 'bad_oauth_state', 'OAuth state parameter is invalid'],
    [
      'state=2f5d1f0e-0000-4000-8000-000000000000&code=c',
      'bad_oauth_state',
      'OAuth state not found or expired',
    ],
  ])('rejects a callback with %j', async (query, code, message) => {
    const response = await fetch(callback(query), { redirect: 'manual' })
    expect(response.status).toBe(303)
    const end = new URL(response.headers.get('location')!)
    expect(end.origin).toBe(auth.url)
    expect(Object.fromEntries(end.searchParams)).toEqual({
      error: 'invalid_request',
      error_code: code,
      error_description: message,
    })
  })

  const begin = async (name: string): Promise<{ state: string; url: string }> => {
    const response = await auth.request(`/authorize?provider=${name}&redirect_to=https://app.example.com/`)
    const url = response.headers.get('location')!
    return { url, state: new URL(url).searchParams.get('state')! }
  }

  it('forwards the provider’s error in query and fragment', async () => {
    const { state } = await begin('github')
    const end = await followCallback(
      callback(`state=${state}&error=access_denied&error_description=Not+today`),
    )
    expect(end.href).toBe(
      'https://app.example.com/?error=access_denied&error_description=Not+today#error=access_denied&error_description=Not+today&sb=',
    )
  })

  it('requires a code', async () => {
    const { state } = await begin('github')
    const end = await followCallback(callback(`state=${state}`))
    expect(end.searchParams.get('error_code')).toBe('bad_oauth_callback')
  })

  it('expires after five minutes', async () => {
    const { state } = await begin('github')
    await database.admin.query(
      `update auth.flow_state set created_at = now() - interval '301 s' where id = $1`,
      [state],
    )
    const end = await followCallback(callback(`state=${state}&code=c`))
    expect(end.searchParams.get('error_description')).toBe('OAuth state has expired')
  })

  it.each([
    ['oauth_client_state_not_found', 'delete from auth.oauth_client_states'],
    [
      'oauth_client_state_expired',
      `update auth.oauth_client_states set created_at = now() - interval '301 s'`,
    ],
    ['oauth_invalid_state', `update auth.oauth_client_states set provider_type = 'gitlab'`],
  ])('rejects a wrong verifier: %s', async (code, statement) => {
    const { state } = await begin('github')
    await database.admin.query(statement)
    const end = await followCallback(callback(`state=${state}&code=c`))
    expect(end.searchParams.get('error_code')).toBe(code)
  })

  it('rejects codes of another provider and of another flow', async () => {
    provider.person = newProviderUser()
    const [github, gitlab, other] = [await begin('github'), await begin('gitlab'), await begin('github')]
    const codeOf = async (url: string) =>
      new URL((await provider.visit(url)).backTo).searchParams.get('code')!
    const users = await countUsers()
    for (const code of [await codeOf(gitlab.url), await codeOf(other.url)]) {
      const { state } = await begin('github')
      const end = await followCallback(callback(`state=${state}&code=${code}`))
      expect(end.searchParams.get('error_description')).toBe(
        `Unable to exchange external code: ${code.slice(0, 4)}`,
      )
    }
    const issuer = await begin('google')
    const lured = await followCallback(
      callback(`state=${issuer.state}&code=${await codeOf(issuer.url)}&iss=https%3A%2F%2Fevil.example`),
    )
    expect(lured.searchParams.get('error_code')).toBe('oauth_invalid_state')
    expect(await countUsers()).toBe(users)
    expect(github.state).not.toBe(other.state)
  })

  it('reads the name from Apple’s form', async () => {
    provider.person = newProviderUser()
    const { url } = await begin('apple')
    const { backTo, form } = await provider.visit(url)
    form!.set('user', JSON.stringify({ name: { firstName: 'Ann', lastName: 'Example' } }))
    const end = await followCallback(backTo, form)
    const { data } = await auth
      .client()
      .auth.getUser(new URLSearchParams(end.hash.slice(1)).get('access_token')!)
    expect(data.user?.user_metadata).toMatchObject({ full_name: 'Ann Example', name: 'Ann Example' })
  })

  it('uses OAuth 1 with Twitter, and rejects sign-ins that began elsewhere', async () => {
    const person = newProviderUser()
    provider.answers = {
      '/1.1/account/verify_credentials.json': {
        id_str: person.id,
        name: person.name,
        screen_name: 'ann',
        email: person.email,
      },
    }
    const begin = async () => (await auth.request('/authorize?provider=twitter')).headers.get('location')!
    const { fragment, callback } = await continueAtProvider(provider, await begin())
    const { data } = await auth.client().auth.getUser(fragment.get('access_token')!)
    expect(data.user).toMatchObject({ email: person.email, user_metadata: { user_name: 'ann' } })
    expect(fragment.get('provider_token')).toMatch(/^access-/)
    // A sign-in from another browser with the state of this one.
    const mine = new URL((await provider.visit(await begin())).backTo).searchParams
    const mixed = new URL((await provider.visit(await begin())).backTo)
    mixed.searchParams.set('state', mine.get('state')!)
    expect((await followCallback(mixed.href)).searchParams.get('error')).toBe('server_error')
    expect((await followCallback(callback)).searchParams.get('error_code')).toBe('bad_oauth_state')
  })
})

describe('a faulty provider', () => {
  it.each(faultyProviders)('%s', async (_, name, faults, message) => {
    const users = await countUsers()
    const person = newProviderUser()
    provider.person = person
    provider.answers = providerProfiles[name]?.responses(person) ?? {}
    provider.faults = faults
    const { end, fragment } = await signInWithProvider(provider, auth.client(), name, {
      redirectTo: 'https://app.example.com/',
    })
    expect(end.searchParams.get('error_description')).toMatch(message)
    expect(end.searchParams.get('error')).toBe('server_error')
    expect(fragment.get('error_code')).toBe('unexpected_failure')
    expect(end.searchParams.has('code')).toBe(false)
    expect(await countUsers()).toBe(users)
    // The same user at a correct provider: only the fault prevented the sign-in.
    provider.faults = name === 'azure' ? { claims: { iss: 'https://login.microsoftonline.com/t/v2.0' } } : {}
    expect((await signInWithProvider(provider, auth.client(), name)).end.searchParams.has('code')).toBe(true)
  })

  it.each(['down', 'html', 'huge', 'slow', 'otherIssuer', 'loop', 'toPlain'] as const)(
    'has a discovery document that is %s',
    async (discovery) => {
      const fresh = await startAuth(database, toml, { outbound: provider.outbound })
      try {
        provider.faults = { discovery }
        const refused = await fresh.request('/authorize?provider=google')
        expect(refused.status).toBe(400)
        expect(await refused.json()).toMatchObject({
          msg: 'Unsupported provider: the provider could not be reached',
        })
        provider.faults = {}
        expect((await fresh.request('/authorize?provider=google')).status).toBe(302)
        // A cached document is used while the provider is unreachable.
        provider.faults = { discovery }
        expect((await fresh.request('/authorize?provider=google')).status).toBe(302)
      } finally {
        await fresh.stop()
      }
    },
  )
})

describe('ID tokens of applications', () => {
  const google = 'https://accounts.google.com'
  const bring = (json: Record<string, unknown>, bearer?: string) =>
    auth.request('/token?grant_type=id_token', { json, ...(bearer ? { bearer } : {}) })

  it.each([
    ['google', google, {}],
    ['apple', 'https://appleid.apple.com', { is_private_email: 'true' }],
    ['apple', 'https://account.apple.com', {}],
    ['azure', 'https://login.microsoftonline.com/9f1d6d4e-0000-4000-8000-000000000002/v2.0', {}],
    ['azure', 'https://sts.windows.net/9f1d6d4e-0000-4000-8000-000000000003/', {}],
    ['facebook', 'https://www.facebook.com', {}],
    ['kakao', 'https://kauth.kakao.com', { nickname: 'Ann' }],
    ['keycloak', 'https://id.example.com/realms/staff', {}],
    ['snapchat', 'https://accounts.snapchat.com/accounts/oauth2/token', {}],
    ['vercel_marketplace', 'https://marketplace.vercel.com', { global_user_id: 'g7' }],
  ])('of %s (%s) sign a user in', async (name, issuer, claims) => {
    provider.person = newProviderUser()
    const { email } = provider.person
    const token = await provider.idToken(issuer, {
      aud: 'app-ios',
      user_email: email,
      nonce: hashedNonce,
      ...claims,
    })
    const client = auth.client()
    const { data, error } = await client.auth.signInWithIdToken({ provider: name, token, nonce })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({ email, app_metadata: { provider: name } })
    // Again: the same user.
    const again = await auth.client().auth.signInWithIdToken({ provider: name, token, nonce })
    expect(again.data.user?.id).toBe(data.user!.id)
  })

  it.each(invalidIdTokens)('are rejected with %s', async (_, body, claims, error) => {
    const users = await countUsers()
    provider.person = newProviderUser()
    const token = await provider.idToken(google, { aud: 'app', ...claims })
    const response = await bring({ provider: 'google', id_token: token, ...body })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject(error)
    expect(await countUsers()).toBe(users)
  })

  it.each(['none', 'publicKeyAsSecret', 'strangersKey'] as const)(
    'are rejected if signed with %s',
    async (sign) => {
      provider.person = newProviderUser()
      provider.faults = { sign }
      const token = await provider.idToken(google, { aud: 'app' })
      expect(await (await bring({ provider: 'google', id_token: token })).json()).toMatchObject({
        error_description: 'Bad ID token',
      })
    },
  )

  it('are accepted after a key rotation, once keys may be fetched again', async () => {
    let now = Date.now()
    const fresh = await startProvider()
    const { createIssuers } = await import('../../../backend/auth/providers/oidc/createIssuers.ts')
    const issuers = createIssuers(fresh.outbound, () => now)
    const check = async () =>
      issuers.verify(await fresh.idToken(google, { aud: 'app', exp: 4_000_000_000 }), {
        issuer: google,
        audiences: ['app'],
      })
    try {
      await check()
      await fresh.rotateKeys()
      await expect(check()).rejects.toThrow('no applicable key')
      now += 31_000
      await check()
      // An expired document is fetched again.
      const read = () => fresh.requests.filter((one) => one.endsWith('openid-configuration')).length
      expect(read()).toBe(1)
      now += 3_600_000
      await check()
      expect(read()).toBe(2)
    } finally {
      await fresh.stop()
    }
  })

  it('are rejected for disabled providers, which also cannot begin without a secret', async () => {
    const tenantOnly = 'https://login.microsoftonline.com/aaaaaaaa-0000-4000-8000-000000000000'
    const other = await startAuth(
      database,
      `[auth.external.google]\nenabled = true\nclient_id = "app"\n[auth.external.azure]\nenabled = true\n${app}\nurl = "${tenantOnly}"`,
      { outbound: provider.outbound },
    )
    try {
      const off = await other.request('/token?grant_type=id_token', {
        json: { provider: 'facebook', id_token: 'x' },
      })
      expect(await off.json()).toMatchObject({
        error_code: 'provider_disabled',
        msg: 'Provider (issuer "https://www.facebook.com") is not enabled',
      })
      const begun = await other.request('/authorize?provider=google')
      expect(await begun.json()).toMatchObject({ msg: 'Unsupported provider: missing OAuth secret' })
      const disabled = await other.request('/authorize?provider=github')
      expect(await disabled.json()).toMatchObject({ msg: 'Unsupported provider: provider is not enabled' })
      // One tenant is configured: users of others are rejected, though they are signed for the application.
      provider.person = newProviderUser()
      for (const [tenant, status] of [
        ['bbbbbbbb-0000-4000-8000-000000000000', 400],
        ['aaaaaaaa-0000-4000-8000-000000000000', 200],
      ] as const) {
        const id_token = await provider.idToken(`https://login.microsoftonline.com/${tenant}/v2.0`, {
          aud: 'app',
        })
        const response = await other.request('/token?grant_type=id_token', {
          json: { provider: 'azure', id_token },
        })
        expect(response.status).toBe(status)
      }
      // Disabled between redirect and callback.
      const { state } = Object.fromEntries(
        new URL((await auth.request('/authorize?provider=github')).headers.get('location')!).searchParams,
      )
      const end = await followCallback(`${other.url}/auth/v1/callback?state=${state}&code=c`)
      expect(end.searchParams.get('error_code')).toBe('oauth_provider_not_supported')
    } finally {
      await other.stop()
    }
  })
})

describe('accepted users', () => {
  it('are not banned, and not new if sign-ups are disabled', async () => {
    const person = newProviderUser()
    const { userId } = await signInAndExchange(auth, provider, 'google', person)
    await database.admin.query(`update auth.users set banned_until = now() + interval '1 h' where id = $1`, [
      userId,
    ])
    const banned = await signInWithProvider(provider, auth.client(), 'google')
    expect(Object.fromEntries(banned.end.searchParams)).toMatchObject({
      error: 'access_denied',
      error_code: 'user_banned',
    })
    const closed = await startAuth(database, `[auth]\nenable_signup = false\n${table('google')}`, {
      outbound: provider.outbound,
    })
    try {
      provider.person = newProviderUser()
      const { end } = await signInWithProvider(provider, closed.client(), 'google')
      expect(Object.fromEntries(end.searchParams)).toMatchObject({
        error: 'access_denied',
        error_code: 'signup_disabled',
      })
    } finally {
      await closed.stop()
    }
  })

  it('include invited users whose provider returns the invited address', async () => {
    const email = uniqueEmail('gus')
    await auth.asService().auth.admin.inviteUserByEmail(email)
    const mail = latestMailTo(auth, email)
    const token = /token=([^&"]+)/.exec(mail.html)![1]!
    const come = async (address: string) => {
      provider.person = newProviderUser({ email: address })
      const start = await auth.request(`/authorize?provider=google&invite_token=${token}`)
      return continueAtProvider(provider, start.headers.get('location')!)
    }
    const other = await come(uniqueEmail())
    expect(other.end.searchParams.get('error_description')).toBe(
      'Invited email does not match emails from external provider',
    )
    // Expired at the time of the callback.
    const sent = (ago: string) =>
      database.admin.query(
        `update auth.users set confirmation_sent_at = now() - $2::interval where email = $1`,
        [email, ago],
      )
    await sent('2 days')
    expect((await come(email)).end.searchParams.get('error_code')).toBe('invite_not_found')
    await sent('1 minute')
    const { fragment } = await come(email)
    const { data } = await auth.client().auth.getUser(fragment.get('access_token')!)
    expect(data.user).toMatchObject({ email, app_metadata: { provider: 'google', providers: ['google'] } })
    expect((await auth.request(`/authorize?provider=google&invite_token=${token}`)).status).toBe(404)
  })
})
