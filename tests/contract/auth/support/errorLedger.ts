import { randomUUID } from 'node:crypto'
import { signIn, tokenOf, type Person } from './person.ts'
import { someone, type AuthDatabase, type AuthServer } from './startAuth.ts'
import { bearerAt, signedToken } from './tokens.ts'

/** Who and what the ledger's requests find. */
export interface Stage {
  database: AuthDatabase
  /** Everything is switched on. */
  on: AuthServer
  /** Nothing is, but sessions. */
  off: AuthServer
  /** Addresses are confirmed, captchas asked, present passwords wanted; nobody may refresh. */
  strict: AuthServer
  /** Someone with an address, no password and no factor. */
  member: Person
}

/** A request, sent in the form of errors that is being looked at. */
export type Ask = (
  server: AuthServer,
  path: string,
  o?: { json?: unknown; body?: string; method?: string; bearer?: string; headers?: Record<string, string> },
) => Promise<Response>

/** A code with the request that reaches it, the test that does, or why none can. */
export type Entry =
  | { code: string; status: number; reach: (ask: Ask, stage: Stage) => Promise<Response> }
  | { code: string; shownBy: string }
  | { code: string; unreachable: string }

const reached = (
  code: string,
  status: number,
  reach: (ask: Ask, stage: Stage) => Promise<Response>,
): Entry => ({
  code,
  status,
  reach,
})
const shownBy = (file: string, ...codes: string[]): Entry[] => codes.map((code) => ({ code, shownBy: file }))
const unreachable = (why: string, ...codes: string[]): Entry[] =>
  codes.map((code) => ({ code, unreachable: why }))

/** Of "password", made by the reference implementation; checking it costs next to nothing. */
const cheapHash = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'

/** The bearer at `server` of someone whose columns are set so. */
async function memberWith({ on, database }: Stage, server: AuthServer, assignments: string): Promise<string> {
  const person = await signIn(on)
  await database.admin.query(`update auth.users set ${assignments} where id = $1`, [person.id])
  return bearerAt(server, person)
}

/** The address of someone who can't sign in with the password "password", for whatever the columns say. */
async function addressWith({ database }: Stage, columns: Record<string, string>): Promise<string> {
  const email = someone()
  const names = [
    'instance_id',
    'id',
    'aud',
    'role',
    'email',
    'encrypted_password',
    'is_sso_user',
    ...Object.keys(columns),
  ]
  const values = [
    '00000000-0000-0000-0000-000000000000',
    randomUUID(),
    'authenticated',
    'authenticated',
    email,
    cheapHash,
    'false',
    ...Object.values(columns),
  ]
  const places = values.map((_, i) => `$${i + 1}`).join(', ')
  await database.admin.query(`insert into auth.users (${names.join(', ')}) values (${places})`, values)
  return email
}

/** Gives someone an identity at Google that has this address. */
async function addIdentity({ database }: Stage, { id }: Person, email: string): Promise<void> {
  const sub = randomUUID()
  await database.admin.query(
    `insert into auth.identities (provider_id, user_id, identity_data, provider, created_at, updated_at)
     values ($1, $2, $3, 'google', now(), now())`,
    [sub, id, JSON.stringify({ sub, email, email_verified: true })],
  )
}

let phones = 0
const somePhone = (): string => `4915550${String(++phones).padStart(6, '0')}`

const admin = (server: AuthServer): Record<string, string> => ({
  apikey: server.serviceRoleKey,
  authorization: `Bearer ${server.serviceRoleKey}`,
})
const confirmed = { email_confirmed_at: '2026-01-01' }
const signInWith = (email: string) => ({ json: { email, password: 'password' } })
const nobody = '00000000-0000-4000-8000-000000000000'

/** Every code of the service and of its client library. */
export const errorLedger: Entry[] = [
  reached('validation_failed', 400, (ask, { on }) => ask(on, '/otp', { json: {} })),
  reached('bad_json', 400, (ask, { on }) => ask(on, '/otp', { body: '{', method: 'POST' })),
  reached('request_entity_too_large', 413, (ask, { on }) =>
    ask(on, '/otp', { json: { email: 'x'.repeat(2 ** 20) } }),
  ),
  reached('not_found', 404, (ask, { on }) => ask(on, '/nowhere')),
  reached('no_authorization', 401, (ask, { on }) => ask(on, '/user', { headers: { authorization: '' } })),
  reached('bad_jwt', 403, (ask, { on }) => ask(on, '/user', { bearer: 'a.b.c' })),
  reached('not_admin', 403, (ask, { on }) => ask(on, '/admin/users')),
  reached('session_not_found', 403, (ask, { on, member }) =>
    ask(on, '/user', { bearer: signedToken(on, { sub: member.id, session_id: nobody }) }),
  ),
  reached('user_not_found', 404, (ask, { on }) => ask(on, `/admin/users/${nobody}`, { headers: admin(on) })),
  reached('unexpected_failure', 500, (ask, { strict }) =>
    ask(strict, '/otp', { json: { email: someone(), gotrue_meta_security: { captcha_token: 'no answer' } } }),
  ),
  reached('captcha_failed', 400, (ask, { strict }) => ask(strict, '/otp', { json: { email: someone() } })),

  reached('email_exists', 422, (ask, { on, member: { email } }) =>
    ask(on, '/admin/users', { json: { email }, headers: admin(on) }),
  ),
  reached('phone_exists', 422, async (ask, stage) => {
    const phone = somePhone()
    await addressWith(stage, { phone, phone_confirmed_at: '2026-01-01' })
    return ask(stage.on, '/admin/users', { json: { phone }, headers: admin(stage.on) })
  }),
  reached('user_already_exists', 422, (ask, { on, member: { email } }) =>
    ask(on, '/signup', { json: { email, password: 'long enough' } }),
  ),
  reached('weak_password', 422, (ask, { on }) =>
    ask(on, '/signup', { json: { email: someone(), password: 'x' } }),
  ),
  reached('signup_disabled', 422, (ask, { off }) =>
    ask(off, '/signup', { json: { email: someone(), password: 'long enough' } }),
  ),
  reached('anonymous_provider_disabled', 422, (ask, { off }) => ask(off, '/signup', { json: {} })),
  reached('email_provider_disabled', 422, (ask, { off }) =>
    ask(off, '/token?grant_type=password', signInWith('a@example.com')),
  ),
  reached('phone_provider_disabled', 422, (ask, { off }) =>
    ask(off, '/token?grant_type=password', { json: { phone: '4912345678', password: 'x' } }),
  ),
  reached('otp_disabled', 422, (ask, { on }) =>
    ask(on, '/otp', { json: { email: someone(), create_user: false } }),
  ),
  reached('otp_expired', 403, (ask, { on }) =>
    ask(on, '/verify', { json: { type: 'email', email: someone(), token: '123456' } }),
  ),
  reached('invalid_credentials', 400, (ask, { on }) =>
    ask(on, '/token?grant_type=password', signInWith(someone())),
  ),
  reached('email_not_confirmed', 400, async (ask, stage) =>
    ask(stage.on, '/token?grant_type=password', signInWith(await addressWith(stage, {}))),
  ),
  reached('phone_not_confirmed', 400, async (ask, stage) => {
    const phone = somePhone()
    await addressWith(stage, { phone })
    return ask(stage.on, '/token?grant_type=password', { json: { phone, password: 'password' } })
  }),
  reached('user_banned', 400, async (ask, stage) => {
    const email = await addressWith(stage, { ...confirmed, banned_until: '2999-01-01' })
    return ask(stage.on, '/token?grant_type=password', signInWith(email))
  }),
  reached('refresh_token_not_found', 400, (ask, { on }) =>
    ask(on, '/token?grant_type=refresh_token', { json: { refresh_token: 'unknown00000' } }),
  ),
  reached('flow_state_not_found', 404, (ask, { on }) =>
    ask(on, '/token?grant_type=pkce', { json: { auth_code: nobody, code_verifier: 'v'.repeat(43) } }),
  ),
  reached('over_request_rate_limit', 429, (ask, { strict }) =>
    ask(strict, '/token?grant_type=refresh_token', { json: { refresh_token: 'unknown00000' } }),
  ),
  reached('over_email_send_rate_limit', 429, async (ask, { on }) => {
    const json = { email: someone() }
    await ask(on, '/recover', { json })
    return ask(on, '/recover', { json })
  }),
  reached('same_password', 422, async (ask, stage) => {
    const bearer = await memberWith(stage, stage.on, `encrypted_password = '${cheapHash}'`)
    return ask(stage.on, '/user', { method: 'PUT', json: { password: 'password' }, bearer })
  }),
  reached('current_password_required', 400, async (ask, stage) => {
    const bearer = await memberWith(stage, stage.strict, `encrypted_password = '${cheapHash}'`)
    return ask(stage.strict, '/user', { method: 'PUT', json: { password: 'another one' }, bearer })
  }),
  reached('current_password_invalid', 400, async (ask, stage) => {
    const bearer = await memberWith(stage, stage.strict, `encrypted_password = '${cheapHash}'`)
    const json = { password: 'another one', current_password: 'wrong' }
    return ask(stage.strict, '/user', { method: 'PUT', json, bearer })
  }),
  reached('user_sso_managed', 422, async (ask, stage) => {
    const bearer = await memberWith(stage, stage.on, 'is_sso_user = true')
    return ask(stage.on, '/user', { method: 'PUT', json: { password: 'another one' }, bearer })
  }),
  reached('insufficient_aal', 401, async (ask, stage) => {
    const person = await signIn(stage.on)
    const bearer = await tokenOf(person)
    await stage.database.admin.query(
      `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, secret, created_at, updated_at)
       values ($1, $2, 'app', 'totp', 'verified', 's', now(), now())`,
      [randomUUID(), person.id],
    )
    return ask(stage.on, '/user', { method: 'PUT', json: { password: 'another one' }, bearer })
  }),

  reached('mfa_totp_enroll_not_enabled', 422, async (ask, { off, member }) =>
    ask(off, '/factors', { json: { factor_type: 'totp' }, bearer: await bearerAt(off, member) }),
  ),
  reached('mfa_phone_enroll_not_enabled', 422, async (ask, { off, member }) =>
    ask(off, '/factors', {
      json: { factor_type: 'phone', phone: '4912345678' },
      bearer: await bearerAt(off, member),
    }),
  ),
  reached('mfa_webauthn_enroll_not_enabled', 422, async (ask, { off, member }) =>
    ask(off, '/factors', { json: { factor_type: 'webauthn' }, bearer: await bearerAt(off, member) }),
  ),
  ...(['totp', 'phone', 'webauthn'] as const).map((type) =>
    reached(`mfa_${type}_verify_not_enabled`, 422, async (ask, stage) => {
      const factor = randomUUID()
      const challenge = randomUUID()
      await stage.database.admin.query(
        `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, secret, phone, created_at, updated_at)
         values ($1, $2, $4, $3, 'unverified', 's', $5, now(), now())`,
        [factor, stage.member.id, type, factor, somePhone()],
      )
      await stage.database.admin.query(
        `insert into auth.mfa_challenges (id, factor_id, created_at, ip_address) values ($1, $2, now(), '127.0.0.1')`,
        [challenge, factor],
      )
      const json = { challenge_id: challenge, code: '123456' }
      const bearer = await bearerAt(stage.off, stage.member)
      return ask(stage.off, `/factors/${factor}/verify`, { json, bearer })
    }),
  ),
  reached('mfa_factor_not_found', 404, async (ask, { on, member }) =>
    ask(on, `/factors/${nobody}/challenge`, { json: {}, bearer: await tokenOf(member) }),
  ),
  reached('manual_linking_disabled', 404, async (ask, { off, member }) =>
    ask(off, `/user/identities/${nobody}`, { method: 'DELETE', bearer: await bearerAt(off, member) }),
  ),
  reached('single_identity_not_deletable', 422, async (ask, { on, member }) =>
    ask(on, `/user/identities/${nobody}`, { method: 'DELETE', bearer: await tokenOf(member) }),
  ),
  reached('identity_not_found', 422, async (ask, stage) => {
    const person = await signIn(stage.on)
    await addIdentity(stage, person, person.email)
    const bearer = await tokenOf(person)
    return ask(stage.on, `/user/identities/${nobody}`, { method: 'DELETE', bearer })
  }),
  reached('email_conflict_identity_not_deletable', 422, async (ask, stage) => {
    const person = await signIn(stage.on)
    await addIdentity(stage, person, stage.member.email)
    const { data } = await person.client.auth.getUserIdentities()
    const own = data!.identities.find(({ provider }) => provider === 'email')!
    const bearer = await tokenOf(person)
    return ask(stage.on, `/user/identities/${own.identity_id}`, { method: 'DELETE', bearer })
  }),
  reached('unexpected_audience', 403, async (ask, { on, member }) =>
    ask(on, `/user/identities/${nobody}`, {
      method: 'DELETE',
      bearer: await tokenOf(member),
      headers: { 'x-jwt-aud': 'others' },
    }),
  ),
  reached('sso_provider_not_found', 404, (ask, { on }) =>
    ask(on, `/admin/sso/providers/${nobody}`, { headers: admin(on) }),
  ),
  reached('conflict', 400, async (ask, { on }) => {
    const address = 'https://93.184.215.14'
    const json = {
      provider_type: 'oauth2',
      identifier: 'custom:twice',
      name: 'Twice',
      client_id: 'c',
      client_secret: 's',
      authorization_url: `${address}/authorize`,
      token_url: `${address}/token`,
      userinfo_url: `${address}/me`,
    }
    await on.request('/admin/custom-providers', { json, headers: admin(on) })
    return ask(on, '/admin/custom-providers', { json, headers: admin(on) })
  }),
  reached('custom_provider_not_found', 404, (ask, { on }) =>
    ask(on, '/admin/custom-providers/custom:none', { headers: admin(on) }),
  ),
  reached('passkey_disabled', 404, (ask, { off }) =>
    ask(off, '/passkeys/authentication/options', { json: {} }),
  ),
  reached('feature_disabled', 404, (ask, { off }) => ask(off, '/oauth/userinfo')),
  reached('saml_provider_disabled', 404, (ask, { on }) =>
    ask(on, '/sso', { json: { domain: 'example.com' } }),
  ),
  reached('provider_disabled', 400, (ask, { on }) =>
    ask(on, '/token?grant_type=id_token', { json: { provider: 'google', id_token: 'x.y.z' } }),
  ),
  reached('web3_provider_disabled', 422, (ask, { off }) =>
    ask(off, '/token?grant_type=web3', { json: { chain: 'solana', message: 'm', signature: 's' } }),
  ),
  reached('web3_unsupported_chain', 400, (ask, { on }) =>
    ask(on, '/token?grant_type=web3', { json: { chain: 'bitcoin', message: 'm', signature: 's' } }),
  ),
  reached('oauth_client_not_found', 404, (ask, { on }) =>
    ask(on, `/admin/oauth/clients/${nobody}`, { headers: admin(on) }),
  ),
  reached('oauth_authorization_not_found', 404, async (ask, { on, member }) =>
    ask(on, '/oauth/authorizations/unknown', { bearer: await tokenOf(member) }),
  ),
  reached('oauth_dynamic_client_registration_disabled', 403, (ask, { strict }) =>
    ask(strict, '/oauth/clients/register', { json: { redirect_uris: ['https://a.example/b'] } }),
  ),

  ...shownBy('refresh.test.ts', 'refresh_token_already_used'),
  ...shownBy('sessions.test.ts', 'session_expired'),
  ...shownBy('links.test.ts', 'flow_state_expired', 'bad_code_verifier'),
  ...shownBy(
    'phone.test.ts',
    'over_sms_send_rate_limit',
    'sms_send_failed',
    'reauthentication_needed',
    'reauthentication_not_valid',
  ),
  ...shownBy(
    'oauth.test.ts',
    'bad_oauth_state',
    'bad_oauth_callback',
    'oauth_invalid_state',
    'oauth_client_state_not_found',
    'oauth_client_state_expired',
    'oauth_provider_not_supported',
    'flow_state_already_used',
    'provider_email_needs_verification',
    'invite_not_found',
  ),
  ...shownBy(
    'factors.test.ts',
    'too_many_enrolled_mfa_factors',
    'mfa_factor_name_conflict',
    'mfa_ip_address_mismatch',
    'mfa_challenge_expired',
    'mfa_verification_failed',
    'mfa_verification_rejected',
    'mfa_verified_factor_exists',
  ),
  ...shownBy(
    'passkeys.test.ts',
    'too_many_passkeys',
    'webauthn_verification_failed',
    'webauthn_challenge_not_found',
    'webauthn_challenge_expired',
    'webauthn_credential_exists',
  ),
  ...shownBy('oauthServer.test.ts', 'oauth_consent_not_found'),

  ...shownBy(
    '../../../backend/auth/hooks/callHttpHook.test.ts',
    'hook_timeout',
    'hook_timeout_after_retry',
    'hook_payload_over_size_limit',
    'hook_payload_invalid_content_type',
  ),
  ...shownBy('identities.test.ts', 'identity_already_exists'),
  ...unreachable(
    'config.toml has no key for it: custom providers are not counted',
    'over_custom_provider_quota',
  ),

  ...unreachable(
    'single sign-on by SAML is not served, and refused as a whole',
    'saml_relay_state_not_found',
    'saml_relay_state_expired',
    'saml_idp_not_found',
    'saml_assertion_no_user_id',
    'saml_assertion_no_email',
    'saml_metadata_fetch_failed',
    'saml_idp_already_exists',
    'saml_entity_id_mismatch',
    'sso_provider_disabled',
    'sso_domain_already_exists',
  ),
  ...unreachable('upstream never says it', 'email_address_not_provided', 'webauthn_credential_not_found'),
  ...unreachable('hosted alone restricts to whom its own mailer sends', 'email_address_not_authorized'),
  ...unreachable(
    'upstream looks up mail servers of addresses where told so; the CLI has no key for it',
    'email_address_invalid',
  ),
  ...unreachable(
    'requests that take too long end by their statements, each with its own error',
    'request_timeout',
  ),
  ...unreachable('an error without a code has it, and all that a route throws have one', 'unknown'),
  ...unreachable(
    'only the client library knows it: upstream has no such code',
    'mfa_recovery_codes_enroll_not_enabled',
    'mfa_recovery_codes_locked',
    'mfa_recovery_codes_sole_factor',
    'mfa_recovery_codes_verify_not_enabled',
    'reauth_nonce_missing',
  ),
]
