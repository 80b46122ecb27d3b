import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  uniqueEmail,
  startAuth,
  startDatabase,
  type AuthDatabase,
  type AuthServer,
} from './support/startAuth.ts'

/** A hook that responds when the test allows it. */
interface SlowHook {
  auth: AuthServer
  /** The number of pending calls. */
  waiting(): Promise<number>
  /** Responds to pending and later calls. */
  release(): Promise<void>
}

const password = 'long enough'
const secret = `v1,whsec_${Buffer.alloc(32, 'linnet').toString('base64')}`
// Long enough that no pending request times out.
const hookLimits = { timeout: 60_000, backoff: 1, attempts: 1, functionTimeout: 60_000 }
let database: AuthDatabase
const hooks = {} as Record<'function' | 'http', SlowHook>
let server: Server
const pending: ServerResponse[] = []
let isReleased = false

const config = (uri: string, more = ''): string => `[auth.email]
enable_confirmations = true
max_frequency = "0s"
[auth.hook.send_email]
enabled = true
uri = "${uri}"
${more}`

beforeAll(async () => {
  database = await startDatabase()
  const { admin } = database
  await admin.query(`
    create function public.slow_hook(event jsonb) returns jsonb language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(4711);
      return '{}';
    end $$;
    revoke execute on function public.slow_hook from public;
    grant execute on function public.slow_hook to supabase_auth_admin;`)
  server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json')
      if (isReleased) response.end('{}')
      else pending.push(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  hooks.http = {
    auth: await startAuth(database, config(uri, `secrets = "${secret}"`), { hookLimits }),
    waiting: async () => pending.length,
    async release() {
      isReleased = true
      for (const response of pending.splice(0)) response.end('{}')
    },
  }
  hooks.function = {
    auth: await startAuth(database, config('pg-functions://postgres/public/slow_hook'), { hookLimits }),
    async waiting() {
      const { rows } = await admin.query<{ count: number }>(
        `select count(*)::int as count from pg_locks where locktype = 'advisory' and not granted`,
      )
      return rows[0]!.count
    },
    release: async () => {},
  }
})
afterAll(async () => {
  await Promise.all(Object.values(hooks).map(({ auth }) => auth.stop()))
  await new Promise((resolve) => server.close(resolve))
  await database.stop()
})

async function signedIn(auth: AuthServer): Promise<SupabaseClient> {
  const email = uniqueEmail()
  const made = await auth.asService().auth.admin.createUser({ email, password, email_confirm: true })
  expect(made.error).toBeNull()
  const client = auth.client()
  expect((await client.auth.signInWithPassword({ email, password })).error).toBeNull()
  return client
}

it('a hook over HTTP that never responds ends only its own requests, with an error', async () => {
  const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  const auth = await startAuth(database, config(uri, `secrets = "${secret}"\nmax_concurrent = 2`), {
    hookLimits: { ...hookLimits, timeout: 1_000 },
  })
  try {
    isReleased = false
    const client = await signedIn(auth)
    const requestCode = (): Promise<Response> =>
      auth.request('/otp', {
        json: { email: uniqueEmail() },
        headers: { 'x-supabase-api-version': '2024-01-01' },
      })
    // Two are called, two wait for a slot.
    const requests = Array.from({ length: 4 }, requestCode)
    await vi.waitFor(() => expect(pending.length).toBeGreaterThan(0))
    expect((await client.auth.refreshSession()).error).toBeNull()
    await signedIn(auth)
    for (const response of await Promise.all(requests)) {
      expect([response.status, response.headers.get('x-sb-error-code')]).toEqual([422, 'hook_timeout'])
      expect(await response.json()).toEqual({
        code: 'hook_timeout',
        message: 'Failed to reach hook within maximum time of 1.000000 seconds',
      })
    }
    expect(auth.logged.some((line) => line.includes('auth.hook_failed'))).toBe(true)
    // The slots are free again.
    isReleased = true
    await expect.poll(async () => (await requestCode()).status).toBe(200)
  } finally {
    isReleased = true
    for (const response of pending.splice(0)) response.destroy()
    await auth.stop()
  }
})

describe.each(['function', 'http'] as const)('while a hook with %s does not respond', (kind) => {
  it.each(['from one address', 'from many addresses'])(
    'requests %s delay neither a refresh nor a sign-in',
    async (whose) => {
      const { auth, waiting, release } = hooks[kind]
      isReleased = false
      const client = await signedIn(auth)
      const address = uniqueEmail()
      const block = async (work: () => Promise<void>): Promise<void> => {
        if (kind === 'http') return work()
        await database.admin.transaction(async (lock) => {
          await lock.query('select pg_advisory_xact_lock(4711)')
          await work()
        })
      }
      let settled = 0
      let requests: Promise<unknown>[] = []
      await block(async () => {
        requests = Array.from({ length: 24 }, () =>
          auth
            .request('/otp', { json: { email: whose === 'from one address' ? address : uniqueEmail() } })
            .then(() => settled++),
        )
        await vi.waitFor(async () => expect(await waiting()).toBeGreaterThan(0))
        expect((await client.auth.refreshSession()).error).toBeNull()
        await signedIn(auth)
        expect(settled).toBe(0)
        expect(await waiting()).toBeGreaterThan(0)
      })
      await release()
      await Promise.all(requests)
    },
  )
})
