import { randomUUID } from 'node:crypto'
import { Client, type ClientConfig, type DatabaseError, type QueryResultRow } from 'pg'
import type { ServiceRole } from '../../../backend/postgres/server/startPostgres.ts'
import type { CommandName, Commands } from '../../../wire/commands.ts'
import type { FailureName } from '../../../wire/failures.ts'
import type { Uuid } from '../../../wire/scalars.ts'

/**
 * Ann owns the workspace, Bea and Cem are members, Gus is a guest of one channel who has just joined; Omar has only an
 * account, Zoe owns another workspace. Dee was deactivated, Eli was removed from the private channel, the access of the
 * guest Max has expired, Sid has signed out.
 */
export const names = ['ann', 'bea', 'cem', 'gus', 'omar', 'zoe', 'dee', 'eli', 'max', 'sid'] as const
export type Name = (typeof names)[number]

/** One person's transaction, or the service's. */
export interface TestTransaction {
  rows<R extends QueryResultRow = QueryResultRow>(sql: string, values?: unknown[]): Promise<R[]>
  /** The first column of the first row. */
  value<T>(sql: string, values?: unknown[]): Promise<T>
  call<N extends CommandName>(name: N, args: Commands[N]['args']): Promise<Commands[N]['response']>
  /** The error of `work`, which must fail; its effects are rolled back, and the transaction continues. */
  refusal(work: (transaction: TestTransaction) => Promise<unknown>): Promise<DatabaseError>
  /** The name that a command fails with. */
  failure<N extends CommandName>(name: N, args: Commands[N]['args']): Promise<FailureName | string>
}

/** A database with the platform and Linnet's migrations. */
export interface TestDatabase {
  config(role: ServiceRole): ClientConfig
  /** The people and their content that it has; undefined where there are none. */
  content?: FixtureContent
  stop(): Promise<void>
}

/** Ids of the people and of their content. */
export interface FixtureContent {
  workspace: Uuid
  profile: Record<Name, Uuid>
  account: Record<Name, Uuid>
  /** Public; all but Omar and Zoe are members. Gus joined after the message `old`. */
  lobby: Uuid
  /** Private: Bea and Cem. Eli was removed; the owner was never a member. */
  closed: Uuid
  /** Public: only Bea is a member. */
  side: Uuid
  /** Ann and Bea. */
  direct: Uuid
  /** Bea's, which contains the channel `closed`. */
  section: Uuid
  messages: {
    /** Bea's in the lobby, before Gus joined, with a reaction, a pin, a mention of Cem, an edit and a reply. */
    old: Uuid
    reply: Uuid
    /** Ann's in the lobby, after Gus joined. */
    fresh: Uuid
    /** Bea's in `closed`, with the same. */
    secret: Uuid
    /** Ann to Bea. */
    whisper: Uuid
  }
}

export interface Fixture extends FixtureContent {
  database: TestDatabase
  /** A transaction that is rolled back. */
  rolledBackAs<T>(name: Name | 'anon', work: (transaction: TestTransaction) => Promise<T>): Promise<T>
  /** A transaction that is committed. */
  committedAs<T>(name: Name, work: (transaction: TestTransaction) => Promise<T>): Promise<T>
  /** As `postgres`, which bypasses row-level security; rolled back unless `keep`. */
  service<T>(work: (transaction: TestTransaction) => Promise<T>, keep?: boolean): Promise<T>
  stop(): Promise<void>
}

export function transactionOn(client: Client): TestTransaction {
  const transaction: TestTransaction = {
    async rows<R extends QueryResultRow>(sql: string, values?: unknown[]) {
      return (await client.query<R>(sql, values)).rows
    },
    async value<T>(sql: string, values?: unknown[]) {
      const { rows } = await client.query({ text: sql, values: values ?? [], rowMode: 'array' })
      return rows[0]?.[0] as T
    },
    call: async (name, args) => {
      const given = Object.entries(args).filter(([, value]) => value !== undefined)
      const list = given.map(([key], i) => `"${key}" => $${i + 1}`).join(', ')
      return transaction.value(
        `select public.${name}(${list})`,
        given.map(([key, value]) =>
          key === 'attachments' || key === 'known' || key === 'extras' ? JSON.stringify(value) : value,
        ),
      )
    },
    async refusal(work) {
      await client.query('savepoint tried')
      try {
        await work(transaction)
      } catch (error) {
        return error as DatabaseError
      } finally {
        await client.query('rollback to savepoint tried')
      }
      throw new Error('It was allowed.')
    },
    async failure(name, args) {
      const error = await transaction.refusal((s) => s.call(name, args))
      return error.message
    },
  }
  return transaction
}

/** The settings with which the backend runs a person's transaction. */
export async function impersonate(client: Client, account: Uuid | null): Promise<void> {
  const role = account === null ? 'anon' : 'authenticated'
  // Of a session that has just begun.
  const amr = [{ method: 'otp', timestamp: Math.floor(Date.now() / 1000) }]
  const claims = account === null ? { role } : { role, sub: account, session_id: account, amr }
  await client.query(`select set_config('request.jwt.claims', $1, true), set_config('role', $2, true)`, [
    JSON.stringify(claims),
    role,
  ])
}

type Transactions = Pick<Fixture, 'rolledBackAs' | 'committedAs' | 'service'>

/** Runs transactions of the people and of the service on one connection. */
function createTransactions(client: Client, account: Record<Name, Uuid>): Transactions {
  const transaction = transactionOn(client)
  const within = async <T>(
    account: Uuid | null | 'postgres',
    keep: boolean,
    work: (transaction: TestTransaction) => Promise<T>,
  ): Promise<T> => {
    await client.query('begin')
    try {
      if (account !== 'postgres') await impersonate(client, account)
      const result = await work(transaction)
      // Deferred triggers run also in a transaction that is rolled back.
      if (!keep) await client.query('set constraints all immediate')
      await client.query(keep ? 'commit' : 'rollback')
      return result
    } catch (error) {
      await client.query('rollback')
      throw error
    }
  }
  return {
    rolledBackAs: (name, work) => within(name === 'anon' ? null : account[name], false, work),
    committedAs: (name, work) => within(account[name], true, work),
    service: (work, keep = false) => within('postgres', keep, work),
  }
}

const createIds = (): Record<Name, Uuid> =>
  Object.fromEntries(names.map((name) => [name, randomUUID()])) as Record<Name, Uuid>

/** Opens the fixture of a database, whose people and content are created unless it has them. */
export async function openFixture(database: TestDatabase): Promise<Fixture> {
  const content = database.content ?? (await createContent(database))
  const client = new Client(database.config('postgres'))
  await client.connect()
  return {
    ...content,
    ...createTransactions(client, content.account),
    database,
    async stop() {
      await client.end()
      await database.stop()
    },
  }
}

/** Creates the people and their content with Linnet's commands. */
export async function createContent({ config }: Pick<TestDatabase, 'config'>): Promise<FixtureContent> {
  const client = new Client(config('postgres'))
  await client.connect()
  try {
    const account = createIds()
    return await addContent(account, createTransactions(client, account))
  } finally {
    await client.end()
  }
}

async function addContent(
  account: Record<Name, Uuid>,
  { service, committedAs }: Transactions,
): Promise<FixtureContent> {
  const profile = {} as Record<Name, Uuid>

  await service(async (s) => {
    for (const name of names) {
      await s.rows(
        `insert into auth.users (id, aud, role, email, email_confirmed_at, created_at)
         values ($1, 'authenticated', 'authenticated', $2, now(), now())`,
        [account[name], `${name}@harbour.example`],
      )
      await s.rows(`insert into auth.sessions (id, user_id, created_at) values ($1, $1, now())`, [
        account[name],
      ])
    }
    await s.rows(`select public.register_setup_token('set-up')`)
  }, true)

  const founded = await committedAs('ann', (s) =>
    s.call('found_workspace', {
      token: 'set-up',
      workspace_name: 'Harbour Street',
      channel_name: 'lobby',
      person_name: 'Ann Okafor',
    }),
  )
  const workspace = founded.workspace.id
  const lobby = founded.channel_id
  profile.ann = founded.profile.id

  const invite = async (who: Name, role: 'member' | 'guest', from: Name = 'ann'): Promise<void> => {
    const { token } = await committedAs(from, (s) =>
      s.call('create_invitation', { workspace, role, channels: [lobby] }),
    )
    const accepted = await committedAs(who, (s) =>
      s.call('accept_invitation', { token, person_name: `${who} Example` }),
    )
    profile[who] = accepted.profile.id
  }
  for (const who of ['bea', 'cem', 'dee', 'eli', 'sid'] as const) await invite(who, 'member')

  const [closed, side, other, section] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  await committedAs('bea', async (s) => {
    await s.call('create_channel', { id: closed, workspace, kind: 'private', name: 'partners' })
    await s.call('add_members', { channel: closed, people: [profile.cem, profile.eli] })
    await s.call('create_channel', { id: side, workspace, kind: 'public', name: 'building-works' })
    await s.rows(
      `insert into public.sections (id, workspace_id, name, position) values ($1, $2, 'Harbour', 1)`,
      [section, workspace],
    )
    await s.rows(`update public.channel_member_state set section_id = $1 where channel_id = $2`, [
      section,
      closed,
    ])
  })
  const messages = {
    old: randomUUID(),
    reply: randomUUID(),
    fresh: randomUUID(),
    secret: randomUUID(),
    whisper: randomUUID(),
  }
  for (const [id, channel] of [
    [messages.old, lobby],
    [messages.secret, closed],
  ] as const) {
    await committedAs('bea', async (s) => {
      const body = `Orchids for <@${profile.cem}> and <!channel>`
      await s.call('send_message', { id, channel, body: `${body}.` })
      await s.call('edit_message', { id, body, edit: randomUUID() })
      await s.call('pin_message', { message: id, on: true })
    })
    await committedAs('cem', async (s) => {
      await s.call('react', { message: id, emoji: '👀', on: true })
      const reply = id === messages.old ? messages.reply : randomUUID()
      await s.call('send_message', { id: reply, channel, body: 'They are lovely', thread_root: id })
    })
  }
  const direct = (
    await committedAs('ann', (s) => s.call('open_direct', { workspace, people: [profile.bea] }))
  ).channel.id
  await committedAs('ann', (s) =>
    s.call('send_message', { id: messages.whisper, channel: direct, body: 'Orchids, Bea?' }),
  )

  for (const who of ['gus', 'max'] as const) await invite(who, 'guest')
  await committedAs('ann', (s) =>
    s.call('send_message', { id: messages.fresh, channel: lobby, body: 'Orchids are here' }),
  )

  await service(async (s) => {
    profile.zoe = randomUUID()
    await s.rows(`insert into public.profiles (id, user_id, name) values ($1, $2, 'Zoe')`, [
      profile.zoe,
      account.zoe,
    ])
    await s.rows(`insert into public.workspaces (id, name) values ($1, 'Elsewhere')`, [other])
    await s.rows(
      `insert into public.workspace_members (workspace_id, profile_id, role) values ($1, $2, 'owner')`,
      [other, profile.zoe],
    )
  }, true)
  profile.omar = randomUUID()
  await committedAs('bea', (s) => s.call('remove_member', { channel: closed, person: profile.eli }))
  await committedAs('ann', (s) => s.call('deactivate_member', { workspace, person: profile.dee }))
  await service(async (s) => {
    await s.rows(
      `update public.workspace_members set expires_at = now() - interval '1 day' where profile_id = $1`,
      [profile.max],
    )
    await s.rows('delete from auth.sessions where user_id = $1', [account.sid])
    // Deactivation ended Dee's session; she has signed in again.
    await s.rows('insert into auth.sessions (id, user_id, created_at) values ($1, $1, now())', [account.dee])
    // Those of the messages above: a test finds only its own.
    await s.rows('delete from public.jobs')
  }, true)

  return { workspace, profile, account, lobby, closed, side, direct, section, messages }
}
