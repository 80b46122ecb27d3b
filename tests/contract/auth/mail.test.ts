import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startSmtp, type SmtpServer } from '../../support/startSmtp.ts'
import { someone, startAuth, startDatabase, type AuthDatabase, type AuthServer } from './support/startAuth.ts'

let database: AuthDatabase
let smtp: SmtpServer
/** Two houses on one database. */
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

/** Asks until it holds: what happens after an answer has no other end that could be awaited. */
async function eventually<T>(read: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read()
    if (holds(value)) return value
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** A promise that `release` resolves. */
function hold(): { held: Promise<void>; release: () => void } {
  let release = (): void => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  return { held, release }
}
const isEmpty = (rows: unknown[]): boolean => rows.length === 0

function taken(email: string): number {
  return smtp.taken.filter(({ recipients }) => recipients.join('').includes(email)).length
}

/** Something to do for a house, at which it looks for all that is due. */
async function wake(server: AuthServer): Promise<void> {
  const email = someone('wake')
  expect((await server.client().auth.signInWithOtp({ email })).error).toBeNull()
  await eventually(
    async () => taken(email),
    (count) => count === 1,
  )
}

/** A mail as a house left it that was killed. */
async function leave(state: string): Promise<string> {
  const email = someone('left')
  await database.admin.query(
    `insert into linnet_platform.mails (kind, recipient, subject, html, plain, expires_at, claim, due_at, handed_at)
     select 'magic_link', $1, 'Hi', '<p>Hi</p>', 'Hi', now() + interval '1 hour', ${state}`,
    [email],
  )
  return email
}

describe('a mail', () => {
  it('leaves after the commit, and nothing of it is kept', async () => {
    const email = someone()
    expect((await auth.client().auth.signInWithOtp({ email })).error).toBeNull()
    await eventually(
      async () => taken(email),
      (count) => count === 1,
    )
    const { data } = smtp.taken.find(({ recipients }) => recipients.join('').includes(email))!
    expect(data).toMatch(/^From: Linnet <chat@example\.com>\r$/m)
    expect(data).toMatch(/^Content-Type: text\/plain/m)
    expect(data).toMatch(/^Content-Type: text\/html/m)
    await eventually(mails, isEmpty)
    expect(taken(email)).toBe(1)
  })

  it('does not keep its asker waiting', async () => {
    const email = someone()
    const { held, release } = hold()
    smtp.faults.push({ at: 'GREETING', wait: held })
    expect((await auth.client().auth.signInWithOtp({ email })).error).toBeNull()
    expect(taken(email)).toBe(0)
    expect(await mails()).toHaveLength(1)
    release()
    await eventually(mails, isEmpty)
    expect(taken(email)).toBe(1)
  })

  it('is not kept where its deed is undone', async () => {
    await database.admin.query(`
      create function public.refuse() returns trigger language plpgsql as $$
        begin raise exception 'no' using errcode = 'P0001'; end $$;
      create constraint trigger refuse after insert on auth.one_time_tokens deferrable initially deferred
        for each row execute function public.refuse()`)
    const email = someone()
    const { error } = await auth.client().auth.signInWithOtp({ email })
    await database.admin.query('drop function public.refuse() cascade')
    expect(error).not.toBeNull()
    expect(await mails()).toEqual([])
    await wake(auth)
    expect(taken(email)).toBe(0)
  })

  it('is read by no caller', async () => {
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

  it('is told nobody by the log', () => {
    for (const line of [...auth.logged, ...other.logged]) expect(line).not.toMatch(/@example\.com|token/)
  })
})

it('people are told what was done to their account, at the address that they had', async () => {
  const { admin } = auth.asService().auth
  const [email, next] = [someone('was'), someone('is')]
  const password = 'long enough'
  await admin.createUser({ email, password, email_confirm: true })
  const client = auth.client({ flowType: 'implicit' })
  await client.auth.signInWithPassword({ email, password })
  expect((await client.auth.updateUser({ password: 'another one' })).error).toBeNull()
  await eventually(mails, isEmpty)
  const subjects = (address: string): string[] =>
    smtp.taken
      .filter(({ recipients }) => recipients.join('').includes(address))
      .map(({ data }) => /^Subject: (.*)\r$/m.exec(data)![1]!)
  expect(subjects(email)).toEqual(['Your password was changed'])
  expect((await client.auth.updateUser({ email: next })).error).toBeNull()
  await eventually(mails, isEmpty)
  for (const address of [email, next]) {
    const { data } = smtp.taken.findLast(({ recipients }) => recipients.join('').includes(address))!
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

describe('a mail that is refused', () => {
  it.each([
    ['for good', { at: 'RCPT', answer: '550 no such person' }, 'rejected: EENVELOPE RCPT TO 550'],
    ['as a whole', { at: 'END', answer: '554 spam' }, 'rejected: EMESSAGE DATA 554'],
  ])('%s is not tried again', async (_, fault, reason) => {
    smtp.faults.push(fault)
    const email = someone()
    await auth.client().auth.signInWithOtp({ email })
    await eventually(mails, isEmpty)
    await wake(auth)
    expect(taken(email)).toBe(0)
    expect(auth.logged.some((line) => line.includes('auth.mail_dropped') && line.includes(reason))).toBe(true)
  })

  it.each([
    ['for now', { at: 'RCPT', answer: '451 later' }],
    ['for now, as a whole', { at: 'END', answer: '451 later' }],
    ['by a line that breaks', { at: 'DATA', drop: true }],
  ] as const)('%s is tried again, later each time', async (_, fault) => {
    const email = someone()
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

describe('where a house was killed', () => {
  it.each([
    ['before it began', `null::uuid, now(), null::timestamptz`, 1],
    ['while it sent', `gen_random_uuid(), now(), null`, 1],
    ['before it heard whether the mail was taken', `gen_random_uuid(), now(), now()`, 0],
  ])('%s, its mail leaves at most once', async (_, state, times) => {
    const email = await leave(state)
    await Promise.all([wake(auth), wake(other)])
    await eventually(mails, isEmpty)
    expect(taken(email)).toBe(times)
  })

  it('another waits until its claim has ended', async () => {
    const email = await leave(`gen_random_uuid(), now() + interval '20 s', null`)
    await wake(other)
    await eventually(mails, (rows) => rows.length === 1)
    expect(taken(email)).toBe(0)
  })

  it('one that was only slow does not end what another has taken over', async () => {
    const email = someone()
    const { held, release } = hold()
    // Connections in the order in which they come: the slow house's, then the other's two.
    smtp.faults.push({ at: 'DATA', wait: held })
    await auth.client().auth.signInWithOtp({ email })
    await smtp.hasHeard(`RCPT TO:<${email}>`)
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

  it('a mail whose taking nobody heard of is not sent again', async () => {
    const email = someone()
    smtp.faults.push({ afterTaking: true })
    await auth.client().auth.signInWithOtp({ email })
    await eventually(mails, isEmpty)
    await wake(auth)
    await wake(other)
    expect(taken(email)).toBe(1)
    expect(auth.logged.some((line) => line.includes('"unknown: '))).toBe(true)
  })

  it('what has expired is taken away', async () => {
    // Not due before it has expired, or a house that looks just now would send it.
    const email = await leave(`null, now() + interval '1 hour', null`)
    await database.admin.query('update linnet_platform.mails set expires_at = now(), due_at = now()')
    await wake(other)
    await eventually(mails, isEmpty)
    expect(taken(email)).toBe(0)
  })

  it('thirty mails leave once each, whichever house sends them', async () => {
    const emails = await Promise.all(Array.from({ length: 30 }, () => leave(`null, now(), null`)))
    await Promise.all([wake(auth), wake(other)])
    await eventually(mails, isEmpty)
    expect(emails.map(taken)).toEqual(emails.map(() => 1))
  })
})

it('a house that ends finishes what it has begun, and leaves the rest', async () => {
  const house = await startAuth(
    database,
    `[auth.email]
enable_confirmations = true
[auth.email.smtp]
host = "127.0.0.1"
port = ${smtp.port}
admin_email = "chat@example.com"
`,
  )
  const email = someone()
  await house.client().auth.signInWithOtp({ email })
  await house.stop()
  expect(taken(email)).toBe(1)
  expect(await mails()).toEqual([])
})
