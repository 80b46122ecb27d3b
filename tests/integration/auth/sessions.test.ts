import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sweepSessions } from '../../../backend/auth/sessions/sweepSessions.ts'
import {
  uniqueEmail,
  startAuth,
  startDatabase,
  type AuthDatabase,
  type AuthServer,
} from './support/startAuth.ts'

let database: AuthDatabase
/** Sessions expire by age, inactivity and low aal; a hook verifies passwords. */
let auth: AuthServer
/** One session per user and tag. */
let single: AuthServer
beforeAll(async () => {
  database = await startDatabase()
  await database.admin.query(`
    create table public.attempts (event jsonb);
    grant insert on public.attempts to supabase_auth_admin;
    create function public.attempt(event jsonb) returns jsonb language plpgsql as $$
    begin
      insert into public.attempts values (event);
      return case
        when exists (select from auth.users where id = (event ->> 'user_id')::uuid and email like 'shut%')
          then '{"decision": "reject", "message": "Not now.", "should_logout_user": true}'
        when exists (select from auth.users where id = (event ->> 'user_id')::uuid and email like 'quiet%')
          then '{"decision": "reject"}'
        else '{"decision": "continue"}'::jsonb end;
    end $$;
    grant select on public.attempts to supabase_auth_admin;
    revoke execute on function public.attempt from public;
    grant execute on function public.attempt to supabase_auth_admin;`)
  auth = await startAuth(
    database,
    `[auth]
enable_anonymous_sign_ins = true
jwt_issuer = "https://issuer.example"
[auth.sessions]
timebox = "24h"
inactivity_timeout = "8h"
allow_low_aal = "15m"
[auth.hook.password_verification_attempt]
enabled = true
uri = "pg-functions://postgres/public/attempt"
`,
  )
  single = await startAuth(
    database,
    `[auth]
enable_anonymous_sign_ins = true
[auth.sessions]
single_per_user = true
tags = ["web", "phone"]
`,
  )
})
afterAll(async () => {
  await auth.stop()
  await single.stop()
  await database.stop()
})

interface Tokens {
  access_token: string
  refresh_token: string
  expires_at: number
  user: { id: string }
}

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown> & {
    session_id: string
  }

async function signIn(server = auth): Promise<Tokens & { session: string }> {
  const tokens = (await (await server.request('/signup', { json: {} })).json()) as Tokens
  return { ...tokens, session: claimsOf(tokens.access_token).session_id }
}

async function refresh(token: string, server = auth) {
  const response = await server.request('/token?grant_type=refresh_token', { json: { refresh_token: token } })
  const body = (await response.json()) as Tokens & { msg?: string; error_code?: string }
  return { status: response.status, outcome: `${body.error_code}: ${body.msg}`, body }
}

/** Moves a session's times into the past. */
const age = (session: string, sql: string) =>
  database.admin.query(`update auth.sessions set ${sql} where id = $1`, [session])

/** A second sign-in of the same user, as rows: how it happened does not matter. */
async function another(
  userId: string,
  tag: string | null = null,
): Promise<{ session: string; token: string }> {
  const token = randomBytes(6).toString('hex')
  const { rows } = await database.admin.query<{ id: string }>(
    `with s as (insert into auth.sessions (id, user_id, created_at, updated_at, aal, tag)
       values (gen_random_uuid(), $1, clock_timestamp(), clock_timestamp(), 'aal1', $3) returning id)
     insert into auth.refresh_tokens (token, user_id, session_id, revoked, created_at, updated_at, parent)
     select $2, $1::uuid::text, id, false, clock_timestamp(), clock_timestamp(), '' from s
     returning session_id as id`,
    [userId, token, tag],
  )
  return { session: rows[0]!.id, token }
}

const factor = (userId: string) =>
  database.admin.query(
    `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
     values (gen_random_uuid(), $1, 'totp', 'verified', now(), now())`,
    [userId],
  )

describe('a session', () => {
  it('is in the claims, with its authentication method', async () => {
    const { access_token: token, user, session } = await signIn()
    expect(claimsOf(token)).toMatchObject({
      iss: 'https://issuer.example',
      sub: user.id,
      aal: 'aal1',
      session_id: session,
      amr: [{ method: 'anonymous', timestamp: expect.any(Number) }],
      is_anonymous: true,
    })
    const { body } = await refresh((await signIn()).refresh_token)
    expect(claimsOf(body.access_token)['amr']).toMatchObject([{ method: 'anonymous' }])
  })

  it.each([
    ["created_at = now() - interval '23 hours 59 minutes', refreshed_at = now() at time zone 'utc'", null],
    ["created_at = now() - interval '24 hours 1 minute', refreshed_at = now() at time zone 'utc'", ''],
    ["not_after = now() - interval '1 second'", ''],
    ["refreshed_at = now() at time zone 'utc' - interval '7 hours 59 minutes'", null],
    ["refreshed_at = now() at time zone 'utc' - interval '8 hours 1 minute'", ' (Inactivity)'],
  ])('whose row has %s', async (moments, end) => {
    const { refresh_token: token, session } = await signIn()
    await age(session, moments)
    const { status, outcome } = await refresh(token)
    const refused = `session_expired: Invalid Refresh Token: Session Expired${end}`
    expect([status, outcome]).toEqual(end === null ? [200, 'undefined: undefined'] : [400, refused])
  })

  it('that was never refreshed is inactive since its token', async () => {
    const { refresh_token: token, session } = await signIn()
    await age(session, "created_at = now() - interval '9 hours'")
    expect((await refresh(token)).status).toBe(200)
    const idle = await signIn()
    await age(idle.session, "created_at = now() - interval '9 hours'")
    await database.admin.query(
      `update auth.refresh_tokens set updated_at = now() - interval '9 hours' where session_id = $1`,
      [idle.session],
    )
    expect((await refresh(idle.refresh_token)).outcome).toMatch(/Inactivity/)
  })

  it('has a time limit for the second factor, which no access token outlives', async () => {
    const { refresh_token: token, session, user } = await signIn()
    await age(session, "created_at = now() - interval '10 minutes'")
    const plain = await refresh(token)
    expect(plain.body.expires_at).toBeGreaterThan(Date.now() / 1000 + 3000)
    await factor(user.id)
    const short = await refresh(plain.body.refresh_token)
    expect(short.body.expires_at).toBeLessThanOrEqual(Date.now() / 1000 + 301)
    expect(claimsOf(short.body.access_token)['exp']).toBe(short.body.expires_at)
    await age(session, "created_at = now() - interval '16 minutes'")
    expect((await refresh(short.body.refresh_token)).outcome).toBe(
      'session_expired: Invalid Refresh Token: Session Expired (Low AAL: User Needs MFA Verification)',
    )
    await age(session, "aal = 'aal2'")
    expect((await refresh(short.body.refresh_token)).status).toBe(200)
  })

  it('that has expired can still be signed out with its last access token', async () => {
    const { access_token: token, session, user } = await signIn()
    await another(user.id)
    await age(session, "not_after = now() - interval '1 hour', created_at = now() - interval '3 days'")
    const out = await auth.request('/logout?scope=others', { method: 'POST', bearer: token })
    expect(out.status).toBe(204)
    const { rows } = await database.admin.query('select id from auth.sessions where user_id = $1', [user.id])
    expect(rows).toEqual([{ id: session }])
  })
})

describe('signing out', () => {
  it.each([
    ['local', 2],
    ['others', 1],
    ['global', 0],
    ['', 0],
  ])('with scope "%s" leaves %i of three sessions', async (scope, left) => {
    const { access_token: token, user, session } = await signIn()
    await another(user.id)
    await another(user.id)
    const out = await auth.request(`/logout?scope=${scope}`, { method: 'POST', bearer: token })
    expect(out.status).toBe(204)
    const { rows } = await database.admin.query<{ id: string }>(
      'select id from auth.sessions where user_id = $1',
      [user.id],
    )
    expect(rows).toHaveLength(left)
    expect(rows.some(({ id }) => id === session)).toBe(scope === 'others')
  })

  it('ends nothing with an unknown scope, or without a valid session', async () => {
    const { access_token: token } = await signIn()
    const strange = await auth.request('/logout?scope=all', { method: 'POST', bearer: token })
    expect([strange.status, strange.headers.get('x-sb-error-code')]).toEqual([400, 'validation_failed'])
    await auth.request('/logout', { method: 'POST', bearer: token })
    const again = await auth.request('/logout', { method: 'POST', bearer: token })
    expect([again.status, again.headers.get('x-sb-error-code')]).toEqual([403, 'session_not_found'])
  })
})

describe('one session per user', () => {
  it('is the newest', async () => {
    const first = await signIn(single)
    expect((await refresh(first.refresh_token, single)).status).toBe(200)
    const second = await another(first.user.id)
    const { outcome } = await refresh(first.refresh_token, single)
    expect(outcome).toBe('session_expired: Invalid Refresh Token: Session Expired (Revoked by Newer Login)')
    const remaining = await refresh(second.token, single)
    expect(remaining.status).toBe(200)
    // Without the setting both go on.
    expect((await refresh(first.refresh_token)).status).toBe(200)
  })

  it('is per tag, and expired ones do not count', async () => {
    const first = await signIn(single)
    await another(first.user.id, 'phone')
    expect((await refresh(first.refresh_token, single)).status).toBe(200)
    const ended = await another(first.user.id, 'web')
    await age(ended.session, "not_after = now() - interval '1 second'")
    const next = await refresh(first.refresh_token, single)
    expect(next.status).toBe(200)
    // An unknown tag counts as the first one.
    await another(first.user.id, 'toaster')
    expect((await refresh(next.body.refresh_token, single)).outcome).toMatch(/Newer Login/)
  })

  it('is one after two concurrent refreshes', async () => {
    const first = await signIn(single)
    const second = await another(first.user.id)
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, i) => refresh(i % 2 ? second.token : first.refresh_token, single)),
    )
    const good = responses.filter(({ status }) => status === 200)
    expect(good.length).toBeGreaterThan(0)
    expect(new Set(good.map(({ body }) => claimsOf(body.access_token).session_id)).size).toBe(1)
  })
})

describe('a password', () => {
  const attempts = async (userId: string) =>
    (
      await database.admin.query<{ valid: boolean }>(
        `select (event -> 'valid')::boolean as valid from public.attempts where event ->> 'user_id' = $1`,
        [userId],
      )
    ).rows.map(({ valid }) => valid)
  const signUp = async (email: string) => {
    const { data, error } = await auth.client().auth.signUp({ email, password: 'long enough' })
    expect(error).toBeNull()
    return data
  }

  it('is reported to the hook, right or wrong, but not for unknown users', async () => {
    const email = uniqueEmail()
    const { user } = await signUp(email)
    const wrong = await auth.client().auth.signInWithPassword({ email, password: 'wrong' })
    expect(wrong.error?.code).toBe('invalid_credentials')
    const right = await auth.client().auth.signInWithPassword({ email, password: 'long enough' })
    expect(right.error).toBeNull()
    expect(await attempts(user!.id)).toEqual([false, true])
    const nobody = await auth.client().auth.signInWithPassword({ email: uniqueEmail(), password: 'wrong' })
    expect([nobody.error?.code, nobody.error?.message]).toEqual([wrong.error?.code, wrong.error?.message])
  })

  it('is rejected with the hook’s message, which may end all sessions', async () => {
    const email = uniqueEmail('shut')
    const { session } = await signUp(email)
    const { error } = await auth.client().auth.signInWithPassword({ email, password: 'long enough' })
    expect([error?.code, error?.message]).toEqual(['invalid_credentials', 'Not now.'])
    expect((await auth.request('/user', { bearer: session!.access_token })).status).toBe(403)
    // What the function wrote was committed, though it rejected.
    expect(await attempts(session!.user.id)).toEqual([true])
    const quiet = uniqueEmail('quiet')
    await signUp(quiet)
    const refused = await auth.client().auth.signInWithPassword({ email: quiet, password: 'long enough' })
    expect(refused.error?.message).toBe('Further password verification attempts will be rejected.')
  })
})

it('deletes sessions a day after they expired, and not before', async () => {
  const settings = {
    rotation: true,
    reuseInterval: 10_000,
    timebox: 86_400_000,
    inactivity: 28_800_000,
    allowLowAal: 0,
    singlePerUser: false,
    tags: [],
  }
  const remaining = await signIn()
  const people = await Promise.all(Array.from({ length: 6 }, () => signIn()))
  const moments = [
    "created_at = now() - interval '49 hours', refreshed_at = now() at time zone 'utc'",
    "created_at = now() - interval '47 hours', refreshed_at = now() at time zone 'utc'",
    "refreshed_at = now() at time zone 'utc' - interval '33 hours'",
    "refreshed_at = now() at time zone 'utc' - interval '31 hours'",
    "not_after = now() - interval '73 hours'",
    "not_after = now() - interval '71 hours'",
  ]
  await Promise.all(people.map(({ session }, i) => age(session, moments[i]!)))
  const next = await refresh(remaining.refresh_token)
  await database.admin.query(
    `update auth.refresh_tokens set updated_at = now() - interval '25 hours' where session_id = $1`,
    [remaining.session],
  )
  await sweepSessions(database.admin, settings)
  const { rows } = await database.admin.query<{ id: string }>(
    'select id from auth.sessions where id = any ($1)',
    [[remaining, ...people].map(({ session }) => session)],
  )
  const left = new Set(rows.map(({ id }) => id))
  expect([remaining, ...people].map(({ session }) => left.has(session))).toEqual([
    true,
    false,
    true,
    false,
    true,
    false,
    true,
  ])
  expect((await refresh(remaining.refresh_token)).outcome).toMatch(/^refresh_token_not_found/)
  expect((await refresh(next.body.refresh_token)).status).toBe(200)
})
