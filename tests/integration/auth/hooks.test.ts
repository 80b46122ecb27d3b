import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { ConfigError } from '../../../backend/config/loadConfig.ts'
import { startHooks, type HookEvent, type HookServer } from '../../support/startHooks.ts'
import {
  uniqueEmail,
  startAuth,
  startDatabase,
  type AuthDatabase,
  type AuthServer,
} from './support/startAuth.ts'

const names = {
  before_user_created: 'before-user-created',
  after_user_created: 'after-user-created',
  custom_access_token: 'customize-access-token',
  send_email: 'send-email',
  send_sms: 'send-sms',
  mfa_verification_attempt: 'mfa-verification',
  password_verification_attempt: 'password-verification',
}
type Name = (typeof names)[keyof typeof names]

/** A transport of hooks. */
interface HookTransport {
  auth: AuthServer
  /** The events of one hook that were committed. */
  receivedEvents(name: Name): Promise<HookEvent[]>
  respondWith(name: Name, response: unknown): Promise<void>
  reset(): Promise<void>
}

let database: AuthDatabase
let server: HookServer
const transports = {} as Record<'function' | 'http', HookTransport>

/** All seven hooks are enabled. */
function settings(uri: string, secrets?: string): string {
  const hooks = Object.keys(names).map(
    (name) => `[auth.hook.${name}]
enabled = true
uri = "${uri}"
${secrets ? `secrets = "${secrets}"` : ''}`,
  )
  return `[auth.email]
enable_confirmations = true
max_frequency = "0s"
[auth.email.notification.password_changed]
enabled = true
[auth.sms]
enable_signup = true
[auth.mfa.totp]
enroll_enabled = true
verify_enabled = true
${hooks.join('\n')}
`
}

beforeAll(async () => {
  database = await startDatabase()
  server = await startHooks()
  const { admin } = database
  await admin.query(`
    create table public.hook_calls (at bigserial, event jsonb);
    create table public.hook_answers (name text primary key, answer jsonb);
    grant all on public.hook_calls, public.hook_answers to supabase_auth_admin;
    grant usage on sequence public.hook_calls_at_seq to supabase_auth_admin;
    create function public.any_hook(event jsonb) returns jsonb language plpgsql as $$
    declare
      known jsonb := (select answer from public.hook_answers where name = event #>> '{metadata,name}');
    begin
      insert into public.hook_calls (event) values (event || jsonb_build_object(
        'called_by', current_user, 'within', current_setting('statement_timeout')));
      if known = '"break"' then raise exception 'the hook broke'; end if;
      return coalesce(known, case when event ? 'claims'
        then jsonb_build_object('claims', event -> 'claims' || '{"plan": "pro"}') else '{}' end);
    end $$;
    revoke execute on function public.any_hook from public;
    grant execute on function public.any_hook to supabase_auth_admin;`)
  transports.function = {
    auth: await startAuth(database, settings('pg-functions://postgres/public/any_hook')),
    async receivedEvents(name) {
      const { rows } = await admin.query<{ event: HookEvent }>(
        `select event from public.hook_calls where event #>> '{metadata,name}' = $1 order by at`,
        [name],
      )
      return rows.map(({ event }) => event)
    },
    async respondWith(name, response) {
      await admin.query('insert into public.hook_answers values ($1, $2)', [name, JSON.stringify(response)])
    },
    async reset() {
      await admin.query('delete from public.hook_calls')
      await admin.query('delete from public.hook_answers')
    },
  }
  transports.http = {
    auth: await startAuth(database, settings(server.uri, server.secrets)),
    receivedEvents: async (name) => server.events.filter(({ metadata }) => metadata.name === name),
    async respondWith(name, response) {
      server.answers.set(name, response)
    },
    async reset() {
      server.events.length = 0
      server.answers.clear()
    },
  }
})
beforeEach(() => Promise.all([transports.function.reset(), transports.http.reset()]))
afterAll(async () => {
  await Promise.all(Object.values(transports).map(({ auth }) => auth.stop()))
  await server.stop()
  await database.stop()
})

async function exists(email: string): Promise<boolean> {
  const { rows } = await database.admin.query('select 1 from auth.users where email = $1', [email])
  return rows.length > 0
}

const password = 'long enough'
const sha224 = (text: string, { keys }: AuthServer): string =>
  createHmac('sha224', keys.jwtSecret).update(text).digest('hex')

describe.each(['function', 'http'] as const)('with %s', (kind) => {
  /** A signed-in user with a confirmed address and a password. */
  async function signIn() {
    const { auth } = transports[kind]
    const email = uniqueEmail()
    const made = await auth.asService().auth.admin.createUser({ email, password, email_confirm: true })
    const client = auth.client()
    const { error } = await client.auth.signInWithPassword({ email, password })
    expect(error).toBeNull()
    return { email, client, id: made.data.user!.id }
  }

  describe('before a user is created', () => {
    it('the hook receives the user, also after the creation', async () => {
      const { auth, receivedEvents } = transports[kind]
      const email = uniqueEmail()
      const data = { a: 1 }
      expect((await auth.client().auth.signUp({ email, password, options: { data } })).error).toBeNull()
      const events = await receivedEvents('before-user-created')
      expect(events).toHaveLength(1)
      expect(events[0]).toMatchObject({
        ...(kind === 'function' ? { called_by: 'supabase_auth_admin', within: '2s' } : {}),
        metadata: {
          name: 'before-user-created',
          uuid: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
          time: expect.any(String) as string,
          ip_address: '127.0.0.1',
        },
        user: { email, user_metadata: data, app_metadata: { provider: 'email' }, identities: [] },
      })
      expect(JSON.stringify(events[0])).not.toContain('argon2')
      let after: HookEvent[] = []
      while (after.length === 0) {
        await new Promise((resolve) => setImmediate(resolve))
        after = await receivedEvents('after-user-created')
      }
      expect(after).toMatchObject([
        { user: { id: expect.any(String) as string, email, user_metadata: data } },
      ])
    })

    it.each(['signUp', 'otp', 'invite', 'link'] as const)(
      'the hook rejects with its own message: %s',
      async (action) => {
        const { auth, respondWith } = transports[kind]
        const email = uniqueEmail('refused')
        await respondWith('before-user-created', {
          error: { http_code: 403, message: 'Only by invitation.' },
        })
        const { admin } = auth.asService().auth
        const actions = {
          signUp: () => auth.client().auth.signUp({ email, password }),
          otp: () => auth.client().auth.signInWithOtp({ email }),
          invite: () => admin.inviteUserByEmail(email),
          link: () => admin.generateLink({ type: 'invite', email }),
        }
        const { error } = await actions[action]()
        expect(error).toMatchObject({ status: 403, message: 'Only by invitation.' })
        expect(await exists(email)).toBe(false)
      },
    )

    it.each(['break', [], 'yes', { error: { http_code: '200', message: 'no' } }])(
      'no account is created if the response is %j',
      async (given) => {
        const { auth, respondWith } = transports[kind]
        const email = uniqueEmail()
        await respondWith('before-user-created', given)
        const response = await auth.request('/signup', { json: { email, password } })
        const text = await response.text()
        expect(response.status).toBe(500)
        expect(text).not.toMatch(/the hook broke|127\.0\.0\.1/)
        expect(await exists(email)).toBe(false)
      },
    )

    it('the hook is not called for existing users', async () => {
      const { auth, receivedEvents } = transports[kind]
      const email = uniqueEmail()
      await auth.asService().auth.admin.createUser({ email, email_confirm: true })
      await auth.client().auth.signInWithOtp({ email })
      expect(await receivedEvents('before-user-created')).toEqual([])
    })
  })

  it('adds claims to access tokens', async () => {
    const { email, client, id } = await signIn()
    const first = await client.auth.getClaims()
    expect(first.data?.claims).toMatchObject({ plan: 'pro', email, role: 'authenticated' })
    expect((await client.auth.refreshSession()).error).toBeNull()
    expect((await client.auth.getClaims()).data?.claims).toMatchObject({ plan: 'pro' })
    const events = await transports[kind].receivedEvents('customize-access-token')
    expect(events).toMatchObject([
      { user_id: id, authentication_method: 'password', claims: { email, aal: 'aal1' } },
      { user_id: id, authentication_method: 'token_refresh', claims: { email, aal: 'aal1' } },
    ])
  })

  describe('a mail with the send_email hook', () => {
    it('is passed to the hook with its codes, and not sent', async () => {
      const { auth, receivedEvents } = transports[kind]
      const email = uniqueEmail()
      await auth.client({ flowType: 'implicit' }).auth.signUp({ email, password })
      const [event] = await receivedEvents('send-email')
      const { token } = event!.email_data as { token: string }
      expect(event).toMatchObject({ metadata: { ip_address: '127.0.0.1' }, user: { email } })
      expect(event!.email_data).toEqual({
        token: expect.stringMatching(/^\d{6}$/) as string,
        token_hash: sha224(email + token, auth),
        redirect_to: auth.url,
        email_action_type: 'signup',
        site_url: `${auth.url}/auth/v1`,
        token_new: '',
        token_hash_new: '',
        old_email: '',
        old_phone: '',
        provider: '',
        factor_type: '',
      })
      expect(auth.service.mailbox.messages().filter(({ to }) => to === email)).toEqual([])
      const verified = await auth.client().auth.verifyOtp({ email, token, type: 'signup' })
      expect(verified.error).toBeNull()
    })

    it.each([
      ['magiclink', (auth: AuthServer, email: string) => auth.client().auth.signInWithOtp({ email })],
      ['recovery', (auth: AuthServer, email: string) => auth.client().auth.resetPasswordForEmail(email)],
    ] as const)('has its type: %s', async (type, request) => {
      const { auth, receivedEvents } = transports[kind]
      const email = uniqueEmail()
      await auth.asService().auth.admin.createUser({ email, email_confirm: true })
      expect((await request(auth, email)).error).toBeNull()
      // The response to a recovery does not wait for the hook, which is only called for existing accounts.
      await vi.waitFor(async () =>
        expect((await receivedEvents('send-email')).map(({ email_data }) => email_data)).toMatchObject([
          { email_action_type: type, token_hash: expect.stringMatching(/^pkce_/) as string },
        ]),
      )
    })

    it('of a change of address is one event for both addresses', async () => {
      const { auth, receivedEvents } = transports[kind]
      const { email, client } = await signIn()
      const next = uniqueEmail('next')
      expect((await client.auth.updateUser({ email: next })).error).toBeNull()
      const events = await receivedEvents('send-email')
      expect(events).toHaveLength(1)
      const { user, email_data } = events[0] as unknown as Record<
        'user' | 'email_data',
        Record<string, string>
      >
      expect(user).toMatchObject({ email, new_email: next })
      const { token, token_new, token_hash, token_hash_new, email_action_type } = email_data
      expect(email_action_type).toBe('email_change')
      expect(token_hash_new).toBe(`pkce_${sha224(email + token!, auth)}`)
      expect(token_hash).toBe(`pkce_${sha224(next + token_new!, auth)}`)
    })

    it('undoes its action if the hook rejects', async () => {
      const { auth, respondWith } = transports[kind]
      await respondWith('send-email', { error: { http_code: 429, message: 'Not so many.' } })
      const email = uniqueEmail()
      const { error } = await auth.client().auth.signUp({ email, password })
      expect(error).toMatchObject({ status: 429, message: 'Not so many.' })
      expect(await exists(email)).toBe(false)
    })

    it('undoes nothing if it is a notification', async () => {
      const { receivedEvents, respondWith } = transports[kind]
      const { email, client } = await signIn()
      await respondWith('send-email', 'break')
      expect((await client.auth.updateUser({ password: 'another one' })).error).toBeNull()
      const again = transports[kind].auth.client()
      expect((await again.auth.signInWithPassword({ email, password: 'another one' })).error).toBeNull()
      await transports[kind].reset()
      expect((await again.auth.updateUser({ password: 'a third one' })).error).toBeNull()
      expect((await receivedEvents('send-email')).map(({ email_data }) => email_data)).toMatchObject([
        { email_action_type: 'password_changed_notification', token: '', token_hash: '' },
      ])
    })
  })

  it('sends text messages', async () => {
    const { auth, receivedEvents, respondWith } = transports[kind]
    const phone = kind === 'function' ? '491701234561' : '491701234562'
    expect((await auth.client().auth.signInWithOtp({ phone })).error).toBeNull()
    const [event] = await receivedEvents('send-sms')
    expect(event).toMatchObject({
      user: { phone },
      sms: { otp: expect.stringMatching(/^\d{6}$/) as string, phone },
    })
    await respondWith('send-sms', { error: { http_code: 400, message: 'No such number.' } })
    const { error } = await auth.client().auth.signInWithOtp({ phone: '491701234563' })
    expect(error).toMatchObject({ status: 400, message: 'No such number.' })
  })

  it('verifies password attempts', async () => {
    const { auth, receivedEvents, respondWith } = transports[kind]
    const { email, id } = await signIn()
    await auth.client().auth.signInWithPassword({ email, password: 'wrong one' })
    expect(await receivedEvents('password-verification')).toMatchObject([
      { user_id: id, valid: true },
      { user_id: id, valid: false },
    ])
    await respondWith('password-verification', { decision: 'reject', message: 'Too often.' })
    const { data, error } = await auth.client().auth.signInWithPassword({ email, password })
    expect([data.session, error?.message]).toEqual([null, 'Too often.'])
  })

  it('verifies attempts of second factors', async () => {
    const { receivedEvents, respondWith } = transports[kind]
    const { client, id } = await signIn()
    const { data: factor } = await client.auth.mfa.enroll({ factorType: 'totp' })
    const attempt = () => client.auth.mfa.challengeAndVerify({ factorId: factor!.id, code: '000000' })
    await attempt()
    expect(await receivedEvents('mfa-verification')).toMatchObject([
      { user_id: id, factor_id: factor!.id, factor_type: 'totp', valid: false },
    ])
    await respondWith('mfa-verification', { decision: 'reject', message: 'No more.' })
    expect((await attempt()).error).toMatchObject({ code: 'mfa_verification_rejected', message: 'No more.' })
  })
})

it('keeps secrets, codes and addresses out of the log', () => {
  const lines = Object.values(transports).flatMap(({ auth }) => auth.logged)
  expect(lines.some((line) => line.includes('auth.hook_failed'))).toBe(true)
  for (const line of lines) expect(line).not.toMatch(/whsec|token_hash|@example\.com/)
})

it.each([
  ['secrets is missing', 'uri = "https://example.com/hook"'],
  ['uri must begin with https', 'uri = "http://example.com/hook"'],
  ['uri must be', 'uri = "ftp://localhost/hook"'],
  ['uri must be', ''],
  ['secrets must be left out', 'uri = "pg-functions://postgres/public/any_hook"\nsecrets = "v1,whsec_x"'],
])('does not start with an invalid hook: %s', async (message, lines) => {
  const started = startAuth(database, `[auth.hook.before_user_created]\nenabled = true\n${lines}\n`)
  await expect(started).rejects.toThrow(ConfigError)
  await expect(started).rejects.toThrow(`auth.hook.before_user_created.${message}`)
})
