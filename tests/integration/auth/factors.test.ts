import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { invalidFactorRequests } from './support/invalidFactorRequests.ts'
import { waitForLockWaiters } from './support/waitForLockWaiters.ts'
import { send, claimsOf, unknownId, signIn, tokenOf, type TestUser } from './support/testUser.ts'
import {
  latestMailTo,
  startAuth,
  startDatabase,
  type AuthDatabase,
  type AuthServer,
} from './support/startAuth.ts'
import { testWebAuthnFactors } from './support/testWebAuthnFactors.ts'

let database: AuthDatabase
let server: AuthServer
/** A server with all factors disabled. */
let off: AuthServer

const on = 'enroll_enabled = true\nverify_enabled = true'
beforeAll(async () => {
  database = await startDatabase()
  await database.admin.query(`
    create table public.attempts (event jsonb, at timestamptz default clock_timestamp());
    create table public.banished (user_id uuid);
    create function public.watch(event jsonb) returns jsonb language plpgsql security definer as $$
    begin
      insert into public.attempts values (event);
      if exists (select 1 from public.banished where user_id = (event ->> 'user_id')::uuid) then
        return '{"decision": "reject", "message": "Not you."}';
      end if;
      return '{"decision": "continue"}';
    end $$;
    create function public.tokens(event jsonb) returns jsonb language sql as
      $$ select jsonb_set(event, '{claims,seen}', to_jsonb(concat(event #>> '{claims,aal}', ' by ', event ->> 'authentication_method'))) $$;
    grant execute on function public.watch, public.tokens to supabase_auth_admin`)
  ;[server, off] = await Promise.all([
    startAuth(
      database,
      `[auth.mfa]\nmax_enrolled_factors = 3
       [auth.mfa.totp]\n${on}
       [auth.mfa.phone]\n${on}\nmax_frequency = "30s"\ntemplate = "Bea's code: {{ .Code }}"
       [auth.mfa.web_authn]\n${on}
       [auth.email.notification.mfa_factor_enrolled]\nenabled = true
       [auth.email.notification.mfa_factor_unenrolled]\nenabled = true
       [auth.hook.mfa_verification_attempt]\nenabled = true\nuri = "pg-functions://postgres/public/watch"
       [auth.hook.custom_access_token]\nenabled = true\nuri = "pg-functions://postgres/public/tokens"`,
    ),
    startAuth(database, ''),
  ])
})
afterAll(async () => {
  await Promise.all([server.stop(), off.stop()])
  await database.stop()
})

/** The code of an authenticator app; `ahead` is the next one, which is accepted already. */
function codeOf(secret: string, ahead = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + ahead * 30_000 })
}

async function enrollApp(person: TestUser, friendlyName = 'App') {
  const { data, error } = await person.client.auth.mfa.enroll({ factorType: 'totp', friendlyName })
  if (error) throw error
  return { id: data.id, secret: data.totp.secret, data }
}

/** A user with a verified app, in a session at aal2; `code` has verified it. */
async function withApp(): Promise<TestUser & { factorId: string; secret: string; code: string }> {
  const person = await signIn(server)
  const app = await enrollApp(person)
  const code = codeOf(app.secret)
  const { error } = await person.client.auth.mfa.challengeAndVerify({ factorId: app.id, code })
  if (error) throw error
  return { ...person, factorId: app.id, secret: app.secret, code }
}

async function challenge(person: TestUser, factorId: string): Promise<string> {
  const { data, error } = await person.client.auth.mfa.challenge({ factorId })
  if (error) throw error
  return data.id
}

it('upgrades a session with an app, and ends those at aal1', async () => {
  const bea = await signIn(server)
  const elsewhere = await signIn(server, bea.email)
  const { id, secret, data } = await enrollApp(bea)
  expect(data).toMatchObject({ type: 'totp', friendly_name: 'App' })
  expect(data.totp.uri).toContain(`secret=${secret}`)
  expect(data.totp.qr_code).toMatch(/^data:image\/svg\+xml;utf-8,<svg /)
  // An unescaped # would begin the fragment of the data URL.
  expect(data.totp.qr_code).not.toContain('#')
  const listed = await bea.client.auth.mfa.listFactors()
  expect(listed.data).toMatchObject({ all: [{ id, status: 'unverified', phone: '' }], totp: [] })
  const before = (await bea.client.auth.getSession()).data.session!

  const events: string[] = []
  bea.client.auth.onAuthStateChange((event) => void events.push(event))
  const raised = await bea.client.auth.mfa.challengeAndVerify({ factorId: id, code: codeOf(secret) })
  expect(raised.error).toBeNull()
  expect(events).toContain('MFA_CHALLENGE_VERIFIED')
  const level = await bea.client.auth.mfa.getAuthenticatorAssuranceLevel()
  expect(level.data).toMatchObject({ currentLevel: 'aal2', nextLevel: 'aal2' })
  expect(level.data!.currentAuthenticationMethods.map((one) => (one as { method: string }).method)).toEqual([
    'totp',
    'otp',
  ])
  expect(claimsOf(await tokenOf(bea))).toMatchObject({
    session_id: claimsOf(before.access_token).session_id,
    seen: 'aal2 by totp',
  })
  expect((await bea.client.auth.mfa.listFactors()).data!.totp).toMatchObject([{ id, status: 'verified' }])

  const refreshed = await bea.client.auth.refreshSession()
  expect(claimsOf(refreshed.data.session!.access_token)).toMatchObject({
    aal: 'aal2',
    amr: [{ method: 'totp' }, { method: 'otp' }],
    seen: 'aal2 by token_refresh',
  })
  expect((await elsewhere.client.auth.getUser()).error?.name).toBe('AuthSessionMissingError')
  const old = await server.request('/token?grant_type=refresh_token', {
    json: { refresh_token: before.refresh_token },
  })
  expect(old.status).toBe(400)
  expect(latestMailTo(server, bea.email)).toMatchObject({
    subject: 'A two-factor method was added',
    text: expect.stringContaining('an authenticator app'),
  })
})

it('does not upgrade a token that a concurrent refresh returns', async () => {
  const bea = await signIn(server)
  const { id, secret } = await enrollApp(bea)
  const json = { challenge_id: await challenge(bea, id), code: codeOf(secret) }
  let token = (await bea.client.auth.getSession()).data.session!.refresh_token
  const refresh = () => server.request('/token?grant_type=refresh_token', { json: { refresh_token: token } })
  const [raised, ...refreshes] = await Promise.all([
    send(server, bea, `/factors/${id}/verify`, { json }),
    ...Array.from({ length: 8 }, refresh),
  ])
  expect(raised.status).toBe(200)
  // Earlier refreshes returned the state of that time, whose tokens are invalid now.
  const early = refreshes.filter(({ ok }) => ok)
  const bodies = (await Promise.all(early.map((one) => one.json()))) as Record<string, string>[]
  expect(bodies.map((body) => claimsOf(body.access_token!).aal)).toEqual(bodies.map(() => 'aal1'))
  token = bodies[0]?.refresh_token ?? token
  expect((await refresh()).status).toBe(400)
  token = raised.body.refresh_token as string
  const after = (await (await refresh()).json()) as { access_token: string }
  expect(claimsOf(after.access_token).aal).toBe('aal2')
})

it('requires the factor in a new session, and accepts a code once', async () => {
  const bea = await withApp()
  const phone = await signIn(server, bea.email)
  const level = await phone.client.auth.mfa.getAuthenticatorAssuranceLevel()
  expect(level.data).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal2' })
  const { factorId } = bea
  const again = await phone.client.auth.mfa.challengeAndVerify({ factorId, code: bea.code })
  expect(again.error).toMatchObject({ status: 422, code: 'mfa_verification_failed' })
  const next = await phone.client.auth.mfa.challengeAndVerify({ factorId, code: codeOf(bea.secret, 1) })
  expect(next.error).toBeNull()
  // Sessions at aal2 stay.
  expect((await bea.client.auth.getUser()).error).toBeNull()
})

it('accepts one of 50 concurrent uses of a code', async () => {
  const bea = await signIn(server)
  const app = await enrollApp(bea)
  const challenges = await Promise.all(Array.from({ length: 4 }, () => challenge(bea, app.id)))
  const code = codeOf(app.secret)
  const responses = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      send(server, bea, `/factors/${app.id}/verify`, { json: { challenge_id: challenges[index % 4], code } }),
    ),
  )
  const statuses = responses.map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  expect(new Set(statuses)).toEqual(new Set([200, 422, 429]))
  const limited = responses.find(({ status }) => status === 429)!
  expect(limited.body.code).toBe('over_request_rate_limit')
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
})

it('someone who has stolen the password and guesses is locked out, and the owner is not', async () => {
  const bea = await withApp()
  const attacker = await signIn(server, bea.email)
  const guess = async (person: TestUser, code: string, ip?: string): Promise<number> => {
    const json = { challenge_id: await challenge(person, bea.factorId), code }
    return (await send(server, person, `/factors/${bea.factorId}/verify`, { json, ip })).status
  }
  const id = await challenge(attacker, bea.factorId)
  const wrong = await Promise.all(
    Array.from({ length: 40 }, () =>
      send(server, attacker, `/factors/${bea.factorId}/verify`, { json: { challenge_id: id, code: '12' } }),
    ),
  )
  expect(new Set(wrong.map(({ status }) => status))).toEqual(new Set([422, 429]))
  expect(await guess(attacker, codeOf(bea.secret, 1))).toBe(429)
  const owner = await signIn(server, bea.email)
  expect(await guess(owner, codeOf(bea.secret, 1))).toBe(200)
})

it('guesses from many networks are limited per factor', async () => {
  const bea = await withApp()
  const attacker = await signIn(server, bea.email)
  const id = await challenge(attacker, bea.factorId)
  const statuses: number[] = []
  for (let network = 0; network < 15; network++) {
    const tries = Array.from({ length: 30 }, () =>
      send(server, attacker, `/factors/${bea.factorId}/verify`, {
        json: { challenge_id: id, code: '12' },
        ip: `203.0.${network}.7`,
      }),
    )
    statuses.push(...(await Promise.all(tries)).map(({ status }) => status))
  }
  expect(statuses.filter((status) => status === 422 || status === 400).length).toBeLessThanOrEqual(400)
  expect(statuses.at(-1)).toBe(429)
})

it('rejects invalid requests with GoTrue’s codes', async () => {
  const bea = await withApp()
  for (const { title, path = '/factors', method, json, status, code } of invalidFactorRequests) {
    const response = await send(server, bea, path.replace(':id', bea.factorId), { json, method })
    expect({ title, status: response.status, code: response.body.code }).toEqual({ title, status, code })
  }
  expect((await bea.client.auth.mfa.listFactors()).data!.all).toHaveLength(1)
})

it('binds a challenge to its factor and IP address, and limits its time and use', async () => {
  const bea = await withApp()
  const { factorId, secret } = bea
  const other = await enrollApp(bea, 'Other')
  const verify = async (json: object, o: { factor?: string; ip?: string } = {}) => {
    const { factor = factorId, ip } = o
    const { status, body } = await send(server, bea, `/factors/${factor}/verify`, {
      json,
      ...(ip ? { ip } : {}),
    })
    return [status, body.code]
  }
  const code = codeOf(secret, 1)
  expect(await verify({ challenge_id: await challenge(bea, other.id), code })).toEqual([
    422,
    'mfa_factor_not_found',
  ])
  const elsewhere = { challenge_id: await challenge(bea, factorId), code }
  expect(await verify(elsewhere, { ip: '10.9.9.9' })).toEqual([422, 'mfa_ip_address_mismatch'])
  const late = await challenge(bea, factorId)
  await database.admin.query(
    `update auth.mfa_challenges set created_at = created_at - interval '301 s' where id = $1`,
    [late],
  )
  expect(await verify({ challenge_id: late, code })).toEqual([422, 'mfa_challenge_expired'])
  expect(await verify({ challenge_id: late, code })).toEqual([422, 'mfa_factor_not_found'])
  expect(await verify({ ...elsewhere, code: '000000' })).toEqual([422, 'mfa_verification_failed'])
  expect(await verify(elsewhere)).toEqual([200, undefined])
  expect(await verify(elsewhere)).toEqual([422, 'mfa_ip_address_mismatch'])
})

it('keeps someone who has stolen the password at aal1', async () => {
  const victim = await signIn(server)
  // Enrolled before there was a verified factor, with a secret that the attacker knows.
  const begun = await enrollApp(victim, 'Thief')
  const early = await challenge(victim, begun.id)
  const { data: key } = await victim.client.auth.mfa.enroll({ factorType: 'phone', phone: '+4915100000001' })
  await challenge(victim, key!.id)
  const code = latestMailTo(server, '+4915100000001').code!
  const at = await challengeOf(key!.id)
  expect((await victim.client.auth.mfa.verify({ factorId: key!.id, challengeId: at, code })).error).toBeNull()

  const attacker = await signIn(server, victim.email)
  const outcomes: [string, { status?: number; code?: string } | null][] = [
    ['challenge', (await attacker.client.auth.mfa.challenge({ factorId: begun.id })).error],
    [
      'verify',
      (
        await attacker.client.auth.mfa.verify({
          factorId: begun.id,
          challengeId: early,
          code: codeOf(begun.secret),
        })
      ).error,
    ],
    ['enroll', (await attacker.client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Mine' })).error],
    ['unenroll', (await attacker.client.auth.mfa.unenroll({ factorId: key!.id })).error],
    ['password', (await attacker.client.auth.updateUser({ password: 'quiet paper 8' })).error],
    ['email', (await attacker.client.auth.updateUser({ email: 'thief@example.com' })).error],
  ]
  expect(outcomes.map(([requests, error]) => [requests, error?.status, error?.code])).toEqual([
    ['challenge', 403, 'insufficient_aal'],
    ['verify', 403, 'insufficient_aal'],
    ['enroll', 403, 'insufficient_aal'],
    ['unenroll', 422, 'insufficient_aal'],
    ['password', 401, 'insufficient_aal'],
    ['email', 401, 'insufficient_aal'],
  ])
  expect(claimsOf(await tokenOf(attacker)).aal).toBe('aal1')
  const elsewhere = await signIn(server, victim.email)
  expect((await attacker.client.auth.signOut({ scope: 'others' })).error).toBeNull()
  expect((await elsewhere.client.auth.getUser()).error?.name).toBe('AuthSessionMissingError')
  expect((await victim.client.auth.getUser()).error).toBeNull()
  expect((await attacker.client.auth.signOut({ scope: 'global' })).error).toBeNull()
  expect((await victim.client.auth.getUser()).error).toBeNull()
  // And from factors of other users.
  const outsider = await withApp()
  for (const [path, method] of [
    [`/factors/${key!.id}/challenge`, 'POST'],
    [`/factors/${key!.id}/verify`, 'POST'],
    [`/factors/${key!.id}`, 'DELETE'],
  ] as const) {
    const json = { challenge_id: early, code: '1' }
    const response = await send(server, outsider, path, { method, json })
    expect([path, response.status, response.body.code]).toEqual([path, 404, 'mfa_factor_not_found'])
  }
})

/** The latest challenge of a factor. */
async function challengeOf(factorId: string): Promise<string> {
  const { rows } = await database.admin.query<{ id: string }>(
    'select id from auth.mfa_challenges where factor_id = $1 order by created_at desc limit 1',
    [factorId],
  )
  return rows[0]!.id
}

it('sends a code to a phone', async () => {
  const bea = await signIn(server)
  const phone = '+49 151 0000 0002'
  const { mfa } = bea.client.auth
  await mfa.enroll({ factorType: 'phone', phone, friendlyName: 'First try' })
  const { data, error } = await mfa.enroll({ factorType: 'phone', phone, friendlyName: 'Phone' })
  expect(error).toBeNull()
  expect(data).toMatchObject({ type: 'phone', phone, friendly_name: 'Phone' })
  expect((await mfa.listFactors()).data!.all).toMatchObject([{ phone: '4915100000002' }])
  const factorId = data!.id
  expect((await mfa.challenge({ factorId, channel: 'pigeon' as 'sms' })).error).toMatchObject({ status: 400 })
  const result = await mfa.challenge({ factorId, channel: 'whatsapp' })
  expect(result.data).toMatchObject({ type: 'phone', expires_at: expect.any(Number) })
  const { text, code } = latestMailTo(server, '+4915100000002')
  expect(text).toBe(`Bea's code: ${code}`)
  const soon = await send(server, bea, `/factors/${factorId}/challenge`, { json: {} })
  expect([soon.status, soon.body.code]).toEqual([429, 'over_sms_send_rate_limit'])
  const { rows } = await database.admin.query('select otp_code from auth.mfa_challenges where id = $1', [
    result.data!.id,
  ])
  expect(rows).toEqual([{ otp_code: expect.not.stringContaining(code!) }])

  const wrong = code === '111111' ? '222222' : '111111'
  const challengeId = result.data!.id
  const missed = await mfa.verify({ factorId, challengeId, code: wrong })
  expect(missed.error).toMatchObject({ status: 422, code: 'mfa_verification_failed' })
  expect((await mfa.verify({ factorId, challengeId, code: code! })).error).toBeNull()
  expect(claimsOf(await tokenOf(bea))).toMatchObject({
    aal: 'aal2',
    amr: [{ method: 'mfa/phone' }, { method: 'otp' }],
  })
  const twice = await mfa.enroll({ factorType: 'phone', phone, friendlyName: 'Again' })
  expect(twice.error).toMatchObject({ status: 422, code: 'mfa_verified_factor_exists' })
})

it('verifies a code with the SMS provider that created it', async () => {
  const result: string[] = []
  const twilio = await startAuth(
    database,
    `[auth.mfa.phone]\n${on}
     [auth.sms.twilio_verify]\nenabled = true\naccount_sid = "AC1"\nmessage_service_sid = "MG1"\nauth_token = "x"`,
    {
      smsFetch: async (url, init) => {
        result.push(String(url))
        const code = new URLSearchParams(String(init?.body)).get('Code')
        const status = code === null ? 'pending' : code === '424242' ? 'approved' : 'denied'
        return Response.json({ sid: 'VE1', status, valid: status === 'approved' })
      },
    },
  )
  try {
    const bea = await signIn(twilio)
    const { mfa } = bea.client.auth
    const { data } = await mfa.enroll({ factorType: 'phone', phone: '+4915100000003' })
    const factorId = data!.id
    const challengeId = await challenge(bea, factorId)
    const missed = await mfa.verify({ factorId, challengeId, code: '111111' })
    expect(missed.error).toMatchObject({ status: 403, code: 'otp_expired' })
    expect((await mfa.verify({ factorId, challengeId, code: '424242' })).error).toBeNull()
    expect(result.map((url) => url.split('/').at(-1))).toEqual([
      'Verifications',
      'VerificationCheck',
      'VerificationCheck',
    ])
  } finally {
    await twilio.stop()
  }
})

it('does not deadlock with a sign-out', async () => {
  const elsewhere = await signIn(server)
  const bea = await signIn(server, elsewhere.email)
  const { id, secret } = await enrollApp(bea)
  const json = { challenge_id: await challenge(bea, id), code: codeOf(secret) }
  const responses = await database.admin.transaction(async (client) => {
    // Halfway: the verification has locked its own session and not yet ended the others.
    await client.query('lock table auth.mfa_challenges in exclusive mode')
    const proof = send(server, bea, `/factors/${id}/verify`, { json })
    await waitForLockWaiters(database.admin, 1)
    const end = send(server, elsewhere, '/logout', { method: 'POST' })
    await waitForLockWaiters(database.admin, 2)
    return [proof, end]
  })
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([200, 204])
})

it('changes nothing from a session that ended, or lacks the new factor, while it waited for hashing', async () => {
  for (const [meanwhile, code] of [
    ['delete from auth.sessions where user_id = $1', 'session_not_found'],
    [
      `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at, secret)
       values (gen_random_uuid(), $1, 'totp', 'verified', now(), now(), 's')`,
      'insufficient_aal',
    ],
  ] as const) {
    const bea = await signIn(server)
    const [response] = await database.admin.transaction(async (client) => {
      await client.query('select 1 from auth.users where id = $1 for no key update', [bea.id])
      const result = send(server, bea, '/user', { method: 'PUT', json: { email: `omar-${bea.email}` } })
      await waitForLockWaiters(database.admin, 1)
      await client.query(meanwhile, [bea.id])
      return [result]
    })
    expect((await response!).body['code']).toBe(code)
  }
})

it('upgrades one of two concurrent sessions', async () => {
  const bea = await signIn(server)
  const second = await signIn(server, bea.email)
  const { id, secret } = await enrollApp(bea)
  const people = [bea, second]
  const begun = await Promise.all(people.map((person) => challenge(person, id)))
  const responses = await Promise.all(
    people.map((person, index) =>
      send(server, person, `/factors/${id}/verify`, {
        json: { challenge_id: begun[index], code: codeOf(secret, index) },
      }),
    ),
  )
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403])
})

it('limits the number of factors including unverified ones, and deletes abandoned ones', async () => {
  const bea = await signIn(server)
  for (const name of ['one', 'two', 'three']) await enrollApp(bea, name)
  const { mfa } = bea.client.auth
  const fourth = await mfa.enroll({ factorType: 'totp', friendlyName: 'four' })
  expect(fourth.error).toMatchObject({ status: 422, code: 'too_many_enrolled_mfa_factors' })
  await database.admin.query(
    `update auth.mfa_factors set created_at = created_at - interval '301 s' where user_id = $1`,
    [bea.id],
  )
  expect((await mfa.enroll({ factorType: 'totp', friendlyName: 'four' })).error).toBeNull()
  expect((await mfa.listFactors()).data!.all).toMatchObject([{ friendly_name: 'four' }])
})

it('removes a factor, and downgrades its session', async () => {
  const bea = await withApp()
  const { data, error } = await bea.client.auth.mfa.unenroll({ factorId: bea.factorId })
  expect([data, error]).toEqual([{ id: bea.factorId }, null])
  const refreshed = await bea.client.auth.refreshSession()
  expect(claimsOf(refreshed.data.session!.access_token)).toMatchObject({
    aal: 'aal1',
    amr: [{ method: 'otp' }],
  })
  expect(latestMailTo(server, bea.email).subject).toBe('A two-factor method was removed')
})

it('calls the hook for each attempt, and ends all sessions if it rejects', async () => {
  const bea = await withApp()
  const guess = await challenge(bea, bea.factorId)
  await bea.client.auth.mfa.verify({ factorId: bea.factorId, challengeId: guess, code: '000000' })
  const { rows } = await database.admin.query<{ event: Record<string, unknown> }>(
    `select event from public.attempts where event ->> 'user_id' = $1 order by at`,
    [bea.id],
  )
  const event = { user_id: bea.id, factor_id: bea.factorId, factor_type: 'totp' }
  expect(rows.map(({ event }) => event)).toMatchObject([
    { ...event, valid: true, metadata: { name: 'mfa-verification', ip_address: bea.ip } },
    { ...event, valid: false },
  ])
  await database.admin.query('insert into public.banished values ($1)', [bea.id])
  const code = codeOf(bea.secret, 1)
  const refused = await bea.client.auth.mfa.verify({ factorId: bea.factorId, challengeId: guess, code })
  expect(refused.error).toMatchObject({ status: 403, code: 'mfa_verification_rejected', message: 'Not you.' })
  expect((await bea.client.auth.getUser()).error?.name).toBe('AuthSessionMissingError')
})

testWebAuthnFactors(() => server)

it('lets administrators list, change and delete factors', async () => {
  const bea = await withApp()
  const { admin } = server.asService().auth
  const { data } = await admin.mfa.listFactors({ userId: bea.id })
  expect(data!.factors).toMatchObject([{ id: bea.factorId, status: 'verified', friendly_name: 'App' }])
  expect(JSON.stringify(data)).not.toContain(bea.secret)
  const service = (path: string, method: string, json?: unknown) =>
    server.request(`/admin/users/${path}`, {
      method,
      ...(json ? { json } : {}),
      headers: { apikey: server.serviceRoleKey, authorization: `Bearer ${server.serviceRoleKey}` },
    })
  const renamed = await service(`${bea.id}/factors/${bea.factorId}`, 'PUT', { friendly_name: 'Hers' })
  expect(await renamed.json()).toMatchObject({ id: bea.factorId, friendly_name: 'Hers' })
  await enrollApp(bea, 'Second')
  const taken = await service(`${bea.id}/factors/${bea.factorId}`, 'PUT', { friendly_name: 'Second' })
  expect([taken.status, ((await taken.json()) as { error_code: string }).error_code]).toEqual([
    422,
    'mfa_factor_name_conflict',
  ])
  for (const [path, status] of [
    [`${unknownId}/factors`, 404],
    [`7/factors`, 404],
    [`${bea.id}/factors/7`, 404],
    [`${bea.id}/factors/${unknownId}`, 404],
  ] as const) {
    expect([path, (await service(path, path.endsWith('factors') ? 'GET' : 'DELETE')).status]).toEqual([
      path,
      status,
    ])
  }
  expect((await send(server, bea, `/admin/users/${bea.id}/factors`)).status).toBe(403)
  const removed = await admin.mfa.deleteFactor({ userId: bea.id, id: bea.factorId })
  expect(removed.error).toBeNull()
  const refreshed = await bea.client.auth.refreshSession()
  expect(claimsOf(refreshed.data.session!.access_token).aal).toBe('aal1')
})

it('rejects anonymous users, and disabled factors', async () => {
  const guest = await signIn(server)
  await database.admin.query('update auth.users set is_anonymous = true where id = $1', [guest.id])
  const response = await send(server, guest, '/factors', { json: { factor_type: 'totp' } })
  expect([response.status, response.body.code]).toEqual([403, 'no_authorization'])

  const bea = await signIn(off)
  const types = { totp: 'totp', phone: 'phone', webauthn: 'webauthn' }
  for (const type of Object.keys(types)) {
    const { body, status } = await send(off, bea, '/factors', { json: { factor_type: type } })
    expect([status, body.code]).toEqual([422, `mfa_${type}_enroll_not_enabled`])
    const { rows } = await database.admin.query<{ id: string }>(
      `insert into auth.mfa_factors (id, user_id, factor_type, status, friendly_name, created_at, updated_at)
       values (gen_random_uuid(), $1, $2::text::auth.factor_type, 'verified', $2, now(), now()) returning id`,
      [bea.id, type],
    )
    for (const requests of ['challenge', 'verify']) {
      const path = `/factors/${rows[0]!.id}/${requests}`
      const refused = await send(off, bea, path, { json: { challenge_id: unknownId, code: '1' } })
      expect([path, refused.status, refused.body.code]).toEqual([path, 422, `mfa_${type}_verify_not_enabled`])
    }
  }
})

it('hides secrets from every role of the API', async () => {
  const { rows } = await database.admin.query<{ leak: string }>(
    `select format('%s %s.%s', r.rolname, c.relname, a.attname) as leak
     from pg_attribute a join pg_class c on c.oid = a.attrelid, pg_roles r
     where c.relnamespace = 'auth'::regnamespace and a.attnum > 0
       and c.relname in ('mfa_factors', 'mfa_challenges', 'webauthn_credentials', 'webauthn_challenges')
       and r.rolname in ('anon', 'authenticated', 'service_role')
       and has_column_privilege(r.oid, c.oid, a.attnum, 'select')`,
  )
  expect(rows).toEqual([])
  const read = await server.asService().from('mfa_factors').select()
  expect(read.error).not.toBeNull()
})
