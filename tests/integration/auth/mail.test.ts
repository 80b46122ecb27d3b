import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startSmtp, type SmtpServer } from '../../support/startSmtp.ts'
import {
  uniqueEmail,
  startAuth,
  startDatabase,
  type AuthDatabase,
  type AuthServer,
} from './support/startAuth.ts'

let database: AuthDatabase
let smtp: SmtpServer
/** Two servers on one database. */
let auth: AuthServer
let other: AuthServer
beforeAll(async () => {
  database = await startDatabase()
  smtp = await startSmtp()
  const toml = `[auth.rate_limit]
email_sent = 100000
sign_in_sign_ups = 100000
[auth.email]
enable_confirmations = true
max_frequency = "0s"
[auth.email.smtp]
host = "127.0.0.1"
port = ${smtp.port}
admin_email = "chat@example.com"
sender_name = "Linnet"
[auth.email.notification.password_changed]
enabled = true
[auth.email.notification.email_changed]
enabled = true
`
  auth = await startAuth(database, toml)
  other = await startAuth(database, toml)
})
afterEach(async () => {
  smtp.faults.length = 0
  await database.admin.query('delete from linnet_platform.mails')
})
afterAll(async () => {
  await auth.stop()
  await other.stop()
  await smtp.stop()
  await database.stop()
})

async function mails(): Promise<Record<string, unknown>[]> {
  return (await database.admin.query('select * from linnet_platform.mails order by created_at')).rows
}

/** Polls until the condition is true: what happens after a response cannot be awaited. */
async function eventually<T>(read: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read()
    if (holds(value)) return value
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** A promise that `release` resolves. */
function createGate(): { opened: Promise<void>; release: () => void } {
  let release = (): void => {}
  const opened = new Promise<void>((resolve) => (release = resolve))
  return { opened, release }
}
const isEmpty = (rows: unknown[]): boolean => rows.length === 0

function taken(email: string): number {
  return smtp.accepted.filter(({ recipients }) => recipients.join('').includes(email)).length
}

/** Triggers a check of a server for due mails. */
async function wake(server: AuthServer): Promise<void> {
  const email = uniqueEmail('wake')
  expect((await server.client().auth.signInWithOtp({ email })).error).toBeNull()
  await eventually(
    async () => taken(email),
    (count) => count === 1,
  )
}

/** A mail in the state in which a killed server left it. */
async function leave(state: string): Promise<string> {
  const email = uniqueEmail('left')
  await database.admin.query(
    `insert into linnet_platform.mails (kind, recipient, subject, html, plain, expires_at, claim, due_at, handed_at)
     select 'magic_link', $1, 'Hi', '<p>Hi</p>', 'Hi', now() + interval '1 hour', ${state}`,
    [email],
  )
  return email
}

describe('the limits of config.toml', () => {
  it('allow 60 people of one network to sign up at once, and each gets a mail', async () => {
    const config = readFileSync(join(import.meta.dirname, '../../../supabase/config.toml'), 'utf8')
    const [limits] = /^\[auth\.rate_limit\]\n(?:.+\n)*/m.exec(config)!
    const server = await startAuth(
      database,
      `${limits}
[auth.email]
enable_confirmations = true
[auth.email.smtp]
host = "127.0.0.1"
port = ${smtp.port}
admin_email = "chat@example.com"
`,
    )
    const people = Array.from({ length: 60 }, () => uniqueEmail('launch'))
    const responses = await Promise.all(people.map((email) => server.client().auth.signInWithOtp({ email })))
    expect(responses.flatMap(({ error }) => error ?? [])).toEqual([])
    await eventually(mails, isEmpty)
    expect(people.map(taken)).toEqual(people.map(() => 1))
    await server.stop()
  })
})

describe('a mail', () => {
  it('is sent after the commit, and then deleted', async () => {
    const email = uniqueEmail()
    expect((await auth.client().auth.signInWithOtp({ email })).error).toBeNull()
    await eventually(
      async () => taken(email),
      (count) => count === 1,
    )
    const { data } = smtp.accepted.find(({ recipients }) => recipients.join('').includes(email))!
    expect(data).toMatch(/^From: Linnet <chat@example\.com>\r$/m)
    expect(data).toMatch(/^Content-Type: text\/plain/m)
    expect(data).toMatch(/^Content-Type: text\/html/m)
    await eventually(mails, isEmpty)
    expect(taken(email)).toBe(1)
  })

  it('does not delay the response', async () => {
    const email = uniqueEmail()
    const { opened, release } = createGate()
    smtp.faults.push({ at: 'GREETING', wait: opened })
    expect((await auth.client().auth.signInWithOtp({ email })).error).toBeNull()
    expect(taken(email)).toBe(0)
    expect(await mails()).toHaveLength(1)
    release()
    await eventually(mails, isEmpty)
    expect(taken(email)).toBe(1)
  })

  it('is not queued if its transaction is rolled back', async () => {
    await database.admin.query(`
      create function public.refuse() returns trigger language plpgsql as $$
        begin raise exception 'no' using errcode = 'P0001'; end $$;
      create constraint trigger refuse after insert on auth.one_time_tokens deferrable initially deferred
        for each row execute function public.refuse()`)
    const email = uniqueEmail()
    const { error } = await auth.client().auth.signInWithOtp({ email })
    await database.admin.query('drop function public.refuse() cascade')
    expect(error).not.toBeNull()
    expect(await mails()).toEqual([])
    await wake(auth)
    expect(taken(email)).toBe(0)
  })

  it('cannot be read by any API role', async () => {
    await leave(`null, now() + interval '1 hour', null`)
    for (const role of ['anon', 'authenticated', 'service_role', 'authenticator']) {
      await expect(
        database.admin.transaction(async (client) => {
          await client.query(`set local role ${role}`)
          await client.query('select * from linnet_platform.mails')
        }),
      ).rejects.toMatchObject({ code: '42501' })
    }
  })

  it('is not logged', () => {
    for (const line of [...auth.logged, ...other.logged]) expect(line).not.toMatch(/@example\.com|token/)
  })
})

it('notifies users of changes, at their previous address', async () => {
  const { admin } = auth.asService().auth
  const [email, next] = [uniqueEmail('was'), uniqueEmail('is')]
  const password = 'long enough'
  await admin.createUser({ email, password, email_confirm: true })
  const client = auth.client({ flowType: 'implicit' })
  await client.auth.signInWithPassword({ email, password })
  expect((await client.auth.updateUser({ password: 'another one' })).error).toBeNull()
  await eventually(mails, isEmpty)
  const subjects = (address: string): string[] =>
    smtp.accepted
      .filter(({ recipients }) => recipients.join('').includes(address))
      .map(({ data }) => /^Subject: (.*)\r$/m.exec(data)![1]!)
  expect(subjects(email)).toEqual(['Your password was changed'])
  expect((await client.auth.updateUser({ email: next })).error).toBeNull()
  await eventually(mails, isEmpty)
  for (const address of [email, next]) {
    const { data } = smtp.accepted.findLast(({ recipients }) => recipients.join('').includes(address))!
    const token = /\r\n\r\n(\d{6})\r\n/.exec(data)![1]!
    expect((await client.auth.verifyOtp({ email: address, token, type: 'email_change' })).error).toBeNull()
  }
  await eventually(mails, isEmpty)
  expect(subjects(email)).toEqual([
    'Your password was changed',
    'Confirm your email change',
    'Your email was changed',
  ])
  expect(subjects(next)).toEqual(['Confirm your email change'])
})

describe('a mail that is rejected', () => {
  it.each([
    ['permanently', { at: 'RCPT', answer: '550 no such person' }, 'rejected: EENVELOPE RCPT TO 550'],
    ['after its data', { at: 'END', answer: '554 spam' }, 'rejected: EMESSAGE DATA 554'],
  ])('%s is not sent again', async (_, fault, reason) => {
    smtp.faults.push(fault)
    const email = uniqueEmail()
    await auth.client().auth.signInWithOtp({ email })
    await eventually(mails, isEmpty)
    await wake(auth)
    expect(taken(email)).toBe(0)
    expect(auth.logged.some((line) => line.includes('auth.mail_dropped') && line.includes(reason))).toBe(true)
  })

  it.each([
    ['for now', { at: 'RCPT', answer: '451 later' }],
    ['for now, after its data', { at: 'END', answer: '451 later' }],
    ['by a line that breaks', { at: 'DATA', drop: true }],
  ] as const)('%s is sent again, with growing delays', async (_, fault) => {
    const email = uniqueEmail()
    smtp.faults.push(fault, fault)
    await auth.client().auth.signInWithOtp({ email })
    const waiting = (count: number) => (rows: Record<string, unknown>[]) =>
      rows[0]?.attempts === count && rows[0].claim === null
    const pauseOf = (row: Record<string, unknown>): number => (row.due_at as Date).getTime() - Date.now()
    const [first] = await eventually(mails, waiting(1))
    expect(first!.handed_at).toBeNull()
    expect(pauseOf(first!)).toBeGreaterThan(0)
    await database.admin.query('update linnet_platform.mails set due_at = now()')
    await wake(other)
    const [second] = await eventually(mails, waiting(2))
    expect(pauseOf(second!)).toBeGreaterThan(pauseOf(first!))
    await database.admin.query('update linnet_platform.mails set due_at = now()')
    await wake(auth)
    await eventually(mails, isEmpty)
    expect(taken(email)).toBe(1)
  })
})

describe('after a server was killed', () => {
  it.each([
    ['before sending', `null::uuid, now(), null::timestamptz`, 1],
    ['while sending', `gen_random_uuid(), now(), null`, 1],
    ['before the mail server’s response', `gen_random_uuid(), now(), now()`, 0],
  ])('%s, its mail is sent at most once', async (_, state, times) => {
    const email = await leave(state)
    await Promise.all([wake(auth), wake(other)])
    await eventually(mails, isEmpty)
    expect(taken(email)).toBe(times)
  })

  it('another server waits until its claim has ended', async () => {
    const email = await leave(`gen_random_uuid(), now() + interval '1 hour', null`)
    await wake(other)
    await eventually(mails, (rows) => rows.length === 1)
    expect(taken(email)).toBe(0)
  })

  it('a slow server does not remove what another has claimed', async () => {
    const email = uniqueEmail()
    const { opened, release } = createGate()
    // Connections in their order: the slow server's, then two of the other.
    smtp.faults.push({ at: 'DATA', wait: opened })
    await auth.client().auth.signInWithOtp({ email })
    await smtp.waitForLine(`RCPT TO:<${email}>`)
    await database.admin.query('update linnet_platform.mails set due_at = now()')
    await wake(other)
    await eventually(
      async () => taken(email),
      (count) => count === 1,
    )
    release()
    await eventually(
      async () => auth.logged.filter((line) => line.includes('auth.mail_failed')),
      (lines) => lines.some((line) => line.includes('ESTREAM')),
    )
    expect(taken(email)).toBe(1)
  })

  it('a mail with an unknown outcome is not sent again', async () => {
    const email = uniqueEmail()
    smtp.faults.push({ afterAccepting: true })
    await auth.client().auth.signInWithOtp({ email })
    await eventually(mails, isEmpty)
    await wake(auth)
    await wake(other)
    expect(taken(email)).toBe(1)
    expect(auth.logged.some((line) => line.includes('"unknown: '))).toBe(true)
  })

  it('expired mails are deleted', async () => {
    // Due only after it has expired, otherwise a running check would send it.
    const email = await leave(`null, now() + interval '1 hour', null`)
    await database.admin.query('update linnet_platform.mails set expires_at = now(), due_at = now()')
    await wake(other)
    await eventually(mails, isEmpty)
    expect(taken(email)).toBe(0)
  })

  it('two servers send thirty mails once each', async () => {
    const emails = await Promise.all(Array.from({ length: 30 }, () => leave(`null, now(), null`)))
    await Promise.all([wake(auth), wake(other)])
    await eventually(mails, isEmpty)
    expect(emails.map(taken)).toEqual(emails.map(() => 1))
  })
})

it('a stopping server finishes its deliveries, and leaves the rest', async () => {
  const firstServer = await startAuth(
    database,
    `[auth.email]
enable_confirmations = true
[auth.email.smtp]
host = "127.0.0.1"
port = ${smtp.port}
admin_email = "chat@example.com"
`,
  )
  const email = uniqueEmail()
  await firstServer.client().auth.signInWithOtp({ email })
  await firstServer.stop()
  expect(taken(email)).toBe(1)
  expect(await mails()).toEqual([])
})
