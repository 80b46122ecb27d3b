import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startAuth, startDatabase, type AuthDatabase, type AuthServer } from './support/startAuth.ts'
import { waitForLockWaiters } from './support/waitForLockWaiters.ts'

let database: AuthDatabase
let auth: AuthServer
beforeAll(async () => {
  database = await startDatabase()
  auth = await startAuth(database, '[auth]\nenable_anonymous_sign_ins = true\n')
})
afterAll(async () => {
  await auth.stop()
  await database.stop()
})

interface Tokens {
  access_token: string
  refresh_token: string
  user: { id: string }
}

/** A user without a password, since hashing is not tested here. */
async function signIn(): Promise<Tokens> {
  return (await (await auth.request('/signup', { json: {} })).json()) as Tokens
}

async function refresh(token: string): Promise<{ status: number; code: string | null; body: Tokens }> {
  const response = await auth.request('/token?grant_type=refresh_token', { json: { refresh_token: token } })
  const code = response.headers.get('x-sb-error-code')
  return { status: response.status, code, body: (await response.json()) as Tokens }
}

const signOut = (token: string, scope = 'global') =>
  auth.request(`/logout?scope=${scope}`, { method: 'POST', bearer: token })

/** The sessions and active refresh tokens of a user. */
async function alive(userId: string): Promise<{ sessions: number; tokens: number }> {
  const { rows } = await database.admin.query<{ sessions: number; tokens: number }>(
    `select (select count(*)::int from auth.sessions where user_id = $1) as sessions,
       (select count(*)::int from auth.refresh_tokens where user_id = $1::text and revoked is not true) as tokens`,
    [userId],
  )
  return rows[0]!
}

const sessionOf = (token: string): string =>
  (JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { session_id: string }).session_id

/** Runs these one after the other until they wait for the lock of a session, and then releases it. */
async function inThisOrder<T>(session: string, works: (() => Promise<T>)[]): Promise<T[]> {
  const started: Promise<T>[] = []
  await database.admin.transaction(async (client) => {
    await client.query('select 1 from auth.sessions where id = $1 for update', [session])
    for (const work of works) {
      started.push(work())
      await waitForLockWaiters(database.admin, started.length)
    }
  })
  return Promise.all(started)
}

it('detects the token that a refresh without locks would leave', async () => {
  const one = await signIn()
  expect(await alive(one.user.id)).toEqual({ sessions: 1, tokens: 1 })
  // If both read the state before either writes, the chain forks.
  const fork = `insert into auth.refresh_tokens (token, user_id, session_id, revoked, parent)
    select $1, user_id, session_id, false, token from auth.refresh_tokens where token = $2`
  for (const name of ['forkedforked', 'forkedtwice0'])
    await database.admin.query(fork, [name, one.refresh_token])
  expect(await alive(one.user.id)).toEqual({ sessions: 1, tokens: 3 })
  await signOut(one.access_token)
  expect(await alive(one.user.id)).toEqual({ sessions: 0, tokens: 0 })
})

it('leaves one session and one active token after fifty concurrent refreshes', async () => {
  const first = await signIn()
  const responses = await Promise.all(Array.from({ length: 50 }, () => refresh(first.refresh_token)))
  expect(new Set(responses.map((one) => one.status))).toEqual(new Set([200]))
  expect(new Set(responses.map((one) => one.body.refresh_token)).size).toBe(1)
  expect(new Set(responses.map((one) => sessionOf(one.body.access_token))).size).toBe(1)
  expect(await alive(first.user.id)).toEqual({ sessions: 1, tokens: 1 })
})

it.each(['global', 'local'])(
  'leaves nothing active when a refresh and a sign-out (%s) are concurrent, in both orders',
  async (scope) => {
    for (let round = 0; round < 4; round++) {
      const first = await signIn()
      const session = sessionOf(first.access_token)
      const works = [
        () => refresh(first.refresh_token),
        () =>
          signOut(first.access_token, scope).then((out) => ({ status: out.status, code: null, body: null })),
      ]
      const refreshFirst = round % 2 === 0
      const responses = await inThisOrder<{ status: number; code: string | null; body: Tokens | null }>(
        session,
        refreshFirst ? works : works.toReversed(),
      )
      const [refreshed, out] = refreshFirst ? responses : responses.toReversed()
      // Each order was reached.
      expect([out!.status, refreshed!.status, refreshed!.code]).toEqual(
        refreshFirst ? [204, 200, null] : [204, 400, 'refresh_token_not_found'],
      )
      expect(await alive(first.user.id)).toEqual({ sessions: 0, tokens: 0 })
      if (refreshed!.status !== 200) continue
      expect((await auth.request('/user', { bearer: refreshed!.body!.access_token })).status).toBe(403)
      expect((await refresh(refreshed!.body!.refresh_token)).code).toBe('refresh_token_not_found')
    }
  },
)

it('leaves nothing active when many refreshes and sign-outs are concurrent', async () => {
  for (let round = 0; round < 10; round++) {
    const first = await signIn()
    const second = await refresh(first.refresh_token)
    const works = [
      ...Array.from(
        { length: 3 },
        () => () => refresh(second.body.refresh_token).then(({ status }) => status),
      ),
      () => refresh(first.refresh_token).then(({ status }) => status),
      () => signOut(first.access_token).then(({ status }) => status),
    ]
    works.push(...works.splice(0, round % works.length))
    const statuses = await Promise.all(works.map((work) => work()))
    expect(statuses).toContain(204)
    expect(await alive(first.user.id)).toEqual({ sessions: 0, tokens: 0 })
  }
})

it('accepts one of fifty concurrent uses of a code', async () => {
  const { user } = await signIn()
  const [code, verifier] = [randomUUID(), 'v'.repeat(43)]
  await database.admin.query(
    `insert into auth.flow_state (id, user_id, auth_code, code_challenge_method, code_challenge, provider_type,
       provider_access_token, provider_refresh_token, authentication_method, created_at, updated_at)
     values (gen_random_uuid(), $1, $2, 'plain', $3, 'email', '', '', 'magiclink', now(), now())`,
    [user.id, code, verifier],
  )
  const redeem = async (code_verifier: string) => {
    const response = await auth.request('/token?grant_type=pkce', {
      json: { auth_code: code, code_verifier },
    })
    return `${response.status} ${response.headers.get('x-sb-error-code')}`
  }
  // A wrong verifier does not consume the code.
  expect(await redeem('w'.repeat(43))).toBe('400 bad_code_verifier')
  const responses = await Promise.all(Array.from({ length: 50 }, () => redeem(verifier)))
  expect(responses.filter((response) => response === '200 null')).toHaveLength(1)
  expect(responses.filter((response) => response === '404 flow_state_not_found')).toHaveLength(49)
  // The earlier session, and the one of the code.
  expect(await alive(user.id)).toEqual({ sessions: 2, tokens: 2 })
})
