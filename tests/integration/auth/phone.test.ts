import { createHmac, randomInt } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { invalidPhoneRequests } from './support/invalidPhoneRequests.ts'
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
/** A server with phone confirmations and without an SMS provider. */
let auth: AuthServer
const testNumber = '4915100000001'
beforeAll(async () => {
  database = await startDatabase()
  auth = await startAuth(
    database,
    `[auth]
enable_anonymous_sign_ins = true
[auth.email]
enable_confirmations = true
secure_password_change = true
max_frequency = "1m"
[auth.email.notification.phone_changed]
enabled = true
[auth.email.notification.identity_linked]
enabled = true
[auth.sms]
enable_signup = true
enable_confirmations = true
max_frequency = "1m"
template = "{{ .Code }} lets you in"
[auth.sms.test_otp]
${testNumber} = "123456"
`,
  )
})
afterAll(async () => {
  await auth.stop()
  await database.stop()
})

/** A phone number that no other test uses, as it is stored. */
function number(): string {
  return `49151${String(randomInt(1e9)).padStart(9, '0')}`
}

function codeTo(phone: string, server = auth): string {
  return latestMailTo(server, `+${phone}`).code!
}

/** A user who signed in by phone. */
async function signedIn(phone = number()) {
  const client = auth.client()
  expect((await client.auth.signInWithOtp({ phone })).error).toBeNull()
  const { data, error } = await client.auth.verifyOtp({ phone, token: codeTo(phone), type: 'sms' })
  expect(error).toBeNull()
  return { client, phone, user: data.user!, session: data.session! }
}

/** Sets the time of the last message of the user who has, or requested, this number to long ago. */
async function later(phone: string): Promise<void> {
  auth.advanceClock(120_000)
  await database.admin.query(
    `update auth.users set confirmation_sent_at = confirmation_sent_at - interval '2 minutes',
       phone_change_sent_at = phone_change_sent_at - interval '2 minutes',
       reauthentication_sent_at = reauthentication_sent_at - interval '2 minutes'
     where phone = $1 or phone_change = $1`,
    [phone],
  )
}

async function audited(userId: string): Promise<unknown[]> {
  const { rows } = await database.admin.query(
    `select payload ->> 'action' as action, payload -> 'traits' as traits from auth.audit_log_entries
     where payload ->> 'actor_id' = $1 order by created_at`,
    [userId],
  )
  return rows.map(({ action, traits }) => (traits === null ? action : [action, traits]))
}

async function refusal(
  path: string,
  json: unknown,
  o: { server?: AuthServer; bearer?: string; method?: string } = {},
) {
  const { server = auth, ...more } = o
  const response = await server.request(path, { json, ...more })
  const body = (await response.json()) as { msg?: string }
  return [response.status, response.headers.get('x-sb-error-code'), body.msg]
}

describe('a phone number', () => {
  it('signs up with a password, is confirmed with a code, and signs in with either', async () => {
    const phone = number()
    const client = auth.client()
    const up = await client.auth.signUp({ phone: `+${phone}`, password, options: { data: { name: 'Bea' } } })
    expect(up.error).toBeNull()
    expect(up.data.session).toBeNull()
    expect(up.data.user).toMatchObject({
      phone,
      email: '',
      app_metadata: { provider: 'phone', providers: ['phone'] },
      user_metadata: { name: 'Bea', phone_verified: false, email_verified: false },
    })
    expect(up.data.user?.identities?.[0]).toMatchObject({ provider: 'phone', id: up.data.user?.id })
    const text = latestMailTo(auth, `+${phone}`)
    expect(text).toMatchObject({ subject: 'Text message', text: `${text.code} lets you in`, link: null })
    const early = await client.auth.signInWithPassword({ phone, password })
    expect(early.error).toMatchObject({ status: 400, code: 'phone_not_confirmed' })
    const verified = await client.auth.verifyOtp({ phone: `+${phone}`, token: text.code!, type: 'sms' })
    expect(verified.error).toBeNull()
    expect(verified.data.user?.phone_confirmed_at).toBeTruthy()
    const claims = await client.auth.getClaims()
    expect(claims.data?.claims).toMatchObject({ phone, amr: [{ method: 'otp' }] })
    const spaced = `+${phone.slice(0, 2)} ${phone.slice(2, 5)} ${phone.slice(5)}`
    const back = await auth.client().auth.signInWithPassword({ phone: spaced, password })
    expect(back.data.user?.id).toBe(up.data.user?.id)
    expect(await audited(up.data.user!.id)).toEqual([
      ['user_confirmation_requested', { provider: 'phone' }],
      ['user_signedup', { provider: 'phone' }],
      ['login', { provider: 'phone' }],
    ])
    // The response reveals nothing about a number that is taken.
    await later(phone)
    const again = await auth.client().auth.signUp({ phone, password })
    expect(again.data.user).toMatchObject({
      phone,
      email: '',
      role: 'authenticated',
      identities: [{ provider: 'phone' }],
    })
    expect(again.data.user?.id).not.toBe(up.data.user?.id)
  })

  it('gets the same response whether or not it has an account', async () => {
    const { phone } = await signedIn()
    await later(phone)
    for (const channel of ['sms', 'whatsapp', undefined]) {
      for (const one of [phone, number()]) {
        const response = await auth.request('/otp', { json: { phone: one, channel } })
        expect([response.status, await response.text()]).toEqual([200, '{}'])
        expect(codeTo(one)).toMatch(/^\d{6}$/)
      }
      await later(phone)
    }
    const waiting = number()
    await auth.request('/otp', { json: { phone: waiting } })
    await later(waiting)
    for (const type of ['sms', 'phone_change']) {
      for (const one of [phone, waiting, number()]) {
        const response = await auth.request('/resend', { json: { phone: one, type } })
        expect([response.status, await response.text()]).toEqual([200, '{}'])
        expect(await refusal('/resend', { phone: one, type })).toEqual([
          429,
          'over_sms_send_rate_limit',
          expect.stringMatching(
            /^For security purposes, you can only request this after [1-6]?\d seconds\.$/,
          ) as string,
        ])
      }
      await later(phone)
    }
    const codes = await Promise.all(
      [phone, number()].map((one) => refusal('/verify', { phone: one, token: '000', type: 'sms' })),
    )
    expect(codes).toEqual([
      [403, 'otp_expired', 'Token has expired or is invalid'],
      [403, 'otp_expired', 'Token has expired or is invalid'],
    ])
  })

  it('accepts one of fifty concurrent uses of a code', async () => {
    const phone = number()
    await auth.client().auth.signInWithOtp({ phone })
    const json = { type: 'sms', phone, token: codeTo(phone) }
    const tries = await Promise.all(Array.from({ length: 50 }, () => auth.request('/verify', { json })))
    expect(tries.map((one) => one.status).sort()).toEqual([200, ...Array.from({ length: 49 }, () => 403)])
  })

  it('gets one account in twenty concurrent sign-ups', async () => {
    const phone = number()
    const tries = await Promise.all(
      Array.from({ length: 20 }, () => auth.request('/otp', { json: { phone } })),
    )
    expect(tries.map((one) => one.status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 429)])
    const { rows } = await database.admin.query('select 1 from auth.users where phone = $1', [phone])
    expect(rows).toHaveLength(1)
  })

  it('has a cooldown between messages, and only the newest code is valid', async () => {
    const phone = number()
    const client = auth.client()
    await client.auth.signInWithOtp({ phone })
    const first = codeTo(phone)
    const soon = await client.auth.signInWithOtp({ phone })
    expect(soon.error).toMatchObject({ status: 429, code: 'over_sms_send_rate_limit' })
    await later(phone)
    expect((await client.auth.resend({ type: 'sms', phone })).error).toBeNull()
    const replaced = await client.auth.verifyOtp({ phone, token: first, type: 'sms' })
    expect(replaced.error?.code).toBe('otp_expired')
    await database.admin.query(
      `update auth.users set confirmation_sent_at = now() - interval '101 minutes' where phone = $1`,
      [phone],
    )
    const old = await client.auth.verifyOtp({ phone, token: codeTo(phone), type: 'sms' })
    expect(old.error?.code).toBe('otp_expired')
    await later(phone)
    await client.auth.resend({ type: 'sms', phone })
    expect((await client.auth.verifyOtp({ phone, token: codeTo(phone), type: 'sms' })).error).toBeNull()
  })

  it('of test_otp has the configured code, and receives no message', async () => {
    const client = auth.client()
    const requests = await client.auth.signInWithOtp({ phone: `+${testNumber}` })
    expect(requests.data).toMatchObject({ messageId: 'test-otp' })
    expect(() => latestMailTo(auth, `+${testNumber}`)).toThrow('no mail')
    const wrong = await client.auth.verifyOtp({ phone: testNumber, token: '654321', type: 'sms' })
    expect(wrong.error?.code).toBe('otp_expired')
    expect(
      (await client.auth.verifyOtp({ phone: testNumber, token: '123456', type: 'sms' })).error,
    ).toBeNull()
  })

  it('does not confirm an email address', async () => {
    const phone = number()
    await auth.client().auth.signInWithOtp({ phone, options: { data: { email: 'victim@example.com' } } })
    // Hosted Supabase accepts the hash of this code in a link, and an address in user metadata.
    const hash = createHmac('sha224', auth.keys.jwtSecret)
      .update(phone + codeTo(phone))
      .digest('hex')
    for (const type of ['signup', 'email', 'invite', 'magiclink', 'sms']) {
      const refused = await refusal('/verify', { token_hash: hash, type })
      expect([type, refused[1]]).toEqual([type, type === 'sms' ? 'validation_failed' : 'otp_expired'])
    }
    const { rows } = await database.admin.query(
      `select i.email, u.email_confirmed_at, u.raw_user_meta_data ->> 'email' as metadata
       from auth.users u join auth.identities i on i.user_id = u.id where phone = $1`,
      [phone],
    )
    expect(rows).toEqual([{ email: null, email_confirmed_at: null, metadata: 'victim@example.com' }])
  })
})

it.each(invalidPhoneRequests)('%s %j: %i', async (path, body, status, code, message) => {
  expect(await refusal(path, body)).toEqual([status, code, message])
})

describe('a changed number', () => {
  it('is confirmed with a code to the new one', async () => {
    const { client, phone, user } = await signedIn()
    const next = number()
    const requests = await client.auth.updateUser({ phone: `+${next}` })
    expect(requests.error).toBeNull()
    expect(requests.data.user).toMatchObject({ phone, new_phone: next })
    const wrongType = await client.auth.verifyOtp({ phone: next, token: codeTo(next), type: 'sms' })
    expect(wrongType.error?.code).toBe('otp_expired')
    await later(phone)
    // The pending change is sent again when the current number is given.
    expect((await client.auth.resend({ type: 'phone_change', phone })).error).toBeNull()
    const token = codeTo(next)
    const done = await client.auth.verifyOtp({ phone: next, token, type: 'phone_change' })
    expect(done.data.user).toMatchObject({ id: user.id, phone: next })
    expect(done.data.user).not.toHaveProperty('new_phone')
    expect(done.data.user?.identities?.[0]?.identity_data).toMatchObject({
      phone: next,
      phone_verified: true,
    })
    const again = await client.auth.verifyOtp({ phone: next, token, type: 'phone_change' })
    expect(again.error?.code).toBe('otp_expired')
    expect((await audited(user.id)).slice(-2)).toEqual(['user_modified', 'user_modified'])
  })

  it('must not belong to another user, at the request or at the confirmation', async () => {
    const [bea, ann, taken] = [await signedIn(), await signedIn(), await signedIn()]
    const refused = await bea.client.auth.updateUser({ phone: taken.phone })
    expect(refused.error).toMatchObject({ status: 422, code: 'phone_exists' })
    const wanted = number()
    await bea.client.auth.updateUser({ phone: wanted })
    const beas = codeTo(wanted)
    await ann.client.auth.updateUser({ phone: wanted })
    const anns = codeTo(wanted)
    const first = await bea.client.auth.verifyOtp({ phone: wanted, token: beas, type: 'phone_change' })
    expect(first.data.user?.id).toBe(bea.user.id)
    const late = await ann.client.auth.verifyOtp({ phone: wanted, token: anns, type: 'phone_change' })
    expect(late.error).toMatchObject({ status: 422, code: 'phone_exists' })
  })

  it('makes an anonymous user permanent, and notifies users by mail', async () => {
    const client = auth.client()
    await client.auth.signInAnonymously()
    const phone = number()
    await client.auth.updateUser({ phone, password })
    const done = await client.auth.verifyOtp({ phone, token: codeTo(phone), type: 'phone_change' })
    expect(done.data.user).toMatchObject({ is_anonymous: false, app_metadata: { providers: ['phone'] } })
    expect((await client.auth.getClaims()).data?.claims.is_anonymous).toBe(false)
    expect((await auth.client().auth.signInWithPassword({ phone, password })).error).toBeNull()

    const email = uniqueEmail()
    await auth.asService().auth.admin.createUser({ email, email_confirm: true })
    const mailed = auth.client()
    await mailed.auth.signInWithOtp({ email })
    await mailed.auth.verifyOtp({ email, token: latestMailTo(auth, email).code!, type: 'email' })
    const subjects: string[] = []
    for (const next of [number(), number()]) {
      await mailed.auth.updateUser({ phone: next })
      expect(
        (await mailed.auth.verifyOtp({ phone: next, token: codeTo(next), type: 'phone_change' })).error,
      ).toBeNull()
      subjects.push(latestMailTo(auth, email).subject)
      await later(next)
    }
    expect(subjects[0]).not.toBe(subjects[1])
    expect(latestMailTo(auth, email).text).toMatch(/phone|number/i)
  })
})

it('reauthenticates with a text message before a new password, once', async () => {
  const { client, phone, user, session } = await signedIn()
  await database.admin.query(
    `update auth.sessions set created_at = now() - interval '25 hours' where user_id = $1`,
    [user.id],
  )
  const needed = await client.auth.updateUser({ password })
  expect(needed.error).toMatchObject({ status: 400, code: 'reauthentication_needed' })
  expect((await client.auth.reauthenticate()).error).toBeNull()
  const nonce = codeTo(phone)
  const wrong = await client.auth.updateUser({ password, nonce: 'no' })
  expect(wrong.error).toMatchObject({ status: 422, code: 'reauthentication_not_valid' })
  const tries = await Promise.all(
    ['one', 'two', 'three'].map((word) =>
      auth.request('/user', {
        method: 'PUT',
        json: { password: `${password} ${word}`, nonce },
        bearer: session.access_token,
      }),
    ),
  )
  expect(tries.map((one) => one.status).sort()).toEqual([200, 422, 422])
  await database.admin.query('update auth.users set phone_confirmed_at = null where id = $1', [user.id])
  expect((await client.auth.reauthenticate()).error).toMatchObject({
    status: 422,
    code: 'phone_not_confirmed',
  })
})

describe('with automatic confirmation of numbers', () => {
  let open: AuthServer
  beforeAll(async () => {
    open = await startAuth(database, '[auth.sms]\nenable_signup = true\nmax_frequency = "0s"\n')
  })
  afterAll(() => open.stop())

  it('signs up at once, and does not hand over an existing account', async () => {
    const phone = number()
    const up = await open.client().auth.signUp({ phone, password })
    expect(up.data.session).not.toBeNull()
    expect(await audited(up.data.user!.id)).toEqual([
      ['user_signedup', { provider: 'phone', channel: 'sms' }],
      ['login', { provider: 'phone' }],
    ])
    const taken = await open.client().auth.signUp({ phone, password })
    expect(taken.error).toMatchObject({ status: 422, code: 'user_already_exists' })
    await database.admin.query('update auth.users set phone_confirmed_at = null where phone = $1', [phone])
    const other = await open.client().auth.signUp({ phone, password: 'another horse' })
    expect(other.error).toMatchObject({ status: 422, code: 'user_already_exists' })
    const own = await open.client().auth.signUp({ phone, password })
    expect(own.data.session?.user.id).toBe(up.data.user!.id)
  })

  it('sends a code to a new user, and accepts a change without confirmation', async () => {
    const phone = number()
    const client = open.client()
    await client.auth.signInWithOtp({ phone })
    await client.auth.verifyOtp({ phone, token: codeTo(phone, open), type: 'sms' })
    const next = number()
    const changed = await client.auth.updateUser({ phone: next })
    expect(changed.data.user).toMatchObject({ phone: next })
    expect(changed.data.user?.phone_confirmed_at).toBeTruthy()
  })

  it('is reported in the settings', async () => {
    const settings = (await (await open.request('/settings')).json()) as Record<string, unknown>
    expect(settings).toMatchObject({ external: { phone: true }, phone_autoconfirm: true, sms_provider: '' })
    expect(open.service.mailbox.path).not.toBeNull()
  })
})

it('rejects numbers if phone sign-in is disabled', async () => {
  const closed = await startAuth(database, '[auth.sms]\nenable_confirmations = true\n')
  const phone = number()
  const cases: [string, unknown, number, string][] = [
    ['/signup', { phone, password }, 400, 'Phone signups are disabled'],
    ['/otp', { phone }, 400, 'Unsupported phone provider'],
    ['/resend', { phone, type: 'sms' }, 400, 'Phone logins are disabled'],
    ['/token?grant_type=password', { phone, password }, 422, 'Phone logins are disabled'],
  ]
  for (const [path, body, status, message] of cases) {
    expect(await refusal(path, body, { server: closed })).toEqual([
      status,
      'phone_provider_disabled',
      message,
    ])
  }
  await closed.stop()
})

describe('an SMS provider', () => {
  /** The provider's response, and the requests that it received. */
  let response: (url: string, fields: URLSearchParams) => [number, unknown] = () => [201, { sid: 'SM1' }]
  let requests: { url: string; fields: URLSearchParams }[] = []
  const textFetch: typeof fetch = async (url, init) => {
    const fields = init?.body as URLSearchParams
    requests.push({ url: String(url), fields })
    const [status, body] = response(String(url), fields)
    return Response.json(body, { status })
  }
  const sms = '[auth.sms]\nenable_signup = true\nenable_confirmations = true\nmax_frequency = "0s"\n'
  const account = 'enabled = true\naccount_sid = "AC1"\nmessage_service_sid = "MG1"\nauth_token = "t"\n'

  it('returns its id for new and known numbers, and nothing is stored for a message that it rejects', async () => {
    const server = await startAuth(database, `${sms}[auth.sms.twilio]\n${account}`, { smsFetch: textFetch })
    const phone = number()
    for (let i = 0; i < 2; i++) {
      const sent = await server.request('/otp', { json: { phone, channel: 'whatsapp' } })
      expect(await sent.json()).toEqual({ message_id: 'SM1' })
      expect(Object.fromEntries(requests.at(-1)!.fields)).toMatchObject({ To: `whatsapp:+${phone}` })
      const code = /\d{6}/.exec(requests.at(-1)!.fields.get('Body')!)![0]
      expect((await server.client().auth.verifyOtp({ phone, token: code, type: 'sms' })).error).toBeNull()
    }
    response = (_, fields) => [400, { message: `can't send "${fields.get('Body')}"` }]
    const otherClient = number()
    expect(await refusal('/otp', { phone: otherClient }, { server })).toEqual([
      422,
      'sms_send_failed',
      'Error sending confirmation OTP to provider: can\'t send "Your code is …"',
    ])
    const { rows } = await database.admin.query('select 1 from auth.users where phone = $1', [otherClient])
    expect(rows).toEqual([])
    // A resent message may be for an unknown number: its outcome is not returned.
    await database.admin.query('update auth.users set phone_confirmed_at = null where phone = $1', [phone])
    const before = requests.length
    const resent = await server.request('/resend', { json: { phone, type: 'sms' } })
    expect([resent.status, await resent.text()]).toEqual([200, '{}'])
    await server.service.close()
    expect(requests).toHaveLength(before + 1)
    expect(server.logged.join()).toContain('auth.sms_failed')
    expect(server.logged.join()).not.toMatch(/Your code is \d/)
    await server.stop()
  })

  it('may create the codes itself', async () => {
    const server = await startAuth(database, `${sms}[auth.sms.twilio_verify]\n${account}`, {
      smsFetch: textFetch,
    })
    const phone = number()
    requests = []
    response = (url, fields) =>
      url.endsWith('/VerificationCheck')
        ? [
            200,
            {
              status: fields.get('Code') === '424242' ? 'approved' : 'pending',
              valid: fields.get('Code') === '424242',
            },
          ]
        : [201, { sid: 'VE1' }]
    const verify = (token: string) => server.client().auth.verifyOtp({ phone, token, type: 'sms' })
    // Nothing was requested yet: the code may be one of a second factor.
    expect((await verify('424242')).error?.code).toBe('otp_expired')
    await server.client().auth.signInWithOtp({ phone })
    expect((await verify('111111')).error?.code).toBe('otp_expired')
    expect((await verify('424242')).data.user?.phone).toBe(phone)
    expect((await verify('424242')).error?.code).toBe('otp_expired')
    await server.stop()
  })

  it('may be a hook, which may reject, and has a limit per hour', async () => {
    await database.admin.query(`
      create schema if not exists texts;
      create table texts.events (event jsonb);
      create function texts.send(event jsonb) returns jsonb language plpgsql security definer as $$
      begin
        insert into texts.events values (event);
        if event -> 'user' -> 'user_metadata' ->> 'name' = 'Mallory' then
          return '{"error": {"http_code": 403, "message": "not to you"}}';
        end if;
        return '{}';
      end $$;
      grant usage on schema texts to supabase_auth_admin;
      grant execute on function texts.send to supabase_auth_admin;`)
    const hook = '[auth.hook.send_sms]\nenabled = true\nuri = "pg-functions://postgres/texts/send"\n'
    const server = await startAuth(database, `${sms}${hook}[auth.rate_limit]\nsms_sent = 3\n`)
    const phone = number()
    expect((await server.client().auth.signInWithOtp({ phone })).error).toBeNull()
    const { rows } = await database.admin.query('select event from texts.events')
    const { metadata, user, sms: received } = rows[0]!.event as Record<string, Record<string, string>>
    expect(metadata).toMatchObject({ name: 'send-sms' })
    expect(user).toMatchObject({ phone })
    expect(received).toEqual({ otp: expect.stringMatching(/^\d{6}$/) as string, phone })
    expect(
      (await server.client().auth.verifyOtp({ phone, token: received!.otp!, type: 'sms' })).error,
    ).toBeNull()
    const data = { name: 'Mallory' }
    const refused = await server.client().auth.signInWithOtp({ phone: number(), options: { data } })
    expect(refused.error).toMatchObject({ status: 403, message: 'not to you' })
    // The hook's error is not returned either, since unknown numbers get none.
    await database.admin.query(
      `update auth.users set phone_confirmed_at = null, raw_user_meta_data = '{"name": "Mallory"}' where phone = $1`,
      [phone],
    )
    const again = await server.request('/resend', { json: { phone, type: 'sms' } })
    expect([again.status, await again.text()]).toEqual([200, '{}'])
    expect(server.logged.join()).toContain('not to you')
    const spent = [
      429,
      'over_sms_send_rate_limit',
      expect.stringMatching(/^SMS rate limit exceeded, try again after \d+ seconds$/),
    ]
    expect(await refusal('/otp', { phone }, { server })).toEqual(spent)
    for (const one of [phone, number()]) {
      expect(await refusal('/resend', { phone: one, type: 'sms' }, { server })).toEqual(spent)
    }
    await server.stop()
  })
})
