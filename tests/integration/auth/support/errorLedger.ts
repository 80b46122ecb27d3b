import { randomUUID } from 'node:crypto'
import { signIn, tokenOf, type TestUser } from './testUser.ts'
import { uniqueEmail, type AuthDatabase, type AuthServer } from './startAuth.ts'
import { bearerAt, signAccessToken } from './signTokens.ts'

/** The servers and users of the ledger's requests. */
export interface LedgerFixture {
  database: AuthDatabase
  /** Everything is enabled. */
  on: AuthServer
  /** Everything is disabled, except sessions. */
  off: AuthServer
  /** With confirmations, captchas and required current passwords; refreshes have a limit of 0. */
  strict: AuthServer
  /** A user with an email address, without password and factor. */
  member: TestUser
}

/** Sends a request in the error format under test. */
export type SendRequest = (
  server: AuthServer,
  path: string,
  o?: { json?: unknown; body?: string; method?: string; bearer?: string; headers?: Record<string, string> },
) => Promise<Response>

/** An error code with the request that returns it, the test that does, or why none can. */
export type Entry =
  | { code: string; status: number; trigger: (send: SendRequest, stage: LedgerFixture) => Promise<Response> }
  | { code: string; testedBy: string }
  | { code: string; unreachable: string }

const triggeredBy = (
  code: string,
  status: number,
  trigger: (send: SendRequest, stage: LedgerFixture) => Promise<Response>,
): Entry => ({
  code,
  status,
  trigger,
})
const testedBy = (file: string, ...codes: string[]): Entry[] =>
  codes.map((code) => ({ code, testedBy: file }))
const unreachable = (why: string, ...codes: string[]): Entry[] =>
  codes.map((code) => ({ code, unreachable: why }))

/** The hash of "password" from the reference implementation; verifying it costs almost nothing. */
const cheapHash = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'

/** An access token at `server` of a new user with these column values. */
async function bearerOfUserWith(
  { on, database }: LedgerFixture,
  server: AuthServer,
  assignments: string,
): Promise<string> {
  const person = await signIn(on)
  await database.admin.query(`update auth.users set ${assignments} where id = $1`, [person.id])
  return bearerAt(server, person)
}

/** The address of a new user with the password "password" and these column values. */
async function createUserWith({ database }: LedgerFixture, columns: Record<string, string>): Promise<string> {
  const email = uniqueEmail()
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
  const placeholders = values.map((_, i) => `$${i + 1}`).join(', ')
  await database.admin.query(`insert into auth.users (${names.join(', ')}) values (${placeholders})`, values)
  return email
}

/** Adds an identity of Google with this address. */
async function addIdentity({ database }: LedgerFixture, { id }: TestUser, email: string): Promise<void> {
  const sub = randomUUID()
  await database.admin.query(
    `insert into auth.identities (provider_id, user_id, identity_data, provider, created_at, updated_at)
     values ($1, $2, $3, 'google', now(), now())`,
    [sub, id, JSON.stringify({ sub, email, email_verified: true })],
  )
}

let phones = 0
const uniquePhone = (): string => `4915550${String(++phones).padStart(6, '0')}`

const admin = (server: AuthServer): Record<string, string> => ({
  apikey: server.serviceRoleKey,
  authorization: `Bearer ${server.serviceRoleKey}`,
})
const confirmed = { email_confirmed_at: '2026-01-01' }
const signInWith = (email: string) => ({ json: { email, password: 'password' } })
const unknownId = '00000000-0000-4000-8000-000000000000'

/** Every error code of the service and of its client library. */
export const errorLedger: Entry[] = [
  triggeredBy('validation_failed', 400, (send, { on }) => send(on, '/otp', { json: {} })),
  triggeredBy('bad_json', 400, (send, { on }) => send(on, '/otp', { body: '{', method: 'POST' })),
  triggeredBy('request_entity_too_large', 413, (send, { on }) =>
    send(on, '/otp', { json: { email: 'x'.repeat(2 ** 20) } }),
  ),
  triggeredBy('not_found', 404, (send, { on }) => send(on, '/nowhere')),
  triggeredBy('no_authorization', 401, (send, { on }) =>
    send(on, '/user', { headers: { authorization: '' } }),
  ),
  triggeredBy('bad_jwt', 403, (send, { on }) => send(on, '/user', { bearer: 'a.b.c' })),
  triggeredBy('not_admin', 403, (send, { on }) => send(on, '/admin/users')),
  triggeredBy('session_not_found', 403, (send, { on, member }) =>
    send(on, '/user', { bearer: signAccessToken(on, { sub: member.id, session_id: unknownId }) }),
  ),
  triggeredBy('user_not_found', 404, (send, { on }) =>
    send(on, `/admin/users/${unknownId}`, { headers: admin(on) }),
  ),
  triggeredBy('unexpected_failure', 500, (send, { strict }) =>
    send(strict, '/otp', {
      json: { email: uniqueEmail(), gotrue_meta_security: { captcha_token: 'no answer' } },
    }),
  ),
  triggeredBy('captcha_failed', 400, (send, { strict }) =>
    send(strict, '/otp', { json: { email: uniqueEmail() } }),
  ),

  triggeredBy('email_exists', 422, (send, { on, member: { email } }) =>
    send(on, '/admin/users', { json: { email }, headers: admin(on) }),
  ),
  triggeredBy('phone_exists', 422, async (send, stage) => {
    const phone = uniquePhone()
    await createUserWith(stage, { phone, phone_confirmed_at: '2026-01-01' })
    return send(stage.on, '/admin/users', { json: { phone }, headers: admin(stage.on) })
  }),
  triggeredBy('user_already_exists', 422, (send, { on, member: { email } }) =>
    send(on, '/signup', { json: { email, password: 'long enough' } }),
  ),
  triggeredBy('weak_password', 422, (send, { on }) =>
    send(on, '/signup', { json: { email: uniqueEmail(), password: 'x' } }),
  ),
  triggeredBy('signup_disabled', 422, (send, { off }) =>
    send(off, '/signup', { json: { email: uniqueEmail(), password: 'long enough' } }),
  ),
  triggeredBy('anonymous_provider_disabled', 422, (send, { off }) => send(off, '/signup', { json: {} })),
  triggeredBy('email_provider_disabled', 422, (send, { off }) =>
    send(off, '/token?grant_type=password', signInWith('a@example.com')),
  ),
  triggeredBy('phone_provider_disabled', 422, (send, { off }) =>
    send(off, '/token?grant_type=password', { json: { phone: '4912345678', password: 'x' } }),
  ),
  triggeredBy('otp_disabled', 422, (send, { on }) =>
    send(on, '/otp', { json: { email: uniqueEmail(), create_user: false } }),
  ),
  triggeredBy('otp_expired', 403, (send, { on }) =>
    send(on, '/verify', { json: { type: 'email', email: uniqueEmail(), token: '123456' } }),
  ),
  triggeredBy('invalid_credentials', 400, (send, { on }) =>
    send(on, '/token?grant_type=password', signInWith(uniqueEmail())),
  ),
  triggeredBy('email_not_confirmed', 400, async (send, stage) =>
    send(stage.on, '/token?grant_type=password', signInWith(await createUserWith(stage, {}))),
  ),
  triggeredBy('phone_not_confirmed', 400, async (send, stage) => {
    const phone = uniquePhone()
    await createUserWith(stage, { phone })
    return send(stage.on, '/token?grant_type=password', { json: { phone, password: 'password' } })
  }),
  triggeredBy('user_banned', 400, async (send, stage) => {
    const email = await createUserWith(stage, { ...confirmed, banned_until: '2999-01-01' })
    return send(stage.on, '/token?grant_type=password', signInWith(email))
  }),
  triggeredBy('refresh_token_not_found', 400, (send, { on }) =>
    send(on, '/token?grant_type=refresh_token', { json: { refresh_token: 'unknown00000' } }),
  ),
  triggeredBy('flow_state_not_found', 404, (send, { on }) =>
    send(on, '/token?grant_type=pkce', { json: { auth_code: unknownId, code_verifier: 'v'.repeat(43) } }),
  ),
  triggeredBy('over_request_rate_limit', 429, (send, { strict }) =>
    send(strict, '/token?grant_type=refresh_token', { json: { refresh_token: 'unknown00000' } }),
  ),
  triggeredBy('over_email_send_rate_limit', 429, async (send, { on }) => {
    const json = { email: uniqueEmail() }
    await send(on, '/recover', { json })
    return send(on, '/recover', { json })
  }),
  triggeredBy('same_password', 422, async (send, stage) => {
    const bearer = await bearerOfUserWith(stage, stage.on, `encrypted_password = '${cheapHash}'`)
    return send(stage.on, '/user', { method: 'PUT', json: { password: 'password' }, bearer })
  }),
  triggeredBy('current_password_required', 400, async (send, stage) => {
    const bearer = await bearerOfUserWith(stage, stage.strict, `encrypted_password = '${cheapHash}'`)
    return send(stage.strict, '/user', { method: 'PUT', json: { password: 'another one' }, bearer })
  }),
  triggeredBy('current_password_invalid', 400, async (send, stage) => {
    const bearer = await bearerOfUserWith(stage, stage.strict, `encrypted_password = '${cheapHash}'`)
    const json = { password: 'another one', current_password: 'wrong' }
    return send(stage.strict, '/user', { method: 'PUT', json, bearer })
  }),
  triggeredBy('user_sso_managed', 422, async (send, stage) => {
    const bearer = await bearerOfUserWith(stage, stage.on, 'is_sso_user = true')
    return send(stage.on, '/user', { method: 'PUT', json: { password: 'another one' }, bearer })
  }),
  triggeredBy('insufficient_aal', 401, async (send, stage) => {
    const person = await signIn(stage.on)
    const bearer = await tokenOf(person)
    await stage.database.admin.query(
      `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, secret, created_at, updated_at)
       values ($1, $2, 'app', 'totp', 'verified', 's', now(), now())`,
      [randomUUID(), person.id],
    )
    return send(stage.on, '/user', { method: 'PUT', json: { password: 'another one' }, bearer })
  }),

  triggeredBy('mfa_totp_enroll_not_enabled', 422, async (send, { off, member }) =>
    send(off, '/factors', { json: { factor_type: 'totp' }, bearer: await bearerAt(off, member) }),
  ),
  triggeredBy('mfa_phone_enroll_not_enabled', 422, async (send, { off, member }) =>
    send(off, '/factors', {
      json: { factor_type: 'phone', phone: '4912345678' },
      bearer: await bearerAt(off, member),
    }),
  ),
  triggeredBy('mfa_webauthn_enroll_not_enabled', 422, async (send, { off, member }) =>
    send(off, '/factors', { json: { factor_type: 'webauthn' }, bearer: await bearerAt(off, member) }),
  ),
  ...(['totp', 'phone', 'webauthn'] as const).map((type) =>
    triggeredBy(`mfa_${type}_verify_not_enabled`, 422, async (send, stage) => {
      const factor = randomUUID()
      const challenge = randomUUID()
      await stage.database.admin.query(
        `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, secret, phone, created_at, updated_at)
         values ($1, $2, $4, $3, 'unverified', 's', $5, now(), now())`,
        [factor, stage.member.id, type, factor, uniquePhone()],
      )
      await stage.database.admin.query(
        `insert into auth.mfa_challenges (id, factor_id, created_at, ip_address) values ($1, $2, now(), '127.0.0.1')`,
        [challenge, factor],
      )
      const json = { challenge_id: challenge, code: '123456' }
      const bearer = await bearerAt(stage.off, stage.member)
      return send(stage.off, `/factors/${factor}/verify`, { json, bearer })
    }),
  ),
  triggeredBy('mfa_factor_not_found', 404, async (send, { on, member }) =>
    send(on, `/factors/${unknownId}/challenge`, { json: {}, bearer: await tokenOf(member) }),
  ),
  triggeredBy('manual_linking_disabled', 404, async (send, { off, member }) =>
    send(off, `/user/identities/${unknownId}`, { method: 'DELETE', bearer: await bearerAt(off, member) }),
  ),
  triggeredBy('single_identity_not_deletable', 422, async (send, { on, member }) =>
    send(on, `/user/identities/${unknownId}`, { method: 'DELETE', bearer: await tokenOf(member) }),
  ),
  triggeredBy('identity_not_found', 422, async (send, stage) => {
    const person = await signIn(stage.on)
    await addIdentity(stage, person, person.email)
    const bearer = await tokenOf(person)
    return send(stage.on, `/user/identities/${unknownId}`, { method: 'DELETE', bearer })
  }),
  triggeredBy('email_conflict_identity_not_deletable', 422, async (send, stage) => {
    const person = await signIn(stage.on)
    await addIdentity(stage, person, stage.member.email)
    const { data } = await person.client.auth.getUserIdentities()
    const own = data!.identities.find(({ provider }) => provider === 'email')!
    const bearer = await tokenOf(person)
    return send(stage.on, `/user/identities/${own.identity_id}`, { method: 'DELETE', bearer })
  }),
  triggeredBy('unexpected_audience', 403, async (send, { on, member }) =>
    send(on, `/user/identities/${unknownId}`, {
      method: 'DELETE',
      bearer: await tokenOf(member),
      headers: { 'x-jwt-aud': 'others' },
    }),
  ),
  triggeredBy('sso_provider_not_found', 404, (send, { on }) =>
    send(on, `/admin/sso/providers/${unknownId}`, { headers: admin(on) }),
  ),
  triggeredBy('conflict', 400, async (send, { on }) => {
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
    return send(on, '/admin/custom-providers', { json, headers: admin(on) })
  }),
  triggeredBy('custom_provider_not_found', 404, (send, { on }) =>
    send(on, '/admin/custom-providers/custom:none', { headers: admin(on) }),
  ),
  triggeredBy('passkey_disabled', 404, (send, { off }) =>
    send(off, '/passkeys/authentication/options', { json: {} }),
  ),
  triggeredBy('feature_disabled', 404, (send, { off }) => send(off, '/oauth/userinfo')),
  triggeredBy('saml_provider_disabled', 404, (send, { on }) =>
    send(on, '/sso', { json: { domain: 'example.com' } }),
  ),
  triggeredBy('provider_disabled', 400, (send, { on }) =>
    send(on, '/token?grant_type=id_token', { json: { provider: 'google', id_token: 'x.y.z' } }),
  ),
  triggeredBy('web3_provider_disabled', 422, (send, { off }) =>
    send(off, '/token?grant_type=web3', { json: { chain: 'solana', message: 'm', signature: 's' } }),
  ),
  triggeredBy('web3_unsupported_chain', 400, (send, { on }) =>
    send(on, '/token?grant_type=web3', { json: { chain: 'bitcoin', message: 'm', signature: 's' } }),
  ),
  triggeredBy('oauth_client_not_found', 404, (send, { on }) =>
    send(on, `/admin/oauth/clients/${unknownId}`, { headers: admin(on) }),
  ),
  triggeredBy('oauth_authorization_not_found', 404, async (send, { on, member }) =>
    send(on, '/oauth/authorizations/unknown', { bearer: await tokenOf(member) }),
  ),
  triggeredBy('oauth_dynamic_client_registration_disabled', 403, (send, { strict }) =>
    send(strict, '/oauth/clients/register', { json: { redirect_uris: ['https://a.example/b'] } }),
  ),

  ...testedBy('refresh.test.ts', 'refresh_token_already_used'),
  ...testedBy('sessions.test.ts', 'session_expired'),
  ...testedBy('links.test.ts', 'flow_state_expired', 'bad_code_verifier'),
  ...testedBy(
    'phone.test.ts',
    'over_sms_send_rate_limit',
    'sms_send_failed',
    'reauthentication_needed',
    'reauthentication_not_valid',
  ),
  ...testedBy(
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
  ...testedBy(
    'factors.test.ts',
    'too_many_enrolled_mfa_factors',
    'mfa_factor_name_conflict',
    'mfa_ip_address_mismatch',
    'mfa_challenge_expired',
    'mfa_verification_failed',
    'mfa_verification_rejected',
    'mfa_verified_factor_exists',
  ),
  ...testedBy(
    'passkeys.test.ts',
    'too_many_passkeys',
    'webauthn_verification_failed',
    'webauthn_challenge_not_found',
    'webauthn_challenge_expired',
    'webauthn_credential_exists',
  ),
  ...testedBy('oauthServer.test.ts', 'oauth_consent_not_found'),

  ...testedBy(
    '../../../backend/auth/hooks/callHttpHook.test.ts',
    'hook_timeout',
    'hook_timeout_after_retry',
    'hook_payload_over_size_limit',
    'hook_payload_invalid_content_type',
  ),
  ...testedBy('identities.test.ts', 'identity_already_exists'),
  ...unreachable(
    'config.toml has no key for it: custom providers are not counted',
    'over_custom_provider_quota',
  ),

  ...unreachable(
    'SAML is not supported: every request is rejected',
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
  ...unreachable('GoTrue never returns it', 'email_address_not_provided', 'webauthn_credential_not_found'),
  ...unreachable(
    'only hosted Supabase restricts the recipients of its own mail server',
    'email_address_not_authorized',
  ),
  ...unreachable(
    'GoTrue validates mail servers only if configured; the CLI has no key for it',
    'email_address_invalid',
  ),
  ...unreachable('requests that take too long end with the error of their statement', 'request_timeout'),
  ...unreachable('it is the code of errors without a code, and every error here has one', 'unknown'),
  ...unreachable(
    'only the client library has it: GoTrue has no such code',
    'mfa_recovery_codes_enroll_not_enabled',
    'mfa_recovery_codes_locked',
    'mfa_recovery_codes_sole_factor',
    'mfa_recovery_codes_verify_not_enabled',
    'reauth_nonce_missing',
  ),
]
