import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  uniqueEmail,
  startAuth,
  startDatabase,
  type AuthDatabase,
  type AuthServer,
} from './support/startAuth.ts'

let database: AuthDatabase
let auth: AuthServer
const password = 'long enough'
const minute = `[auth.email]
enable_confirmations = true
max_frequency = "1m"
`
const smtp = `[auth.email.smtp]
enabled = true
host = "127.0.0.1"
port = 9
user = "linnet"
pass = "secret"
admin_email = "linnet@example.com"
`
const roomy = `sign_in_sign_ups = 100000
`

beforeAll(async () => {
  database = await startDatabase()
  await database.admin.query(`
    create table public.expected (email text primary key);
    create function public.only_expected(event jsonb) returns jsonb
    language sql security definer set search_path = '' as $$
      select case when exists (select from public.expected e where e.email = event -> 'user' ->> 'email') then '{}'
        else '{"error": {"http_code": 403, "message": "By invitation."}}'::jsonb end
    $$;
    revoke execute on function public.only_expected from public;
    grant execute on function public.only_expected to supabase_auth_admin;`)
  auth = await startAuth(
    database,
    `[auth]
hide_accounts = true
${minute}
[auth.hook.before_user_created]
enabled = true
uri = "pg-functions://postgres/public/only_expected"
`,
  )
})
afterAll(async () => {
  await auth.stop()
  await database.stop()
})

async function expectPerson(email: string): Promise<void> {
  await database.admin.query('insert into public.expected values ($1)', [email])
}

async function create(email: string, o: { email_confirm?: boolean; ban_duration?: string }): Promise<void> {
  const made = await auth.asService().auth.admin.createUser({ email, password, ...o })
  expect(made.error).toBeNull()
}

/** Sets up an address in each state that responses must not reveal. */
const states: Record<string, (email: string) => Promise<void>> = {
  unknown: async () => {},
  'invited, without an account': expectPerson,
  'invited by an administrator': async (email) => {
    await expectPerson(email)
    expect((await auth.asService().auth.admin.inviteUserByEmail(email)).error).toBeNull()
  },
  unconfirmed: (email) => create(email, {}),
  confirmed: (email) => create(email, { email_confirm: true }),
  banned: (email) => create(email, { email_confirm: true, ban_duration: '100h' }),
  'about to change it': async (email) => {
    await create(email, { email_confirm: true })
    const client = auth.client()
    expect((await client.auth.signInWithPassword({ email, password })).error).toBeNull()
    expect((await client.auth.updateUser({ email: uniqueEmail('new') })).error).toBeNull()
  },
}

const requests: Record<string, (email: string) => { path: string; json: Record<string, unknown> }> = {
  otp: (email) => ({ path: '/otp', json: { email } }),
  'otp without creating a user': (email) => ({ path: '/otp', json: { email, create_user: false } }),
  magiclink: (email) => ({ path: '/magiclink', json: { email } }),
  signup: (email) => ({ path: '/signup', json: { email, password: 'another one', data: { name: 'Ann' } } }),
  recover: (email) => ({ path: '/recover', json: { email } }),
  'resend of a sign-up': (email) => ({ path: '/resend', json: { type: 'signup', email } }),
  'resend of a change': (email) => ({ path: '/resend', json: { type: 'email_change', email } }),
}

/** Status, headers and body, without values that differ between requests. */
async function responseTo(email: string, request: (typeof requests)[string]): Promise<unknown> {
  const { path, json } = request(email)
  const response = await auth.request(path, { json })
  const headers = Object.fromEntries(response.headers)
  delete headers.date
  const body = (await response.text())
    .replaceAll(email, '<email>')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+(Z|\+00:00)/g, (time) => time.replaceAll(/\d/g, '0'))
    .replaceAll(/after \d+ seconds/g, 'after <n> seconds')
  delete headers['content-length']
  delete headers['retry-after']
  return { status: response.status, headers, body }
}

describe.each(Object.keys(requests))('%s', (name) => {
  it('responds identically for every address, the first time and again', async () => {
    const responses: Record<string, unknown[]> = {}
    for (const [state, prepare] of Object.entries(states)) {
      const email = uniqueEmail()
      await prepare(email)
      const request = requests[name]!
      responses[state] = [await responseTo(email, request), await responseTo(email, request)]
    }
    const { unknown: expected, ...others } = responses
    expect(expected).toMatchObject([{ status: 200 }, { status: 429 }])
    for (const [state, response] of Object.entries(others))
      expect({ state, response }).toEqual({ state, response: expected })
  })
})

it('after any message, the next one for the same address must wait a minute', async () => {
  for (const prepare of [states.unknown!, states.confirmed!]) {
    const email = uniqueEmail()
    await prepare(email)
    expect(await responseTo(email, requests.recover!)).toMatchObject({ status: 200 })
    for (const request of Object.values(requests)) {
      expect(await responseTo(email, request)).toMatchObject({ status: 429 })
    }
  }
})

it('ten concurrent requests for one address send one message', async () => {
  const email = uniqueEmail()
  await create(email, { email_confirm: true })
  const before = auth.service.mailbox.messages().length
  const all = await Promise.all(Array.from({ length: 10 }, () => responseTo(email, requests.otp!)))
  expect(all.filter((one) => (one as { status: number }).status === 200)).toHaveLength(1)
  expect(auth.service.mailbox.messages().length - before).toBe(1)
})

it.each(Object.keys(requests).filter((name) => name !== 'otp without creating a user'))(
  '%s counts towards the hourly mail limit also for an address without an account',
  async (name) => {
    const counted = await startAuth(
      database,
      `${minute}${smtp}
[auth.rate_limit]
email_sent = 2
${roomy}`,
    )
    try {
      const sendRequest = async (): Promise<number> => {
        const { path, json } = requests[name]!(uniqueEmail())
        return (await counted.request(path, { json })).status
      }
      expect([await sendRequest(), await sendRequest(), await sendRequest()]).toEqual([200, 200, 429])
    } finally {
      await counted.stop()
    }
  },
)

it('without hide_accounts, the errors of GoTrue remain', async () => {
  const open = await startAuth(database, minute)
  try {
    const { error } = await open
      .client()
      .auth.signInWithOtp({ email: uniqueEmail(), options: { shouldCreateUser: false } })
    expect(error).toMatchObject({ status: 422, code: 'otp_disabled' })
  } finally {
    await open.stop()
  }
})
