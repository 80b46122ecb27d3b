import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GenerateLinkParams } from '@supabase/supabase-js'
import { signIn, tokenOf } from './support/testUser.ts'
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
    '[auth.email]\nenable_confirmations = true\n[auth.sms]\nenable_signup = true\n[auth.sessions]\ntimebox = "24h"\n',
  )
})
afterAll(async () => {
  await auth.stop()
  await database.stop()
})

const admin = () => auth.asService().auth.admin
const anyText = expect.any(String) as string
let numbers = 4_915_100_000_000
/** A phone number that no other test uses. */
const someNumber = (): string => String(++numbers)

/** A request to /auth/v1 with the service key, without the client library. */
async function sendAsService(path: string, init: RequestInit & { json?: unknown } = {}) {
  const response = await auth.request(path, { bearer: auth.serviceRoleKey, ...init })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: (text === '' ? null : JSON.parse(text)) as Record<string, unknown>,
  }
}

/** The row of a user. */
async function rowOf(id: string): Promise<Record<string, unknown>> {
  const { rows } = await database.admin.query('select to_jsonb(u) as row from auth.users u where id = $1', [
    id,
  ])
  return rows[0]?.row as Record<string, unknown>
}

/** A signed-in user and their access token. */
async function enter(email?: string) {
  const person = await signIn(auth, email)
  return { ...person, bearer: await tokenOf(person) }
}

describe('the admin API', () => {
  it('creates, finds, changes and deletes users', async () => {
    const email = uniqueEmail('Ann').replace('ann', 'Ann')
    const made = await admin().createUser({
      email,
      password: 'long enough',
      email_confirm: true,
      user_metadata: { name: 'Ann' },
      app_metadata: { plan: 'free', gone: null },
      role: ' authenticated ',
    })
    expect(made.error).toBeNull()
    const id = made.data.user!.id
    const lower = email.toLowerCase()
    expect(made.data.user).toMatchObject({
      aud: 'authenticated',
      role: 'authenticated',
      email: lower,
      email_confirmed_at: anyText,
      user_metadata: { name: 'Ann', email_verified: true },
      app_metadata: { plan: 'free', provider: 'email', providers: ['email'] },
      identities: [{ provider: 'email', identity_data: { sub: id, email: lower, email_verified: false } }],
    })
    expect(made.data.user!.app_metadata).not.toHaveProperty('gone')
    expect((await admin().getUserById(id)).data.user?.email).toBe(lower)
    const next = uniqueEmail('ann')
    const changed = await admin().updateUserById(id, {
      email: next,
      email_confirm: true,
      app_metadata: { plan: 'pro' },
      user_metadata: { name: null, nick: 'A' },
      role: 'editor',
    })
    expect(changed.data.user).toMatchObject({
      email: next,
      role: 'editor',
      app_metadata: { plan: 'pro', provider: 'email' },
      identities: [{ identity_data: { email: next, email_verified: true } }],
    })
    expect(changed.data.user!.user_metadata).toEqual({ nick: 'A', email_verified: true })
    const signedIn = await auth.client().auth.signInWithPassword({ email: next, password: 'long enough' })
    expect(signedIn.error).toBeNull()
    expect((await admin().deleteUser(id)).error).toBeNull()
    for (const { error } of [
      await admin().getUserById(id),
      await admin().updateUserById(id, { role: 'x' }),
      await admin().deleteUser(id),
    ]) {
      expect(error).toMatchObject({ status: 404, code: 'user_not_found' })
    }
  })

  it('creates users with a phone number, with and without an email address', async () => {
    const phone = someNumber()
    const made = await admin().createUser({ phone: `+${phone}`, phone_confirm: true })
    expect(made.data.user).toMatchObject({
      phone,
      email: '',
      phone_confirmed_at: anyText,
      app_metadata: { provider: 'phone', providers: ['phone'] },
      identities: [{ provider: 'phone', identity_data: { phone, phone_verified: false } }],
    })
    const both = await admin().createUser({ email: uniqueEmail(), phone: someNumber() })
    expect(both.data.user!.app_metadata).toEqual({ provider: 'email', providers: ['email', 'phone'] })
    expect(both.data.user!.identities!.map((one) => one.provider)).toEqual(['email', 'phone'])
    const changed = await admin().updateUserById(both.data.user!.id, {
      phone: someNumber(),
      phone_confirm: true,
    })
    expect(changed.data.user).toMatchObject({ phone: String(numbers), phone_confirmed_at: anyText })
  })

  it('accepts an id, an imported password hash, and no password', async () => {
    const id = randomUUID()
    // The bcrypt hash of "password" at minimum cost.
    const hash = '$2b$04$8vhLUb5qlRa/Eu/6hyt3ZO.Vpst3ROcJJjaTOGkOnXQvKqUr1wOL6'
    const email = uniqueEmail()
    const made = await admin().createUser({ id, email, password_hash: hash, email_confirm: true })
    expect([made.error, made.data.user?.id]).toEqual([null, id])
    expect((await rowOf(id))['encrypted_password']).toBe(hash)
    const open = await admin().createUser({ email: uniqueEmail(), email_confirm: true })
    expect((await rowOf(open.data.user!.id))['encrypted_password']).toBe('')
    const nobody = await auth
      .client()
      .auth.signInWithPassword({ email: open.data.user!.email!, password: '' })
    expect(nobody.error).not.toBeNull()
  })

  it('bans users for a time, and unbans them', async () => {
    const person = await enter()
    const banned = await admin().updateUserById(person.id, { ban_duration: '24h30m' })
    const until = new Date((banned.data.user as { banned_until?: string }).banned_until!).getTime()
    expect(Math.round((until - Date.now()) / 60_000)).toBe(24 * 60 + 30)
    expect((await auth.request('/user', { bearer: person.bearer })).status).toBe(403)
    const free = await admin().updateUserById(person.id, { ban_duration: 'none' })
    expect(free.data.user).not.toHaveProperty('banned_until')
    expect((await auth.request('/user', { bearer: person.bearer })).status).toBe(200)
    const forever = await admin().createUser({ email: uniqueEmail(), ban_duration: '9999999h' })
    expect(forever.data.user).toHaveProperty('banned_until')
  })

  it('revokes what an old password created', async () => {
    const person = await enter()
    const link = await admin().generateLink({ type: 'recovery', email: person.email })
    expect((await admin().updateUserById(person.id, { password: 'quite another' })).error).toBeNull()
    expect((await auth.request('/user', { bearer: person.bearer })).status).toBe(403)
    const late = await auth
      .client()
      .auth.verifyOtp({ token_hash: link.data.properties!.hashed_token, type: 'recovery' })
    expect(late.error).toMatchObject({ code: 'otp_expired' })
  })

  it('makes an anonymous user permanent', async () => {
    const { rows } = await database.admin.query(
      `insert into auth.users (instance_id, id, aud, role, is_anonymous, created_at, updated_at)
       values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated', true,
         now(), now()) returning id`,
    )
    const id = rows[0]!.id as string
    const email = uniqueEmail()
    expect((await admin().updateUserById(id, { email })).data.user?.is_anonymous).toBe(true)
    const result = await admin().updateUserById(id, { email, email_confirm: true })
    expect(result.data.user).toMatchObject({ email, is_anonymous: false })
  })

  it('rejects invalid requests with a message', async () => {
    const taken = await admin().createUser({ email: uniqueEmail(), phone: someNumber() })
    const { id, email, phone } = taken.data.user!
    const other = (await admin().createUser({ email: uniqueEmail() })).data.user!.id
    const fresh = (more: object) => ({ email: uniqueEmail(), ...more })
    const making: [unknown, number, string][] = [
      [{}, 400, 'validation_failed'],
      [{ email: 'nobody' }, 400, 'validation_failed'],
      [{ phone: '0' }, 400, 'validation_failed'],
      [{ email }, 422, 'email_exists'],
      [{ email: email!.toUpperCase() }, 422, 'email_exists'],
      [{ phone }, 422, 'phone_exists'],
      [fresh({ phone: `+${phone}` }), 422, 'phone_exists'],
      [fresh({ id }), 422, 'user_already_exists'],
      [fresh({ id: 'x' }), 400, 'validation_failed'],
      [fresh({ id: '00000000-0000-0000-0000-000000000000' }), 400, 'validation_failed'],
      [fresh({ password: 'a', password_hash: 'b' }), 400, 'validation_failed'],
      [fresh({ password_hash: 'plain' }), 400, 'validation_failed'],
      [fresh({ password: 'x'.repeat(73) }), 400, 'validation_failed'],
      [fresh({ ban_duration: '1 week' }), 400, 'validation_failed'],
      [fresh({ role: 'x'.repeat(256) }), 400, 'validation_failed'],
      [fresh({ user_metadata: { a: '\u0000' } }), 400, 'validation_failed'],
      [fresh({ user_metadata: [] }), 400, 'bad_json'],
      [fresh({ email_confirm: 'yes' }), 400, 'bad_json'],
      ['{', 400, 'bad_json'],
    ]
    const changing: [unknown, number, string][] = [
      [{ email }, 422, 'email_exists'],
      [{ phone }, 422, 'phone_exists'],
      [{ email: 'nobody' }, 400, 'validation_failed'],
      [{ phone: 'x' }, 400, 'validation_failed'],
      [{ ban_duration: 'x' }, 400, 'validation_failed'],
      [{ password: '' }, 422, 'weak_password'],
      [{ password: 'short' }, 422, 'weak_password'],
      [{ role: 1 }, 400, 'bad_json'],
    ]
    const body = (sent: unknown) => (typeof sent === 'string' ? sent : JSON.stringify(sent))
    for (const [cases, method, path] of [
      [making, 'POST', '/admin/users'],
      [changing, 'PUT', `/admin/users/${other}`],
    ] as const) {
      for (const [sent, status, code] of cases) {
        const response = await sendAsService(path, { method, body: body(sent) })
        expect([method, sent, response.status, response.body['error_code']]).toEqual([
          method,
          sent,
          status,
          code,
        ])
      }
    }
    const odd = await sendAsService('/admin/users/x')
    expect([odd.status, odd.body['error_code']]).toEqual([404, 'validation_failed'])
    const deleted = await sendAsService(`/admin/users/${other}`, {
      method: 'DELETE',
      body: '{"should_soft_delete":1}',
    })
    expect([deleted.status, deleted.body['error_code']]).toEqual([400, 'bad_json'])
    expect(await rowOf(other)).toBeDefined()
  })

  it('lists users in pages in both orders, and filters by address and name', async () => {
    const mark = randomUUID().slice(0, 8)
    const made: string[] = []
    for (const name of ['one', 'two', 'three']) {
      const user_metadata = { full_name: `${name} ${mark}` }
      made.push((await admin().createUser({ email: uniqueEmail(), user_metadata })).data.user!.id)
    }
    const idsOf = (body: Record<string, unknown>) => (body['users'] as { id: string }[]).map((one) => one.id)
    const found = (more: string) => sendAsService(`/admin/users?filter=${mark.toUpperCase()}${more}`)
    expect(idsOf((await found('')).body)).toEqual([...made].reverse())
    expect(idsOf((await found('&sort=created_at%20asc')).body)).toEqual(made)
    expect(idsOf((await found('&sort=created_at')).body)).toEqual([...made].reverse())
    const second = await found('&page=2&per_page=2')
    expect([idsOf(second.body), second.headers.get('x-total-count')]).toEqual([[made[0]], '3'])
    expect(idsOf((await found('&page=0&per_page=1')).body)).toEqual([made[2]])
    const first = await sendAsService('/admin/users?per_page=1')
    expect(first.headers.get('link')).toMatch(
      /^<\/admin\/users\?page=2&per_page=1>; rel="next", <\/admin\/users\?page=\d+&per_page=1>; rel="last"$/,
    )
    expect(first.body['aud']).toBe('authenticated')
    const page = await admin().listUsers({ page: 1, perPage: 2 })
    expect(page.data).toMatchObject({
      aud: 'authenticated',
      nextPage: 2,
      total: expect.any(Number) as number,
    })
    expect(page.data.users).toHaveLength(2)
    const own = await sendAsService('/admin/users', { json: { email: uniqueEmail(), aud: 'kiosk' } })
    expect(own.body['aud']).toBe('kiosk')
    const kiosk = await sendAsService('/admin/users', { headers: { 'x-jwt-aud': 'kiosk' } })
    expect([kiosk.body['aud'], idsOf(kiosk.body)]).toEqual(['kiosk', [own.body['id']]])
    // A filter is matched literally.
    for (const filter of ["' or true --", '%27 or true', '\\', "x') or 1=1; drop table auth.users; --"]) {
      const response = await sendAsService(`/admin/users?filter=${encodeURIComponent(filter)}`)
      expect([filter, response.status, idsOf(response.body)]).toEqual([filter, 200, []])
    }
    for (const query of [
      'page=x',
      'page=-1',
      'per_page=0',
      'per_page=1e3',
      'sort=email',
      'sort=created_at%20up',
    ]) {
      const response = await sendAsService(`/admin/users?${query}`)
      expect([query, response.status, response.body['error_code']]).toEqual([query, 400, 'validation_failed'])
    }
  })

  it('soft-deletes: the row stays without personal data', async () => {
    const person = await enter()
    const phone = someNumber()
    await admin().updateUserById(person.id, { phone, user_metadata: { a: 1 }, app_metadata: { b: 1 } })
    await database.admin.query(
      `insert into auth.flow_state (id, user_id, auth_code, provider_type, authentication_method)
       values (gen_random_uuid(), $1, 'left', 'magiclink', 'magiclink')`,
      [person.id],
    )
    const [identity] = (await admin().getUserById(person.id)).data.user!.identities!
    expect((await admin().deleteUser(person.id, true)).error).toBeNull()
    const obscured = (value: string) =>
      createHash('sha256')
        .update(person.id + value)
        .digest('base64url')
    expect(await rowOf(person.id)).toMatchObject({
      email: obscured(person.email),
      phone: obscured(phone).slice(0, 15),
      email_change: obscured(''),
      encrypted_password: null,
      raw_user_meta_data: {},
      raw_app_meta_data: {},
      deleted_at: anyText,
    })
    const { rows } = await database.admin.query(
      `select provider, provider_id, identity_data, email from auth.identities where user_id = $1
       order by created_at limit 1`,
      [person.id],
    )
    expect(rows[0]).toEqual({
      provider: 'email',
      provider_id: obscured(`email:${identity!.id}`),
      identity_data: {},
      email: null,
    })
    expect((await auth.request('/user', { bearer: person.bearer })).status).toBe(403)
    const left = await database.admin.query('select 1 from auth.flow_state where user_id = $1', [person.id])
    expect(left.rowCount).toBe(0)
    // A second soft delete changes nothing; the address is available again; then the row is deleted.
    const before = await rowOf(person.id)
    expect((await admin().deleteUser(person.id, true)).error).toBeNull()
    expect(await rowOf(person.id)).toEqual(before)
    expect((await admin().createUser({ email: person.email, phone })).error).toBeNull()
    expect((await admin().deleteUser(person.id)).error).toBeNull()
    expect(await rowOf(person.id)).toBeUndefined()
  })

  it('signs a user out by their token, with each scope', async () => {
    const first = await enter()
    const second = await enter(first.email)
    expect((await admin().signOut(second.bearer, 'others')).error).toBeNull()
    expect((await auth.request('/user', { bearer: first.bearer })).status).toBe(403)
    expect((await auth.request('/user', { bearer: second.bearer })).status).toBe(200)
    expect((await admin().signOut(second.bearer, 'global')).error).toBeNull()
    expect((await auth.request('/user', { bearer: second.bearer })).status).toBe(403)
    expect((await admin().signOut('x', 'global')).error).toMatchObject({ status: 403, code: 'bad_jwt' })
  })
})

describe('links of the admin API', () => {
  it('sign users in without a mail', async () => {
    const email = uniqueEmail()
    await admin().createUser({ email, email_confirm: true })
    const redirectTo = `${auth.url}/home`
    const made = await admin().generateLink({ type: 'magiclink', email, options: { redirectTo } })
    expect(made.error).toBeNull()
    expect(made.data.properties).toMatchObject({ verification_type: 'magiclink', redirect_to: redirectTo })
    expect(made.data.user).toMatchObject({ email, recovery_sent_at: anyText })
    expect(auth.service.mailbox.messages().filter((mail) => mail.to === email)).toHaveLength(0)
    const followed = await fetch(made.data.properties!.action_link, { redirect: 'manual' })
    expect(followed.headers.get('location')).toMatch(new RegExp(`^${redirectTo}#access_token=`))
    const third = await admin().generateLink({ type: 'recovery', email })
    const byCode = await auth
      .client()
      .auth.verifyOtp({ email, token: third.data.properties!.email_otp, type: 'recovery' })
    expect(byCode.error).toBeNull()
    // For a redirect that is not allowed, the site itself.
    const evil = { redirectTo: 'https://evil.example/' }
    const result = await admin().generateLink({ type: 'magiclink', email, options: evil })
    expect(result.data.properties!.redirect_to).toBe(auth.url)
  })

  it('create accounts for new users, once', async () => {
    const email = uniqueEmail()
    const made = await admin().generateLink({ type: 'magiclink', email, options: { data: { a: 1 } } })
    expect(made.data.properties?.verification_type).toBe('signup')
    const password = 'long enough'
    const again = await admin().generateLink({ type: 'signup', email, password, options: { data: { b: 2 } } })
    expect(again.data.user?.id).toBe(made.data.user?.id)
    const { data } = await auth
      .client()
      .auth.verifyOtp({ token_hash: again.data.properties!.hashed_token, type: 'signup' })
    expect(data.user?.user_metadata).toMatchObject({ a: 1, b: 2, email_verified: true })
    for (const type of ['signup', 'invite'] as const) {
      const late = await admin().generateLink({ type, email, password } as GenerateLinkParams)
      expect(late.error).toMatchObject({ status: 422, code: 'email_exists' })
    }
    const invited = await admin().generateLink({ type: 'invite', email: uniqueEmail() })
    expect(invited.data.user).toMatchObject({ invited_at: anyText, confirmation_sent_at: anyText })
    expect(invited.data.properties?.action_link).toContain('type=invite')
  })

  it('change an address after both confirmations', async () => {
    const person = await enter()
    const newEmail = uniqueEmail('new')
    const linkOf = async (type: 'email_change_current' | 'email_change_new', to = newEmail) =>
      (await admin().generateLink({ type, email: person.email, newEmail: to })).data.properties!
    const stale = await linkOf('email_change_current', uniqueEmail('other'))
    const fresh = await linkOf('email_change_new')
    const verify = (token_hash: string) => auth.client().auth.verifyOtp({ token_hash, type: 'email_change' })
    // The confirmation of another address does not count.
    expect((await verify(stale.hashed_token)).error).toMatchObject({ code: 'otp_expired' })
    expect((await verify(fresh.hashed_token)).error).toBeNull()
    expect((await rowOf(person.id))['email']).toBe(person.email)
    const current = await linkOf('email_change_current')
    const both = await linkOf('email_change_new')
    for (const link of [current, both]) {
      expect(link.action_link).toContain(`token=${link.hashed_token}`)
      expect((await verify(link.hashed_token)).error).toBeNull()
    }
    expect((await rowOf(person.id))['email']).toBe(newEmail)
  })

  it('are rejected with a message', async () => {
    const email = uniqueEmail()
    await admin().createUser({ email, email_confirm: true })
    const nobody = uniqueEmail()
    const faults: [object, number, string][] = [
      [{ type: 'recovery', email: nobody }, 404, 'user_not_found'],
      [{ type: 'email_change_new', email: nobody, new_email: uniqueEmail() }, 404, 'user_not_found'],
      [{ type: 'email_change_new', email, new_email: 'x' }, 400, 'validation_failed'],
      [{ type: 'email_change_new', email, new_email: email }, 400, ''],
      [{ type: 'signup', email: nobody }, 400, 'validation_failed'],
      [{ type: 'signup', email: nobody, password: 'short' }, 422, 'weak_password'],
      [{ type: 'toString', email }, 400, 'validation_failed'],
      [{ email }, 400, 'validation_failed'],
      [{ type: 'signup' }, 400, 'validation_failed'],
      [{ type: 'signup', email: 'x' }, 400, 'validation_failed'],
      [{ type: 'magiclink', email, data: 1 }, 400, 'bad_json'],
    ]
    faults[3] = [{ type: 'email_change_new', email, new_email: (await enter()).email }, 422, 'email_exists']
    for (const [sent, status, code] of faults) {
      const response = await sendAsService('/admin/generate_link', { json: sent })
      expect([sent, response.status, response.body['error_code']]).toEqual([sent, status, code])
    }
    const { rowCount } = await database.admin.query('select 1 from auth.users where email = $1', [nobody])
    expect(rowCount).toBe(0)
  })

  it('invite by mail', async () => {
    const email = uniqueEmail()
    const invited = await admin().inviteUserByEmail(email, { data: { team: 'blue' } })
    expect(invited.error).toBeNull()
    expect(invited.data.user).toMatchObject({ email, invited_at: anyText })
    const mail = latestMailTo(auth, email)
    expect(mail.subject).toBe('You’re invited')
    expect((await admin().inviteUserByEmail(email)).error).toBeNull()
    const hash = new URL(latestMailTo(auth, email).link!).searchParams.get('token')!
    const joined = await auth.client().auth.verifyOtp({ token_hash: hash, type: 'invite' })
    expect(joined.data.user?.user_metadata).toMatchObject({ team: 'blue', email_verified: true })
    expect((await admin().inviteUserByEmail(email)).error).toMatchObject({
      status: 422,
      code: 'email_exists',
    })
    expect((await admin().inviteUserByEmail('x')).error).toMatchObject({ code: 'validation_failed' })
  })
})

describe('the audit log', () => {
  it('stores actions, and finds them by author, action and type', async () => {
    const person = await enter()
    await admin().updateUserById(person.id, { user_metadata: { full_name: 'Bea Ö' } })
    await auth.request('/user', { bearer: person.bearer, method: 'PUT', body: '{"data":{"a":1}}' })
    const read = async (query: string) => {
      const { status, headers, body } = await sendAsService(
        `/admin/audit?${new URLSearchParams({ query }).toString()}`,
      )
      expect(status).toBe(200)
      expect(Number(headers.get('x-total-count'))).toBe((body as unknown as unknown[]).length)
      return body as unknown as { payload: Record<string, unknown>; ip_address: string; created_at: string }[]
    }
    const own = await read('author:BEA ö')
    expect(own[0]).toEqual({
      id: anyText,
      created_at: expect.stringMatching(/Z$/) as string,
      ip_address: '127.0.0.1',
      payload: {
        actor_id: person.id,
        actor_username: person.email,
        actor_name: 'Bea Ö',
        actor_via_sso: false,
        action: 'user_modified',
        log_type: 'user',
      },
    })
    const byKey = (await read('author:service_role')).find((one) => one.payload['action'] === 'user_modified')
    expect(byKey!.payload).toMatchObject({
      actor_id: '00000000-0000-0000-0000-000000000000',
      traits: { user_id: person.id, user_email: person.email, user_phone: '' },
    })
    expect(await read('action:user_inv')).not.toHaveLength(0)
    expect(new Set((await read('type:team')).map((one) => one.payload['log_type']))).toEqual(
      new Set(['team']),
    )
    expect(await read("action:x' or true --")).toEqual([])
  })

  it('is paged, and rejects unknown scopes', async () => {
    const first = await sendAsService('/admin/audit?per_page=1')
    expect(first.body).toHaveLength(1)
    expect(first.headers.get('link')).toMatch(/^<\/admin\/audit\?page=2&per_page=1>; rel="next", /)
    for (const query of ['query=x', 'query=actor_id:x', 'query=toString:x', 'query=:', 'per_page=x']) {
      const response = await sendAsService(`/admin/audit?${query}`)
      expect([query, response.status, response.body['error_code']]).toEqual([query, 400, 'validation_failed'])
    }
  })
})

describe('without a service key', () => {
  const doors: [string, string][] = [
    ['GET', '/admin/users'],
    ['POST', '/admin/users'],
    ['GET', '/admin/users/:id'],
    ['PUT', '/admin/users/:id'],
    ['DELETE', '/admin/users/:id'],
    ['POST', '/admin/generate_link'],
    ['POST', '/invite'],
    ['GET', '/admin/audit'],
    ['GET', '/admin/sso/providers'],
    ['POST', '/admin/sso/providers'],
    ['GET', '/admin/sso/providers/:id'],
  ]

  it('every admin route is rejected before anything is read', async () => {
    const person = await enter()
    const forged = await enter()
    // Roles in user metadata do not count.
    for (const data of [{ role: 'service_role' }, { app_metadata: { role: 'service_role' } }]) {
      await auth.request('/user', {
        bearer: forged.bearer,
        method: 'PUT',
        body: JSON.stringify({ ...data, data }),
      })
    }
    const [head, payload, signature] = forged.bearer.split('.') as [string, string, string]
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const bent = `${head}.${part({ ...claims, role: 'service_role' })}.${signature}`
    const unsigned = `${part({ alg: 'none', typ: 'JWT' })}.${part({ role: 'service_role' })}.`
    for (const [method, door] of doors) {
      const path = door.replace(':id', person.id)
      for (const [bearer, status, code] of [
        [person.bearer, 403, 'not_admin'],
        [forged.bearer, 403, 'not_admin'],
        [auth.anonKey, 403, 'not_admin'],
        [bent, 403, 'bad_jwt'],
        [unsigned, 403, 'bad_jwt'],
      ] as const) {
        const response = await auth.request(path, { method, bearer })
        const body = (await response.json()) as Record<string, unknown>
        expect([method, path, response.status, body['error_code']]).toEqual([method, path, status, code])
      }
      const bare = await auth.request(path, { method, headers: { authorization: '' } })
      expect([method, path, bare.status]).toEqual([method, path, 401])
    }
  })

  it('a service key does not count beside a user’s token, nor a token after its session ended', async () => {
    const person = await enter()
    const response = await auth.request('/admin/users', {
      bearer: person.bearer,
      headers: { apikey: auth.serviceRoleKey },
    })
    expect(response.status).toBe(403)
    // A user with the role service_role is an administrator until they sign out.
    const email = uniqueEmail()
    await admin().createUser({ email, email_confirm: true, role: 'supabase_admin' })
    const { bearer } = await enter(email)
    expect((await auth.request('/admin/users?per_page=1', { bearer })).status).toBe(200)
    const refusal = async () => {
      const { status, headers } = await auth.request('/admin/users?per_page=1', { bearer })
      return [status, headers.get('x-sb-error-code')]
    }
    const aged = `update auth.sessions set created_at = created_at - interval '25 hours'
      where user_id = (select id from auth.users where email = $1)`
    await database.admin.query(aged, [email])
    expect(await refusal()).toEqual([403, 'session_expired'])
    await admin().signOut(bearer, 'global')
    expect(await refusal()).toEqual([403, 'session_not_found'])
  })
})

it('rejects SSO, since there are no SSO providers', async () => {
  expect((await sendAsService('/admin/sso/providers')).body).toEqual({ items: [] })
  const faults: [string, RequestInit & { json?: unknown }, string][] = [
    ['/admin/sso/providers', { json: { type: 'saml' } }, 'saml_provider_disabled'],
    [`/admin/sso/providers/${randomUUID()}`, {}, 'sso_provider_not_found'],
    ['/admin/sso/providers/x', { method: 'DELETE' }, 'sso_provider_not_found'],
    ['/sso/saml/metadata', {}, 'saml_provider_disabled'],
  ]
  for (const [path, init, code] of faults) {
    const response = await sendAsService(path, init)
    expect([path, response.status, response.body['error_code']]).toEqual([path, 404, code])
  }
  const { error } = await auth.client().auth.signInWithSSO({ domain: 'example.com' })
  expect(error).toMatchObject({ code: 'saml_provider_disabled' })
})
