import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  latestMailTo,
  uniqueEmail,
  startAuth,
  startDatabase,
  type AuthDatabase,
  type AuthServer,
} from './support/startAuth.ts'

let database: AuthDatabase
let auth: AuthServer
beforeAll(async () => {
  database = await startDatabase()
  auth = await startAuth(
    database,
    `[auth]
additional_redirect_urls = ["https://*.linnet.example/join/**", "linnet://back"]
[auth.email]
enable_confirmations = true
max_frequency = "1m"
`,
  )
})
afterAll(async () => {
  await auth.stop()
  await database.stop()
})

/** A user whose address is confirmed. */
async function member(name?: string): Promise<string> {
  const email = uniqueEmail(name)
  const made = await auth.asService().auth.admin.createUser({ email, email_confirm: true })
  expect(made.error).toBeNull()
  return email
}

/** Follows a link of a mail like a browser, without its redirects. */
async function follow(link: string): Promise<URL> {
  const response = await fetch(link, { redirect: 'manual' })
  expect(response.status).toBe(303)
  return new URL(response.headers.get('location')!)
}

/** Sets the time of the last mail to this address to long ago. */
async function later(email: string): Promise<void> {
  auth.advanceClock(120_000)
  await database.admin.query(
    `update auth.users set recovery_sent_at = recovery_sent_at - interval '2 minutes',
       confirmation_sent_at = confirmation_sent_at - interval '2 minutes',
       email_change_sent_at = email_change_sent_at - interval '2 minutes' where email = $1`,
    [email],
  )
}

describe('with PKCE', () => {
  it('exchanges the code of a link for a session, once', async () => {
    const email = await member()
    const client = auth.client()
    const emailRedirectTo = `${auth.url}/confirm?next=%2Fhome`
    expect((await client.auth.signInWithOtp({ email, options: { emailRedirectTo } })).error).toBeNull()
    const mail = latestMailTo(auth, email)
    expect(mail.subject).toBe('Your sign-in link')
    const target = await follow(mail.link!)
    expect(target.pathname + target.search).toMatch(/^\/confirm\?next=%2Fhome&code=[0-9a-f-]{36}$/)
    expect(target.hash).toBe('')
    const code = target.searchParams.get('code')!
    const wrongVerifier = await auth.request('/token?grant_type=pkce', {
      json: { auth_code: code, code_verifier: 'x'.repeat(43) },
    })
    expect(wrongVerifier.status).toBe(400)
    expect(wrongVerifier.headers.get('x-sb-error-code')).toBe('bad_code_verifier')
    const exchanged = await client.auth.exchangeCodeForSession(code)
    expect(exchanged.error).toBeNull()
    expect(exchanged.data.user?.email).toBe(email)
    const claims = await client.auth.getClaims()
    expect(claims.data?.claims.amr).toEqual([
      { method: 'magiclink', timestamp: expect.any(Number) as number },
    ])
    const again = await auth.request('/token?grant_type=pkce', {
      json: { auth_code: code, code_verifier: 'x'.repeat(43) },
    })
    expect(again.status).toBe(404)
    expect(again.headers.get('x-sb-error-code')).toBe('flow_state_not_found')
    const used = await follow(mail.link!)
    expect(used.searchParams.get('error_code')).toBe('otp_expired')
    expect(new URLSearchParams(used.hash.slice(1)).get('error')).toBe('access_denied')
  })

  it('accepts the link of a new user, whatever its type', async () => {
    const email = uniqueEmail()
    const client = auth.client()
    await client.auth.signInWithOtp({ email, options: { data: { name: 'New' } } })
    const mail = latestMailTo(auth, email)
    expect(mail.subject).toBe('Confirm your email')
    const link = new URL(mail.link!)
    link.searchParams.set('type', 'email')
    const target = await follow(link.href)
    const exchanged = await client.auth.exchangeCodeForSession(target.searchParams.get('code')!)
    expect(exchanged.error).toBeNull()
    expect(exchanged.data.user?.user_metadata).toMatchObject({ name: 'New', email_verified: true })
  })

  it('recovers a password', async () => {
    const email = await member()
    const client = auth.client()
    expect((await client.auth.resetPasswordForEmail(email)).error).toBeNull()
    const mail = latestMailTo(auth, email)
    expect(mail.subject).toBe('Reset your password')
    const target = await follow(mail.link!)
    const exchanged = await client.auth.exchangeCodeForSession(target.searchParams.get('code')!)
    expect(exchanged.error).toBeNull()
    expect((await client.auth.updateUser({ password: 'brand new words' })).error).toBeNull()
    const back = await auth.client().auth.signInWithPassword({ email, password: 'brand new words' })
    expect(back.error).toBeNull()
  })

  it('rejects incomplete and short challenges, and unknown methods', async () => {
    const email = uniqueEmail()
    const challenges = [
      { code_challenge: 'x'.repeat(43) },
      { code_challenge: 'x'.repeat(42), code_challenge_method: 's256' },
      { code_challenge: '!'.repeat(43), code_challenge_method: 's256' },
      { code_challenge: 'x'.repeat(43), code_challenge_method: 's512' },
    ]
    for (const challenge of challenges) {
      const response = await auth.request('/otp', { json: { email, ...challenge } })
      expect([response.status, response.headers.get('x-sb-error-code')]).toEqual([400, 'validation_failed'])
    }
  })

  it('expires codes', async () => {
    const email = await member()
    const client = auth.client()
    await client.auth.signInWithOtp({ email })
    const target = await follow(latestMailTo(auth, email).link!)
    await database.admin.query(
      `update auth.flow_state set auth_code_issued_at = now() - interval '6 minutes' where auth_code = $1`,
      [target.searchParams.get('code')],
    )
    const late = await client.auth.exchangeCodeForSession(target.searchParams.get('code')!)
    expect(late.error).toMatchObject({ status: 422, code: 'flow_state_expired' })
  })
})

describe('without a challenge', () => {
  it('invites a user from another browser', async () => {
    const email = uniqueEmail('invited')
    const response = await auth.request(
      `/otp?redirect_to=${encodeURIComponent(`${auth.url}/join/x?a=b&c=d`)}`,
      {
        json: { email },
      },
    )
    expect([response.status, await response.json()]).toEqual([200, {}])
    const mail = latestMailTo(auth, email)
    const hash = new URL(mail.link!).searchParams.get('token')!
    expect(hash).toMatch(/^[0-9a-f]{56}$/)
    expect(new URL(mail.link!).searchParams.get('redirect_to')).toBe(`${auth.url}/join/x?a=b&c=d`)
    const bea = auth.client()
    const verified = await bea.auth.verifyOtp({ token_hash: hash, type: 'email' })
    expect(verified.error).toBeNull()
    expect(verified.data.session?.user.email).toBe(email)
    expect((await bea.auth.getUser()).data.user?.email).toBe(email)
    const again = await auth.client().auth.verifyOtp({ token_hash: hash, type: 'email' })
    expect(again.error).toMatchObject({ status: 403, code: 'otp_expired' })
  })

  it('returns the session in the fragment', async () => {
    const email = await member()
    await auth.client({ flowType: 'implicit' }).auth.signInWithOtp({ email })
    const target = await follow(latestMailTo(auth, email).link!)
    const brought = Object.fromEntries(new URLSearchParams(target.hash.slice(1)))
    expect(brought).toMatchObject({ token_type: 'bearer', type: 'magiclink', expires_in: '3600', sb: '' })
    expect(target.search).toBe('')
    const session = await auth.client().auth.setSession({
      access_token: brought.access_token!,
      refresh_token: brought.refresh_token!,
    })
    expect(session.data.user?.email).toBe(email)
  })

  it('accepts the codes of both kinds of mails', async () => {
    const email = await member()
    for (const flowType of ['pkce', 'implicit'] as const) {
      const client = auth.client({ flowType })
      expect((await client.auth.signInWithOtp({ email })).error).toBeNull()
      const { code } = latestMailTo(auth, email)
      expect(code).toMatch(/^\d{6}$/)
      const wrong = await client.auth.verifyOtp({
        email,
        token: code === '000000' ? '1' : '000000',
        type: 'email',
      })
      expect(wrong.error).toMatchObject({ status: 403, code: 'otp_expired' })
      expect((await client.auth.verifyOtp({ email, token: code!, type: 'email' })).error).toBeNull()
      await later(email)
    }
  })

  it('accepts one of many concurrent uses of a code', async () => {
    const email = await member()
    await auth.client().auth.signInWithOtp({ email })
    const token = latestMailTo(auth, email).code!
    const tries = await Promise.all(
      Array.from({ length: 50 }, () => auth.request('/verify', { json: { type: 'email', email, token } })),
    )
    expect(tries.map((one) => one.status).sort()).toEqual([200, ...Array.from({ length: 49 }, () => 403)])
    const { rows } = await database.admin.query(
      'select count(*)::int as n from auth.sessions s join auth.users u on u.id = s.user_id where u.email = $1',
      [email],
    )
    expect(rows[0]?.n).toBe(1)
  })

  it('rejects a code for another address with the same concatenation', async () => {
    const base = uniqueEmail()
    const [shorter, longer] = [base.replace('.com', '.co'), base]
    await auth.asService().auth.admin.createUser({ email: shorter, email_confirm: true })
    await auth.asService().auth.admin.createUser({ email: longer, email_confirm: true })
    await auth.client().auth.signInWithOtp({ email: longer })
    const { code } = latestMailTo(auth, longer)
    const mixed = await auth.request('/verify', {
      json: { type: 'email', email: shorter, token: `m${code}` },
    })
    expect(mixed.status).toBe(403)
  })

  it('rejects expired codes, and those that a newer mail replaced', async () => {
    const email = await member()
    await auth.client().auth.signInWithOtp({ email })
    const first = latestMailTo(auth, email)
    await later(email)
    await auth.client().auth.signInWithOtp({ email })
    const replaced = await auth.client().auth.verifyOtp({ email, token: first.code!, type: 'email' })
    expect(replaced.error?.code).toBe('otp_expired')
    await database.admin.query(
      `update auth.users set recovery_sent_at = now() - interval '25 hours' where email = $1`,
      [email],
    )
    const old = await auth
      .client()
      .auth.verifyOtp({ email, token: latestMailTo(auth, email).code!, type: 'email' })
    expect(old.error?.code).toBe('otp_expired')
  })
})

describe('a request for a mail', () => {
  it('learns nothing about an address from /recover', async () => {
    const known = await member()
    const unknown = uniqueEmail()
    for (const email of [known, unknown]) {
      const first = await auth.request('/recover', { json: { email } })
      expect([first.status, await first.text()]).toEqual([200, '{}'])
      const second = await auth.request('/recover', { json: { email } })
      expect([second.status, second.headers.get('x-sb-error-code')]).toEqual([
        429,
        'over_email_send_rate_limit',
      ])
      expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0)
    }
  })

  it('creates no account with create_user false', async () => {
    const email = uniqueEmail()
    const refused = await auth.client().auth.signInWithOtp({ email, options: { shouldCreateUser: false } })
    expect(refused.error).toMatchObject({ status: 422, code: 'otp_disabled' })
    const { rows } = await database.admin.query('select 1 from auth.users where email = $1', [email])
    expect(rows).toHaveLength(0)
  })

  it.each([
    ['https://evil.example/steal', false],
    ['https://evil.example\\.linnet.example/join/a', false],
    ['https://evil.example#.linnet.example/join/a', false],
    ['javascript:alert(1)', false],
    ['//evil.example', false],
    ['https://team.linnet.example/join/a/b?c=d', true],
    ['https://a.team.linnet.example/join/a', false],
    ['linnet://back', true],
  ])('redirects to %s: %s', async (wanted, allowed) => {
    const email = await member()
    await auth.request(`/otp?redirect_to=${encodeURIComponent(wanted)}`, { json: { email } })
    const target = await follow(latestMailTo(auth, email).link!)
    const bare = target.href.split('#')[0]!.replace(/\/$/, '')
    expect(bare).toBe(allowed ? wanted : auth.url)
    // A modified link does not redirect elsewhere either.
    const response = await auth.request(
      `/verify?token=x&type=magiclink&redirect_to=${encodeURIComponent(wanted)}`,
    )
    expect(response.headers.get('location')!.split('#')[0]!.replace(/\/$/, '')).toBe(
      allowed ? wanted : auth.url,
    )
  })

  it('rejects two addresses in one', async () => {
    const mails = auth.service.mailbox.messages().length
    for (const email of [
      'a@b.example,c@d.example',
      'a@b.example\nBcc: c@d.example',
      '<a@b.example>',
      'a b@c.example',
    ]) {
      const response = await auth.request('/otp', { json: { email } })
      expect([response.status, response.headers.get('x-sb-error-code')]).toEqual([400, 'validation_failed'])
    }
    expect(auth.service.mailbox.messages()).toHaveLength(mails)
  })
})

describe('a changed address', () => {
  it('needs confirmations of both addresses', async () => {
    const email = await member('old')
    const next = uniqueEmail('new')
    const client = auth.client({ flowType: 'implicit' })
    await client.auth.signInWithOtp({ email })
    await client.auth.verifyOtp({ email, token: latestMailTo(auth, email).code!, type: 'email' })
    const update = await client.auth.updateUser({ email: next })
    expect(update.error).toBeNull()
    expect(update.data.user).toMatchObject({ email, new_email: next })
    const first = await follow(latestMailTo(auth, next).link!)
    expect(new URLSearchParams(first.hash.slice(1)).get('message')).toMatch(
      /confirm link sent to the other email/,
    )
    expect((await client.auth.getUser()).data.user?.email).toBe(email)
    const second = await client.auth.verifyOtp({
      email,
      token: latestMailTo(auth, email).code!,
      type: 'email_change',
    })
    expect(second.error).toBeNull()
    expect(second.data.user).toMatchObject({ email: next })
    expect(second.data.user?.identities?.[0]?.identity_data).toMatchObject({
      email: next,
      email_verified: true,
    })
  })

  it('cannot be confirmed if another user has it meanwhile', async () => {
    const email = await member('old')
    const next = uniqueEmail('wanted')
    const client = auth.client({ flowType: 'implicit' })
    await client.auth.signInWithOtp({ email })
    await client.auth.verifyOtp({ email, token: latestMailTo(auth, email).code!, type: 'email' })
    await client.auth.updateUser({ email: next })
    const [toNext, toOld] = [latestMailTo(auth, next), latestMailTo(auth, email)]
    await auth.asService().auth.admin.createUser({ email: next, email_confirm: true })
    await follow(toNext.link!)
    const late = await auth.client().auth.verifyOtp({ email, token: toOld.code!, type: 'email_change' })
    expect(late.error).toMatchObject({ status: 422, code: 'email_exists' })
    const taken = await client.auth.updateUser({ email: next })
    expect(taken.error).toMatchObject({ status: 422, code: 'email_exists' })
  })
})

it('stores only hashes of codes', async () => {
  const email = await member()
  await auth.client({ flowType: 'implicit' }).auth.signInWithOtp({ email })
  const { rows } = await database.admin.query(
    `select t.token_type, t.token_hash, t.relates_to from auth.one_time_tokens t
     join auth.users u on u.id = t.user_id where u.email = $1`,
    [email],
  )
  // Not a plain digest, which anyone could compute from an address and a guess.
  const hash = createHmac('sha224', auth.keys.jwtSecret)
    .update(email + latestMailTo(auth, email).code!)
    .digest('hex')
  expect(rows).toEqual([{ token_type: 'recovery_token', token_hash: hash, relates_to: email }])
})
