import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  latestMailTo,
  uniqueEmail,
  startAuth,
  startDatabase,
  type AuthDatabase,
  type AuthServer,
} from './support/startAuth.ts'

const password = 'correct horse battery'

let database: AuthDatabase
/** A server with email confirmations and notifications. */
let auth: AuthServer
beforeAll(async () => {
  database = await startDatabase()
  auth = await startAuth(
    database,
    `[auth]
enable_anonymous_sign_ins = true
[auth.email]
enable_confirmations = true
secure_password_change = true
max_frequency = "0s"
[auth.email.notification.password_changed]
enabled = true
[auth.email.notification.email_changed]
enabled = true
`,
  )
})
afterAll(async () => {
  await auth.stop()
  await database.stop()
})

const sql = (text: string, ...values: unknown[]) => database.admin.query(text, values)

/** A user who signed in with a code. */
async function signedIn(email = uniqueEmail()) {
  const client = auth.client()
  expect((await client.auth.signInWithOtp({ email })).error).toBeNull()
  const { data, error } = await client.auth.verifyOtp({
    email,
    token: latestMailTo(auth, email).code!,
    type: 'email',
  })
  expect(error).toBeNull()
  return { client, email, id: data.user!.id, token: data.session!.access_token }
}

/** Follows a link of a mail like a browser, without its redirects. */
async function follow(link: string): Promise<URL> {
  const response = await fetch(link, { redirect: 'manual' })
  expect(response.status).toBe(303)
  return new URL(response.headers.get('location')!)
}

/** The subjects of all mails to an address, newest first. */
function subjectsTo(address: string): string[] {
  const messages = auth.service.mailbox.messages()
  return messages.filter((message) => message.to === address).map((message) => message.subject)
}

async function audited(userId: string): Promise<unknown[]> {
  const { rows } = await sql(
    `select payload ->> 'action' as action from auth.audit_log_entries
     where payload ->> 'actor_id' = $1 order by created_at`,
    userId,
  )
  return rows.map((row) => row.action as string)
}

async function put(token: string, json: unknown, server = auth) {
  const response = await server.request('/user', { method: 'PUT', json, bearer: token })
  const body = (await response.json()) as { msg?: string }
  return [response.status, response.headers.get('x-sb-error-code'), body.msg]
}

describe('a new account', () => {
  it('gets a session with the confirmation link', async () => {
    const email = uniqueEmail()
    const client = auth.client()
    const up = await client.auth.signUp({ email, password, options: { data: { name: 'Bea' } } })
    expect(up.data.session).toBeNull()
    const early = await client.auth.signInWithPassword({ email, password })
    expect(early.error).toMatchObject({ status: 400, code: 'email_not_confirmed' })
    // The mail was lost; the link of the next one works in the same browser.
    expect((await client.auth.resend({ type: 'signup', email })).error).toBeNull()
    expect(subjectsTo(email)).toHaveLength(2)
    const code = (await follow(latestMailTo(auth, email).link!)).searchParams.get('code')!
    const { data, error } = await client.auth.exchangeCodeForSession(code)
    expect(error).toBeNull()
    expect(data.user).toMatchObject({ email, user_metadata: { name: 'Bea', email_verified: true } })
    expect(data.user?.identities?.[0]?.identity_data?.email_verified).toBe(true)
    const { rows } = await sql('select 1 from auth.one_time_tokens where user_id = $1', data.user!.id)
    expect(rows).toEqual([])
    expect(await audited(data.user!.id)).toEqual([
      'user_confirmation_requested',
      'user_confirmation_requested',
      'user_signedup',
      'login',
    ])
  })

  it('is created once by concurrent sign-ups', async () => {
    const email = uniqueEmail()
    const signUps = Array.from({ length: 50 }, (_, i) =>
      auth.request(i < 10 ? '/signup' : '/otp', { json: { email, password } }),
    )
    const responses = await Promise.all(signUps)
    expect(responses.filter(({ status }) => status !== 200 && status !== 429)).toEqual([])
    const { rows } = await sql('select 1 from auth.users where email = $1', email)
    expect(rows).toHaveLength(1)
  })

  it('reveals nothing of an invitation to someone else who signs up with its address', async () => {
    const email = uniqueEmail()
    await auth.asService().auth.admin.inviteUserByEmail(email, { data: { secret: 'plan' } })
    const { data } = await auth.client().auth.signUp({ email, password })
    expect(data.user).toMatchObject({ email, role: 'authenticated', identities: [{ provider: 'email' }] })
    expect(JSON.stringify(data.user)).not.toMatch(/plan|invited/)
  })

  it('keeps a password only if all sign-ups used the same one', async () => {
    const [agreed, disputed] = [uniqueEmail('agreed'), uniqueEmail('disputed')]
    for (const [email, passwords] of [
      [agreed, [password, password]],
      [disputed, ['chosen by someone else', password]],
    ] as const) {
      for (const one of passwords) await auth.request('/signup', { json: { email, password: one } })
      const { code } = latestMailTo(auth, email)
      expect((await auth.client().auth.verifyOtp({ email, token: code!, type: 'email' })).error).toBeNull()
    }
    expect((await auth.client().auth.signInWithPassword({ email: agreed, password })).error).toBeNull()
    for (const one of ['chosen by someone else', password]) {
      const tried = await auth.client().auth.signInWithPassword({ email: disputed, password: one })
      expect(tried.error?.code).toBe('invalid_credentials')
    }
  })

  it('is passed to the after-user-created hook, which cannot reject it', async () => {
    await sql(`
      create schema account_hooks;
      create function account_hooks.after(event jsonb) returns jsonb language plpgsql as $$
      begin
        perform 1 from auth.users where id = (event -> 'user' ->> 'id')::uuid;
        raise '% stands: %', event -> 'user' ->> 'email', found;
      end $$;
      grant usage on schema account_hooks to supabase_auth_admin;
      grant execute on all functions in schema account_hooks to supabase_auth_admin;`)
    const server = await startAuth(
      database,
      `[auth]
enable_anonymous_sign_ins = true
[auth.hook.after_user_created]
enabled = true
uri = "pg-functions://postgres/account_hooks/after"
`,
    )
    const email = uniqueEmail()
    const up = await server.client().auth.signUp({ email, password })
    expect(up.data.session).not.toBeNull()
    await vi.waitFor(() => expect(server.logged.join()).toContain(`${email} stands: t`))
    expect((await server.client().auth.signInAnonymously()).error).toBeNull()
    await vi.waitFor(() => expect(server.logged.join()).toContain(' stands: t'))
    await server.stop()
  })

  it('returns only the sender’s own values to the next sign-up with its address', async () => {
    const email = uniqueEmail()
    const first = await auth.client().auth.signUp({ email, password, options: { data: { secret: 'plan' } } })
    const options = { data: { name: 'Mallory' } }
    const second = await auth.client().auth.signUp({ email, password, options })
    expect(second.data.user).toMatchObject({
      id: first.data.user!.id,
      user_metadata: { name: 'Mallory', email },
    })
    expect(JSON.stringify(second.data)).not.toContain('plan')
    await sql(
      `update auth.users set phone = $2, phone_confirmed_at = now() where email = $1`,
      email,
      `49${Date.now()}`,
    )
    const third = await auth.client().auth.signUp({ email, password, options })
    expect(third.data.user).toMatchObject({ email, phone: '' })
    expect(third.data.user?.id).not.toBe(first.data.user!.id)
    // The response does not reveal that the sign-up is a repeated one.
    const fourth = await auth.client().auth.signUp({ email, password, options })
    expect(fourth.data.user?.id).toBe(third.data.user!.id)
  })

  it('accepts no password for a user who is known by another contact', async () => {
    const { email, id, client } = await signedIn()
    await client.auth.updateUser({ password })
    await sql(
      `update auth.users set email_confirmed_at = null, phone_confirmed_at = now(), phone = $2 where id = $1`,
      id,
      `49${Date.now()}`,
    )
    await auth.client().auth.signInWithOtp({ email })
    const { rows } = await sql('select encrypted_password from auth.users where id = $1', id)
    expect(rows[0]?.encrypted_password).toMatch(/^\$argon2id\$/)
  })
})

describe('a changed address', () => {
  it('is confirmed by both addresses in the requesting browser, and the old one is notified', async () => {
    const { client, email, id } = await signedIn()
    const next = uniqueEmail('next')
    expect((await client.auth.updateUser({ email: next })).error).toBeNull()
    expect((await client.auth.resend({ type: 'email_change', email })).error).toBeNull()
    const looked = await fetch(latestMailTo(auth, email).link!, { method: 'HEAD', redirect: 'manual' })
    expect(looked.status).toBe(405)
    const first = await follow(latestMailTo(auth, email).link!)
    expect(first.searchParams.get('message')).toMatch(/other email/)
    expect((await follow(latestMailTo(auth, email).link!)).searchParams.get('error_code')).toBe('otp_expired')
    const code = (await follow(latestMailTo(auth, next).link!)).searchParams.get('code')!
    const exchanged = await client.auth.exchangeCodeForSession(code)
    expect(exchanged.data.user).toMatchObject({ id, email: next })
    expect(exchanged.data.user).not.toHaveProperty('new_email')
    expect(subjectsTo(email)).toHaveLength(4)
    expect(latestMailTo(auth, email).text).toContain(next)
    const back = await auth.client().auth.verifyOtp({ email, token: '000000', type: 'email_change' })
    expect(back.error).toMatchObject({ status: 403, code: 'otp_expired' })
  })

  it('limits user metadata to what a token can carry', async () => {
    const data = { about: 'x'.repeat(9_000) }
    const email = uniqueEmail()
    const much = { status: 400, code: 'validation_failed' }
    const anew = auth.client()
    expect((await anew.auth.signUp({ email, password, options: { data } })).error).toMatchObject(much)
    expect((await anew.auth.signInWithOtp({ email, options: { data } })).error).toMatchObject(much)
    expect((await anew.auth.signInAnonymously({ options: { data } })).error).toMatchObject(much)
    const { client, id } = await signedIn()
    expect((await client.auth.updateUser({ data })).error).toMatchObject(much)
    // Larger metadata, for example imported, may be reduced.
    await database.admin.query('update auth.users set raw_user_meta_data = $2 where id = $1', [
      id,
      { ...data, more: 'y'.repeat(9_000) },
    ])
    expect((await client.auth.updateUser({ data: { more: '' } })).error).toBeNull()
  })

  it('makes an anonymous user permanent', async () => {
    const client = auth.client()
    await client.auth.signInAnonymously({ options: { data: { name: 'Nobody' } } })
    const bare = await client.auth.updateUser({ password })
    expect(bare.error).toMatchObject({ status: 422, code: 'validation_failed' })
    expect((await client.auth.reauthenticate()).error).toMatchObject({
      status: 400,
      code: 'validation_failed',
    })
    const email = uniqueEmail()
    expect((await client.auth.updateUser({ email, password })).error).toBeNull()
    const { data } = await client.auth.verifyOtp({
      email,
      token: latestMailTo(auth, email).code!,
      type: 'email_change',
    })
    expect(data.user).toMatchObject({
      email,
      is_anonymous: false,
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: { name: 'Nobody', email_verified: true },
    })
    expect((await auth.client().auth.signInWithPassword({ email, password })).error).toBeNull()
  })

  it('cannot be one that another user has from a provider', async () => {
    const { client, email } = await signedIn()
    const wanted = uniqueEmail('wanted')
    await client.auth.updateUser({ email: wanted })
    const codes = [latestMailTo(auth, email).code!, latestMailTo(auth, wanted).code!]
    const other = await signedIn()
    await sql(
      `insert into auth.identities (provider_id, user_id, provider, identity_data) values ($1, $2, 'github', $3)`,
      `github-${other.id}`,
      other.id,
      { sub: 'x', email: wanted, email_verified: true },
    )
    await client.auth.verifyOtp({ email, token: codes[0]!, type: 'email_change' })
    const late = await client.auth.verifyOtp({ email: wanted, token: codes[1]!, type: 'email_change' })
    expect(late.error).toMatchObject({ status: 422, code: 'email_exists' })
  })
})

describe('a new password', () => {
  it('revokes what the old one created, and notifies the user', async () => {
    const { client, email, id } = await signedIn()
    expect((await client.auth.updateUser({ password })).error).toBeNull()
    const elsewhere = auth.client()
    await elsewhere.auth.signInWithPassword({ email, password })
    await auth.client().auth.resetPasswordForEmail(email)
    const link = latestMailTo(auth, email).link!
    const same = await client.auth.updateUser({ password })
    expect(same.error).toMatchObject({ status: 422, code: 'same_password' })
    const mailCount = subjectsTo(email).length
    expect((await client.auth.updateUser({ password: 'another battery' })).error).toBeNull()
    expect(subjectsTo(email)).toHaveLength(mailCount + 1)
    expect((await follow(link)).searchParams.get('error_code')).toBe('otp_expired')
    expect((await client.auth.getUser()).error).toBeNull()
    expect((await elsewhere.auth.getUser()).error?.name).toBe('AuthSessionMissingError')
    expect((await audited(id)).slice(-2)).toEqual(['user_updated_password', 'user_modified'])
  })

  it('needs reauthentication in a session that is a day old', async () => {
    const { client, email, id, token } = await signedIn()
    await sql(`update auth.sessions set created_at = now() - interval '25 hours' where user_id = $1`, id)
    expect(await put(token, { password })).toEqual([
      400,
      'reauthentication_needed',
      'Password update requires reauthentication',
    ])
    const stale = [422, 'reauthentication_not_valid', 'Nonce has expired or is invalid']
    expect(await put(token, { password, nonce: '123456' })).toEqual(stale)
    expect((await client.auth.reauthenticate()).error).toBeNull()
    const nonce = latestMailTo(auth, email).code!
    expect(await put(token, { password, nonce: `${nonce}0` })).toEqual(stale)
    await sql(
      `update auth.users set reauthentication_sent_at = now() - interval '61 minutes' where id = $1`,
      id,
    )
    expect(await put(token, { password, nonce })).toEqual(stale)
    await client.auth.reauthenticate()
    const json = { password, nonce: latestMailTo(auth, email).code! }
    expect((await put(token, json))[0]).toBe(200)
    expect(await put(token, { ...json, password: 'another battery' })).toEqual(stale)
    expect(await audited(id)).toContain('user_reauthenticate_requested')
  })
})

it('merges user metadata, and rejects app metadata from users', async () => {
  const { client, token } = await signedIn()
  await client.auth.updateUser({ data: { name: 'Bea', likes: ['tea'], gone: 1 } })
  const { data } = await client.auth.updateUser({ data: { name: 'Bee', gone: null } })
  expect(data.user?.user_metadata).toMatchObject({ name: 'Bee', likes: ['tea'] })
  expect(data.user?.user_metadata).not.toHaveProperty('gone')
  expect(await put(token, { app_metadata: { role: 'owner' } })).toEqual([
    403,
    'not_admin',
    'Updating app_metadata requires admin privileges',
  ])
})

describe('a sign-in method', () => {
  const changes = [{ password }, { email: 'other@example.com' }, { phone: '4915155555' }]

  it('cannot be changed at aal1 by a user with a second factor', async () => {
    const { client, id, token } = await signedIn()
    await sql(
      `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
       values (gen_random_uuid(), $1, 'totp', 'verified', now(), now())`,
      id,
    )
    for (const change of changes) {
      expect(await put(token, change)).toEqual([
        401,
        'insufficient_aal',
        'AAL2 session is required to update email or password when MFA is enabled.',
      ])
    }
    expect((await client.auth.updateUser({ data: { name: 'Bea' } })).error).toBeNull()
  })

  it('of an SSO provider can only be changed there', async () => {
    const { id, token } = await signedIn()
    await sql('update auth.users set is_sso_user = true where id = $1', id)
    for (const change of [...changes, { nonce: '1' }]) {
      expect((await put(token, change)).slice(0, 2)).toEqual([422, 'user_sso_managed'])
    }
  })

  it('rejects banned users, and reveals the ban only to their owner', async () => {
    const { email, id } = await signedIn()
    await auth.client().auth.signInWithOtp({ email })
    await sql(`update auth.users set banned_until = 'infinity' where id = $1`, id)
    const guess = await auth.client().auth.verifyOtp({ email, token: 'no', type: 'email' })
    expect(guess.error?.code).toBe('otp_expired')
    const own = await auth
      .client()
      .auth.verifyOtp({ email, token: latestMailTo(auth, email).code!, type: 'email' })
    expect(own.error).toMatchObject({ status: 403, code: 'user_banned' })
  })
})

describe('with automatic confirmation and required current password', () => {
  let open: AuthServer
  beforeAll(async () => {
    open = await startAuth(
      database,
      `[auth]
enable_anonymous_sign_ins = true
require_current_password = true
[auth.email]
double_confirm_changes = false
max_frequency = "0s"
`,
    )
  })
  afterAll(() => open.stop())

  it('does not hand over an existing account', async () => {
    const email = uniqueEmail()
    await open.asService().auth.admin.inviteUserByEmail(email, { data: { secret: 'plan' } })
    const taken = await open.client().auth.signUp({ email, password })
    expect(taken.error).toMatchObject({ status: 422, code: 'user_already_exists' })
    // The link still signs the invited user in.
    const client = open.client()
    await client.auth.signInWithOtp({ email })
    const { data } = await client.auth.verifyOtp({
      email,
      token: latestMailTo(open, email).code!,
      type: 'email',
    })
    expect(data.user?.user_metadata).toMatchObject({ secret: 'plan' })
  })

  it('accepts the first address of an anonymous user without confirmation, but no second one', async () => {
    const client = open.client()
    await client.auth.signInAnonymously()
    const email = uniqueEmail()
    const first = await client.auth.updateUser({ email })
    expect(first.data.user).toMatchObject({ email, is_anonymous: false })
    const next = uniqueEmail()
    const second = await client.auth.updateUser({ email: next })
    expect(second.data.user).toMatchObject({ email, new_email: next })
    expect(() => latestMailTo(open, email)).toThrow('no mail')
    const { data } = await client.auth.verifyOtp({
      email: next,
      token: latestMailTo(open, next).code!,
      type: 'email_change',
    })
    expect(data.user?.email).toBe(next)
  })

  it('requires the old password, except after a recovery', async () => {
    const email = uniqueEmail()
    const client = open.client()
    const up = await client.auth.signUp({ email, password })
    const token = up.data.session!.access_token
    const message = 'Current password required when setting new password.'
    const next = { password: 'another battery' }
    expect(await put(token, next, open)).toEqual([400, 'current_password_required', message])
    expect(await put(token, { ...next, current_password: 'no' }, open)).toEqual([
      400,
      'current_password_invalid',
      message,
    ])
    expect((await put(token, { ...next, current_password: password }, open))[0]).toBe(200)
    const forgetful = open.client({ flowType: 'implicit' })
    await forgetful.auth.resetPasswordForEmail(email)
    const recovered = await forgetful.auth.verifyOtp({
      email,
      token: latestMailTo(open, email).code!,
      type: 'recovery',
    })
    expect(recovered.error).toBeNull()
    expect((await forgetful.auth.updateUser({ password: 'a third battery' })).error).toBeNull()
  })
})
