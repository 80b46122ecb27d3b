import { afterAll, beforeAll, expect, it } from 'vitest'
import { renderCounterToken } from '../../../backend/auth/sessions/counterToken.ts'
import {
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
  auth = await startAuth(database, '[auth]\njwt_expiry = 600\n')
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

async function signUp(): Promise<Tokens> {
  const response = await auth.request('/signup', { json: { email: uniqueEmail(), password: 'long enough' } })
  return (await response.json()) as Tokens
}

async function refresh(token: string): Promise<{ status: number; code: string | null; body: Tokens }> {
  const response = await auth.request('/token?grant_type=refresh_token', { json: { refresh_token: token } })
  const code = response.headers.get('x-sb-error-code')
  return { status: response.status, code, body: (await response.json()) as Tokens }
}

/** Moves the times of this user's tokens into the past. */
async function age(userId: string, seconds: number): Promise<void> {
  await database.admin.query(
    `update auth.refresh_tokens set updated_at = updated_at - make_interval(secs => $2) where user_id = $1`,
    [userId, seconds],
  )
}

const sessionOf = (token: string): string =>
  (JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { session_id: string }).session_id

async function isAlive(accessToken: string): Promise<boolean> {
  return (await auth.request('/user', { bearer: accessToken })).status === 200
}

it('returns the active token to a client that lost the response, however late', async () => {
  const first = await signUp()
  const second = await refresh(first.refresh_token)
  await age(first.user.id, 3600)
  const again = await refresh(first.refresh_token)
  expect([again.status, again.body.refresh_token]).toEqual([200, second.body.refresh_token])
})

it('accepts an older token within ten seconds, and returns the active one', async () => {
  const first = await signUp()
  const second = await refresh(first.refresh_token)
  const third = await refresh(second.body.refresh_token)
  const again = await refresh(first.refresh_token)
  expect([again.status, again.body.refresh_token]).toEqual([200, third.body.refresh_token])
})

it('revokes the family when an older token is used later', async () => {
  const first = await signUp()
  const second = await refresh(first.refresh_token)
  const third = await refresh(second.body.refresh_token)
  await age(first.user.id, 11)
  const stolen = await refresh(first.refresh_token)
  expect([stolen.status, stolen.code]).toEqual([400, 'refresh_token_already_used'])
  for (const token of [first, second.body, third.body]) {
    const ended = await refresh(token.refresh_token)
    expect([ended.status, ended.code]).toEqual([400, 'refresh_token_already_used'])
  }
})

it('rejects unknown tokens', async () => {
  const counted = renderCounterToken(Buffer.alloc(32, 1), crypto.randomUUID(), 3)
  for (const token of ['aaaaaaaaaaaa', counted]) {
    const response = await refresh(token)
    expect([response.status, response.code]).toEqual([400, 'refresh_token_not_found'])
  }
  const broken = `${counted.slice(0, -1)}${counted.endsWith('A') ? 'B' : 'A'}`
  for (const token of ['', 'x', 'AAAAAAAAAAAA', 'x'.repeat(5000), "' or 1=1 --", broken, `${counted}=`]) {
    const response = await refresh(token)
    expect([response.status, response.code]).toEqual([400, 'validation_failed'])
  }
})

it('refreshes a session with counter tokens, as imported from hosted Supabase', async () => {
  const { access_token: token } = await signUp()
  const id = sessionOf(token)
  const key = Buffer.alloc(32, 7)
  const move = (counter: number, refreshedAgo: string) =>
    database.admin.query(
      `update auth.sessions set refresh_token_hmac_key = $2, refresh_token_counter = $3,
         refreshed_at = now() at time zone 'utc' - $4::interval where id = $1`,
      [id, key.toString('base64url'), counter, refreshedAgo],
    )
  const at = (counter: number): string => renderCounterToken(key, id, counter)
  await move(300, '1 hour')
  const second = await refresh(at(300))
  expect([second.status, second.body.refresh_token]).toEqual([200, at(301)])
  // The response was lost, however late; then a tab that was suspended, within ten seconds.
  await move(301, '1 hour')
  expect((await refresh(at(300))).body.refresh_token).toBe(at(301))
  await move(310, '1 second')
  expect((await refresh(at(300))).body.refresh_token).toBe(at(310))
  expect((await refresh(at(311))).code).toBe('validation_failed')
  const forged = renderCounterToken(Buffer.alloc(32, 8), id, 310)
  expect((await refresh(forged)).code).toBe('refresh_token_not_found')
  await move(310, '11 seconds')
  expect((await refresh(at(300))).code).toBe('refresh_token_already_used')
  expect((await refresh(at(310))).code).toBe('refresh_token_not_found')
  expect(await isAlive(token)).toBe(false)
})

it('rejects sessions and tokens of banned and deleted users', async () => {
  const first = await signUp()
  expect(await isAlive(first.access_token)).toBe(true)
  const admin = auth.asService().auth.admin
  const barred = await admin.updateUserById(first.user.id, { ban_duration: '1h' })
  expect(barred.error).toBeNull()
  const refused = await auth.request('/user', { bearer: first.access_token })
  expect([refused.status, refused.headers.get('x-sb-error-code')]).toEqual([403, 'user_banned'])
  expect((await refresh(first.refresh_token)).code).toBe('user_banned')
  await admin.updateUserById(first.user.id, { ban_duration: 'none' })
  expect(await isAlive(first.access_token)).toBe(true)
  expect((await admin.deleteUser(first.user.id)).error).toBeNull()
  const gone = await auth.request('/user', { bearer: first.access_token })
  expect([gone.status, gone.headers.get('x-sb-error-code')]).toEqual([403, 'user_not_found'])
  expect((await refresh(first.refresh_token)).code).toBe('refresh_token_not_found')
})

it('rejects permanently banned users', async () => {
  const first = await signUp()
  await database.admin.query(`update auth.users set banned_until = 'infinity' where id = $1`, [first.user.id])
  const refused = await auth.request('/user', { bearer: first.access_token })
  expect([refused.status, refused.headers.get('x-sb-error-code')]).toEqual([403, 'user_banned'])
  const shown = await auth.asService().auth.admin.getUserById(first.user.id)
  expect(shown.data.user?.banned_until).toMatch(/^9999-/)
})

it('sends realtime_recheck when a session ends, and when a user is banned', async () => {
  const first = await signUp()
  const received: string[] = []
  await database.admin.withClient(async (client) => {
    const next = (): Promise<void> =>
      new Promise((resolve) =>
        client.once('notification', (notification) => {
          received.push(`${notification.channel} ${notification.payload}`)
          resolve()
        }),
      )
    await client.query('listen realtime_recheck')
    const barred = next()
    await auth.asService().auth.admin.updateUserById(first.user.id, { ban_duration: '1h' })
    await barred
    await auth.asService().auth.admin.updateUserById(first.user.id, { ban_duration: 'none' })
    const ended = next()
    await auth.request('/logout', { method: 'POST', bearer: first.access_token })
    await ended
    await client.query('unlisten *')
  })
  expect(new Set(received)).toEqual(new Set([`realtime_recheck ${first.user.id}`]))
})
