import * as fc from 'fast-check'
import type { TestUser } from './testUser.ts'
import { tokenOf } from './testUser.ts'
import type { AuthServer } from './startAuth.ts'

/** Every route of the service; `:id` stands for an id, code or name. */
const routes = `
GET /health
GET /settings
GET /.well-known/jwks.json
GET /.well-known/openid-configuration
GET /.well-known/oauth-authorization-server
POST /signup
POST /otp
POST /magiclink
POST /recover
POST /resend
POST /verify
GET /verify
POST /token
POST /token?grant_type=password
POST /token?grant_type=refresh_token
POST /token?grant_type=pkce
POST /token?grant_type=id_token
POST /token?grant_type=web3
GET /user
PUT /user
GET /reauthenticate
POST /logout
GET /user/identities/authorize
DELETE /user/identities/:id
GET /user/oauth/grants
DELETE /user/oauth/grants
GET /authorize
GET /callback
POST /callback
POST /factors
POST /factors/:id/challenge
POST /factors/:id/verify
DELETE /factors/:id
GET /passkeys
POST /passkeys/authentication/options
POST /passkeys/authentication/verify
POST /passkeys/registration/options
POST /passkeys/registration/verify
PATCH /passkeys/:id
DELETE /passkeys/:id
POST /sso
POST /sso/saml/acs
GET /oauth/authorize
GET /oauth/authorizations/:id
POST /oauth/authorizations/:id/consent
POST /oauth/clients/register
POST /oauth/token
GET /oauth/userinfo
POST /invite
GET /admin/audit
GET /admin/users
POST /admin/users
GET /admin/users/:id
PUT /admin/users/:id
DELETE /admin/users/:id
GET /admin/users/:id/factors
PUT /admin/users/:id/factors/:id
DELETE /admin/users/:id/factors/:id
GET /admin/users/:id/passkeys
DELETE /admin/users/:id/passkeys/:id
POST /admin/generate_link
GET /admin/sso/providers
POST /admin/sso/providers
GET /admin/oauth/clients
POST /admin/oauth/clients
PUT /admin/oauth/clients/:id
POST /admin/oauth/clients/:id/regenerate_secret
GET /admin/custom-providers
POST /admin/custom-providers
PUT /admin/custom-providers/:id
DELETE /admin/custom-providers/:id
`
  .trim()
  .split('\n')
  .map((line) => line.split(' ') as [method: string, path: string])

const samples =
  'a@b.example 4912345678 +49(0)1 signup email magiclink recovery invite email_change sms phone_change s256 S256 plain ' +
  'totp phone webauthn create request github google keycloak custom:x ethereum solana oauth2 oidc ../.. %00 none 24h -1h ' +
  'authorization_code refresh_token approve deny 00000000-0000-0000-0000-000000000000 00000000-0000-4000-8000-00000000000G ' +
  '$argon2id$v=19$m=99999999,t=2,p=1$c29tZXNhbHQ$aGFzaA $2b$31$cVWp4XaNU8a4v1uMRum2SO026BWLIoQMD/TXg5uZV.0P.uO8m3YEm ' +
  'https://evil.example/ http://127.0.0.1:1/ javascript:alert(1) x.y.z eyJhbGciOiJub25lIn0.e30. 1e999 9223372036854775808 NaN'

const text = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...samples.split(' '),
      '',
      '\u0000',
      '\ud800',
      'x'.repeat(300),
      'é'.repeat(80),
      "'; --",
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
)
const anyValue = fc.oneof(
  { weight: 5, arbitrary: text },
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(text, { maxLength: 3 }),
  fc.dictionary(fc.string({ maxLength: 5 }), text, { maxKeys: 3 }),
  fc.json({ maxDepth: 2 }).map((one) => JSON.parse(one) as unknown),
)
const names = (
  'email phone password current_password data type token token_hash refresh_token auth_code code_verifier code_challenge ' +
  'code_challenge_method create_user redirect_to redirectTo id role ban_duration user_metadata app_metadata nonce factor_type ' +
  'friendly_name issuer channel challenge_id code webauthn credential challenge gotrue_meta_security provider id_token ' +
  'access_token chain message signature link_identity email_confirm phone_confirm password_hash new_email domain provider_id ' +
  'client_id client_secret redirect_uris grant_types scope state identifier name provider_type authorization_url token_url ' +
  'userinfo_url discovery_url action should_soft_delete authorization_id response_type resource __proto__ constructor'
).split(' ')

const query = fc.dictionary(
  fc.constantFrom(
    ...names,
    'page',
    'per_page',
    'filter',
    'sort',
    'query',
    'invite_token',
    'skip_http_redirect',
    'error',
    'cursor',
  ),
  text,
  { maxKeys: 5 },
)
const body = fc.oneof(
  {
    weight: 7,
    arbitrary: fc
      .dictionary(fc.constantFrom(...names), anyValue, { maxKeys: 6 })
      .map((one) => JSON.stringify(one)),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) },
  { weight: 1, arbitrary: query.map((one) => formOf(one)) },
)
const id = fc.oneof(
  fc.constantFrom('00000000-0000-4000-8000-000000000000', 'me', 'x', '%00', '%ff', 'custom:x', '..%2f..'),
  fc.constant('own'),
)
const headers = fc.dictionary(
  fc.constantFrom(
    'x-forwarded-for',
    'forwarded',
    'referer',
    'redirect_to',
    'x-jwt-aud',
    'x-supabase-api-version',
    'content-type',
    'user-agent',
    'prefer',
    'cookie',
  ),
  fc.constantFrom(
    '',
    '2024-01-01',
    '9999-99-99',
    'unknown, 1.2.3.4',
    'for=_x',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'https://evil.example/',
    '%',
    '\u00ff',
    'x'.repeat(2000),
  ),
  { maxKeys: 3 },
)

/** As a form; an unpaired surrogate becomes the replacement character. */
const formOf = (one: Record<string, string>): string => {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(one)) form.append(name, Buffer.from(value).toString())
  return form.toString()
}

/** What must never be in a response: internals of the server or of its dependencies. */
const internalDetails =
  /\bat [\w.<>]+ \(|node:internal|node_modules|\.ts:\d|\bpg_|auth\.(users|sessions|identities)|SQLSTATE|violates|syntax error at|\bENOENT\b/

/**
 * Sends malformed requests, and throws at the first that is answered with 5xx or internal details.
 * @param o.runs number of requests
 * @param o.seed of an earlier run, to repeat it
 */
export async function sendMalformedRequests(
  server: AuthServer,
  person: TestUser,
  o: { runs: number; seed?: number },
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...routes),
      fc.array(id, { minLength: 2, maxLength: 2 }),
      query,
      body,
      headers,
      fc.constantFrom('anon', 'member', 'service', 'nonsense'),
      async ([method, route], ids, query, content, headers, who) => {
        let idIndex = 0
        const path = route.replaceAll(':id', () => {
          const chosen = ids[idIndex++ % ids.length]!
          return chosen === 'own' ? person.id : chosen
        })
        // The user must stay signed in, and keep their id.
        const destructive = /^\/(logout|admin\/users\/)/.test(path) && path.includes(person.id)
        const key = who === 'service' && !destructive ? server.serviceRoleKey : server.anonKey
        const bearer =
          who === 'member' && path !== '/logout' ? await tokenOf(person) : who === 'nonsense' ? 'a.b.c' : key
        const search = formOf(query)
        const response = await fetch(
          `${server.url}/auth/v1${path}${path.includes('?') ? '&' : '?'}${search}`,
          {
            method,
            redirect: 'manual',
            headers: { ...headers, apikey: key, authorization: `Bearer ${bearer}` },
            ...(method === 'GET' ? {} : { body: content }),
          },
        )
        const responseText = await response.text()
        const outcome = `${response.status} ${responseText.slice(0, 500)} ${response.headers.get('location') ?? ''}`
        if (response.status >= 500) throw new Error(`${outcome}\n${server.logged.at(-1) ?? ''}`)
        if (internalDetails.test(outcome)) throw new Error(outcome)
      },
    ),
    { numRuns: o.runs, ...(o.seed !== undefined && { seed: o.seed }), endOnFailure: false },
  )
}
