import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

describe('with accounts that need no confirmation', () => {
  let auth: AuthServer
  beforeAll(async () => {
    auth = await startAuth(database, '[auth.email]\nmax_frequency = "0s"\n')
  })
  afterAll(() => auth.stop())

  it('signs up, out and in again', async () => {
    const email = uniqueEmail()
    const client = auth.client()
    const up = await client.auth.signUp({ email, password, options: { data: { name: 'Bea' } } })
    expect(up.error).toBeNull()
    expect(up.data.user).toMatchObject({
      email,
      role: 'authenticated',
      aud: 'authenticated',
      phone: '',
      is_anonymous: false,
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: { name: 'Bea', email, email_verified: true },
    })
    expect(up.data.user?.identities).toHaveLength(1)
    expect(up.data.session).toMatchObject({ token_type: 'bearer', expires_in: 3600 })
    const claims = await client.auth.getClaims()
    expect(claims.data?.header).toMatchObject({ alg: 'ES256', kid: auth.keys.signingKey.kid })
    expect(claims.data?.claims).toMatchObject({
      iss: `${auth.url}/auth/v1`,
      sub: up.data.user!.id,
      email,
      role: 'authenticated',
      aal: 'aal1',
      amr: [{ method: 'password', timestamp: expect.any(Number) as number }],
      is_anonymous: false,
    })
    expect((await client.auth.signOut()).error).toBeNull()
    expect((await client.auth.getUser()).error).not.toBeNull()
    const back = await client.auth.signInWithPassword({ email: email.toUpperCase(), password })
    expect(back.error).toBeNull()
    expect(back.data.user?.id).toBe(up.data.user?.id)
  })

  it('stores passwords as argon2id', async () => {
    const email = uniqueEmail()
    await auth.client().auth.signUp({ email, password })
    const { rows } = await database.admin.query(
      'select encrypted_password from auth.users where email = $1',
      [email],
    )
    expect(rows[0]?.encrypted_password).toMatch(/^\$argon2id\$v=19\$m=\d+,t=\d+,p=\d+\$[\w+/]+\$[\w+/]+$/)
  })

  it('responds identically to a wrong password and an unknown address', async () => {
    const email = uniqueEmail()
    await auth.client().auth.signUp({ email, password })
    const wrong = await auth.client().auth.signInWithPassword({ email, password: 'something else' })
    const unknown = await auth.client().auth.signInWithPassword({ email: uniqueEmail(), password })
    expect(wrong.error).toMatchObject({ status: 400, code: 'invalid_credentials' })
    expect(unknown.error).toEqual(wrong.error)
  })

  it('signs in users with a bcrypt hash, and replaces it', async () => {
    const email = uniqueEmail()
    // bcrypt of "moved from elsewhere", cost 6
    const { hash } = await import('bcryptjs')
    const stored = await hash('moved from elsewhere', 6)
    const made = await auth
      .asService()
      .auth.admin.createUser({ email, password_hash: stored, email_confirm: true })
    expect(made.error).toBeNull()
    const wrong = await auth.client().auth.signInWithPassword({ email, password: 'moved from nowhere' })
    expect(wrong.error?.code).toBe('invalid_credentials')
    const right = await auth.client().auth.signInWithPassword({ email, password: 'moved from elsewhere' })
    expect(right.error).toBeNull()
    const { rows } = await database.admin.query(
      'select encrypted_password from auth.users where email = $1',
      [email],
    )
    expect(rows[0]?.encrypted_password).toMatch(/^\$argon2id\$/)
    const again = await auth.client().auth.signInWithPassword({ email, password: 'moved from elsewhere' })
    expect(again.error).toBeNull()
  })

  it('rejects an address that has an account', async () => {
    const email = uniqueEmail()
    await auth.client().auth.signUp({ email, password })
    const again = await auth.client().auth.signUp({ email, password })
    expect(again.error).toMatchObject({ status: 422, code: 'user_already_exists' })
  })

  it('creates one account in concurrent sign-ups', async () => {
    const email = uniqueEmail()
    const tries = await Promise.all(
      Array.from({ length: 6 }, () => auth.client().auth.signUp({ email, password })),
    )
    expect(tries.filter((one) => one.error === null)).toHaveLength(1)
    expect(tries.filter((one) => one.error?.code === 'user_already_exists')).toHaveLength(5)
  })

  it('rejects weak, long and missing passwords', async () => {
    const short = await auth.client().auth.signUp({ email: uniqueEmail(), password: 'abc' })
    expect(short.error).toMatchObject({ status: 422, code: 'weak_password', reasons: ['length'] })
    const long = await auth.client().auth.signUp({ email: uniqueEmail(), password: 'é'.repeat(37) })
    expect(long.error).toMatchObject({ status: 400, code: 'validation_failed' })
    const none = await auth.request('/signup', { json: { email: uniqueEmail(), password: '' } })
    expect(none.status).toBe(400)
  })

  it('changes a password, ends other sessions, and rejects the same password', async () => {
    const email = uniqueEmail()
    const here = auth.client()
    const there = auth.client()
    await here.auth.signUp({ email, password })
    await there.auth.signInWithPassword({ email, password })
    const same = await here.auth.updateUser({ password })
    expect(same.error).toMatchObject({ status: 422, code: 'same_password' })
    const changed = await here.auth.updateUser({
      password: 'another battery',
      data: { name: 'B', gone: null },
    })
    expect(changed.error).toBeNull()
    expect(changed.data.user?.user_metadata).toMatchObject({ name: 'B' })
    expect((await here.auth.getUser()).error).toBeNull()
    expect((await there.auth.getUser()).error?.name).toBe('AuthSessionMissingError')
    expect((await auth.client().auth.signInWithPassword({ email, password })).error?.code).toBe(
      'invalid_credentials',
    )
    const fresh = await auth.client().auth.signInWithPassword({ email, password: 'another battery' })
    expect(fresh.error).toBeNull()
  })

  it('signs out with each scope', async () => {
    const email = uniqueEmail()
    const [a, b, d] = [auth.client(), auth.client(), auth.client()]
    await a.auth.signUp({ email, password })
    await b.auth.signInWithPassword({ email, password })
    await d.auth.signInWithPassword({ email, password })
    expect((await a.auth.signOut({ scope: 'others' })).error).toBeNull()
    expect((await a.auth.getUser()).error).toBeNull()
    expect((await b.auth.getUser()).error).not.toBeNull()
    await b.auth.signInWithPassword({ email, password })
    expect((await b.auth.signOut({ scope: 'local' })).error).toBeNull()
    expect((await a.auth.getUser()).error).toBeNull()
    await d.auth.signInWithPassword({ email, password })
    expect((await a.auth.signOut({ scope: 'global' })).error).toBeNull()
    expect((await d.auth.getUser()).error).not.toBeNull()
  })

  it.each([
    ['bcrypt', 'U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
    [
      'argon2i',
      'password',
      '$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8',
    ],
    [
      'scrypt of Firebase',
      'user1password',
      '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
    ],
  ])(
    'signs in users who were exported from hosted Supabase with %s, and creates rows that it can read',
    async (_, password, hash) => {
      const email = uniqueEmail()
      const { data, error } = await auth
        .asService()
        .auth.admin.createUser({ email, password_hash: hash, email_confirm: true })
      expect(error).toBeNull()
      const id = data.user!.id
      const stored = async (): Promise<unknown> => {
        const { rows } = await database.admin.query(
          'select encrypted_password from auth.users where id = $1',
          [id],
        )
        return rows[0]?.['encrypted_password']
      }
      expect(await stored()).toBe(hash)
      expect((await auth.client().auth.signInWithPassword({ email, password })).error).toBeNull()
      expect(await stored()).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
      // As in an export: every column except generated ones.
      const { rows } = await database.admin.query(
        `select to_jsonb(u) - 'confirmed_at' as "user",
         (select jsonb_agg(to_jsonb(i) - 'email') from auth.identities i where i.user_id = u.id) as identities
       from auth.users u where id = $1`,
        [id],
      )
      await database.admin.query('delete from auth.users where id = $1', [id])
      expect((await auth.client().auth.signInWithPassword({ email, password })).error).not.toBeNull()
      for (const [table, values] of [
        ['users', [rows[0]?.['user']]],
        ['identities', rows[0]?.['identities']],
      ] as [string, object[]][]) {
        const names = Object.keys(values[0]!).join(', ')
        await database.admin.query(
          `insert into auth.${table} (${names}) select ${names} from jsonb_populate_recordset(null::auth.${table}, $1)`,
          [JSON.stringify(values)],
        )
      }
      const again = await auth.client().auth.signInWithPassword({ email, password })
      expect(again.data.user).toMatchObject({ id, email, identities: [{ provider: 'email' }] })
    },
  )

  it('signs in anonymously only if enabled', async () => {
    const off = await auth.client().auth.signInAnonymously()
    expect(off.error).toMatchObject({ status: 422, code: 'anonymous_provider_disabled' })
  })
})

describe('with accounts that must be confirmed', () => {
  let auth: AuthServer
  beforeAll(async () => {
    auth = await startAuth(
      database,
      `[auth]
enable_anonymous_sign_ins = true
password_requirements = "lower_upper_letters_digits"
[auth.email]
enable_confirmations = true
max_frequency = "1m"
`,
    )
  })
  afterAll(() => auth.stop())
  const strong = 'Tr0ub4dor and more'

  it('signs in only after the code of the mail', async () => {
    const email = uniqueEmail()
    const client = auth.client()
    const up = await client.auth.signUp({ email, password: strong })
    expect(up.error).toBeNull()
    expect(up.data.session).toBeNull()
    expect(up.data.user?.user_metadata).toMatchObject({ email_verified: false })
    const early = await client.auth.signInWithPassword({ email, password: strong })
    expect(early.error).toMatchObject({ status: 400, code: 'email_not_confirmed' })
    const mail = latestMailTo(auth, email)
    expect(mail.link).toMatch(/\/auth\/v1\/verify\?token=pkce_[0-9a-f]{56}&type=signup&redirect_to=/)
    const confirmed = await client.auth.verifyOtp({ email, token: mail.code!, type: 'signup' })
    expect(confirmed.error).toBeNull()
    expect(confirmed.data.user?.identities?.[0]?.identity_data).toMatchObject({ email_verified: true })
    const again = await client.auth.verifyOtp({ email, token: mail.code!, type: 'signup' })
    expect(again.error).toMatchObject({ status: 403, code: 'otp_expired' })
    expect((await client.auth.signInWithPassword({ email, password: strong })).error).toBeNull()
  })

  it('returns a decoy user for an address that is taken, and sends no mail', async () => {
    const email = uniqueEmail()
    const taken = { email, password: strong, options: { data: { name: 'Bea', a: [1, null], none: null } } }
    const shapeOf = (user: unknown): string =>
      JSON.stringify(user)
        .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
        .replaceAll(/bea-[\w-]+@/g, '<someone>@')
    const fresh = await auth.client().auth.signUp(taken)
    await auth.client().auth.verifyOtp({ email, token: latestMailTo(auth, email).code!, type: 'email' })
    const mails = auth.service.mailbox.messages().length
    auth.advanceClock(60_000)
    const again = await auth.client().auth.signUp(taken)
    expect(again.error).toBeNull()
    expect(again.data.user!.email).toBe(email)
    // The same response as for a new user.
    expect(shapeOf(again.data.user)).toBe(shapeOf(fresh.data.user))
    expect(shapeOf(again.data.user)).toContain('"identity_data"')
    expect(again.data.user!.id).not.toBe(fresh.data.user!.id)
    expect(auth.service.mailbox.messages()).toHaveLength(mails)
  })

  it('responds identically for known and unknown addresses', async () => {
    const known = uniqueEmail('known')
    await database.admin.query(
      `insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at)
       values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated', $1, $2, now())`,
      [known, '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'],
    )
    const responseOf = async (path: string, json: object): Promise<unknown[]> => {
      const response = await auth.request(path, { json })
      const { date: _date, 'retry-after': wait, ...headers } = Object.fromEntries(response.headers)
      const passwords = (await response.text()).replace(/after \d+ seconds/, 'after some seconds')
      return [
        response.status,
        passwords,
        wait === undefined,
        { ...headers, 'content-length': passwords.length },
      ]
    }
    const fields: Record<string, object> = {
      '/token?grant_type=password': { password: 'not the one' },
      '/otp': {},
      '/magiclink': {},
      '/recover': {},
      '/resend': { type: 'signup' },
      '/verify': { type: 'email', token: '123456' },
    }
    for (const [path, more] of Object.entries(fields)) {
      const email = uniqueEmail('unknown')
      // The second time both must wait.
      for (const time of [1, 2]) {
        const responses = await responseOf(path, { email: known, ...more })
        expect([path, time, ...responses]).toEqual([
          path,
          time,
          ...(await responseOf(path, { email, ...more })),
        ])
      }
      auth.advanceClock(60_000)
    }
  })

  it('sends at most one mail a minute', async () => {
    const email = uniqueEmail()
    await auth.client().auth.signUp({ email, password: strong })
    const soon = await auth.client().auth.resend({ type: 'signup', email })
    expect(soon.error).toMatchObject({ status: 429, code: 'over_email_send_rate_limit' })
    const unknown = uniqueEmail()
    expect((await auth.client().auth.resend({ type: 'signup', email: unknown })).error).toBeNull()
    const twice = await auth.client().auth.resend({ type: 'signup', email: unknown })
    expect(twice.error).toMatchObject({ status: 429, code: 'over_email_send_rate_limit' })
  })

  it('does not keep the password of another person who signed up with the address first', async () => {
    const email = uniqueEmail()
    await auth.client().auth.signUp({ email, password: strong })
    auth.advanceClock(60_000)
    const owner = auth.client()
    expect((await owner.auth.signInWithOtp({ email })).error).toBeNull()
    const mail = latestMailTo(auth, email)
    expect((await owner.auth.verifyOtp({ email, token: mail.code!, type: 'email' })).error).toBeNull()
    const otherClient = await auth.client().auth.signInWithPassword({ email, password: strong })
    expect(otherClient.error?.code).toBe('invalid_credentials')
  })

  it('reports which characters a password lacks', async () => {
    const weak = await auth.client().auth.signUp({ email: uniqueEmail(), password: 'all lower case' })
    expect(weak.error).toMatchObject({ code: 'weak_password', reasons: ['characters'] })
  })

  it('signs in anonymously, and lets the user add an address', async () => {
    const client = auth.client()
    const anonymous = await client.auth.signInAnonymously({ options: { data: { name: 'Nobody' } } })
    expect(anonymous.data.user).toMatchObject({
      is_anonymous: true,
      email: '',
      user_metadata: { name: 'Nobody' },
    })
    const email = uniqueEmail()
    expect((await client.auth.updateUser({ email })).error).toBeNull()
    const mail = latestMailTo(auth, email)
    const done = await client.auth.verifyOtp({ email, token: mail.code!, type: 'email_change' })
    expect(done.error).toBeNull()
    expect(done.data.user).toMatchObject({ id: anonymous.data.user!.id, email, is_anonymous: false })
  })
})
