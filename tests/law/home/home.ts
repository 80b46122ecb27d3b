import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { failureNamed } from '../../../app/data/failures/failures.ts'
import type { Outcome } from '../../../app/data/failures/failures.ts'
import { createLogger } from '../../../backend/logging/logger.ts'
import { asCaller } from '../../../backend/postgres/connections/asCaller.ts'
import { PostgresUnavailable } from '../../../backend/postgres/connections/pool.ts'
import type { Pool } from '../../../backend/postgres/connections/pool.ts'
import { migrate } from '../../../backend/postgres/schema/migrate.ts'
import { temporaryPostgres } from '../../../backend/postgres/server/temporaryPostgres.ts'
import type { Caller } from '../../../wire/claims.ts'
import type { CommandName, Commands, Uuid } from '../../../wire/linnet.ts'
import { copyTables } from './copies.ts'
import { readFacts } from './facts.ts'
import type { Facts } from './facts.ts'
import { killOneBackend } from './kill.ts'
import { speakEnglish } from './speakEnglish.ts'

/** Something that the database said on a topic. */
export interface Said {
  topic: string
  event: string
  payload: unknown
}

/** Someone with an account; whether they belong to the workspace is another matter. */
export interface Person {
  name: string
  account: Uuid
}

/** A real PostgreSQL with Linnet in it, asked as the people in it. */
export interface LawHome {
  workspace: Uuid
  people: Record<'ann' | 'bea' | 'cem' | 'gus' | 'omar', Person>
  channels: { lobby: Uuid; closed: Uuid; side: Uuid }
  /** A session of its own. */
  signIn: (person: Person) => Promise<Caller>
  endSession: (caller: Caller) => Promise<void>
  ask: <N extends CommandName>(
    caller: Caller,
    name: N,
    args: Commands[N]['args'],
  ) => Promise<Outcome<Commands[N]['answer']>>
  /** Plain SQL as the caller, under the policies: what the app asks of tables. The value is how many rows it returns. */
  write: (caller: Caller, text: string, values: unknown[]) => Promise<Outcome<number>>
  /** Ann asks them in by letter, into these channels, and they come. */
  bring: (person: Person, role: 'member' | 'guest', channels: Uuid[]) => Promise<Outcome>
  mayListen: (caller: Caller, topic: string) => Promise<boolean>
  /** What was said since the last time, in the order of committing. */
  said: () => Promise<Said[]>
  /** Every row that the law speaks of, read past all rights. */
  facts: () => Promise<Facts>
  /** Keeps a copy of everything under a name. */
  keep: (name: string) => Promise<void>
  /** Everything is as in the copy, sessions too. */
  restore: (name: string) => Promise<void>
  /** Kills a process of PostgreSQL, so that all of it starts anew, and waits for that. */
  kill: () => Promise<void>
  stop: () => Promise<void>
}

/** What was refused, as the app would see it; errcode PTnnn is the status. */
function failed(error: unknown): Outcome<never> {
  if (error instanceof PostgresUnavailable) return { ok: false, failure: failureNamed('network') }
  const { code, message } = error as { code?: unknown; message: string }
  // One's own lists are bound by policies and constraints, which answer in PostgreSQL's words.
  if (code === '42501') return { ok: false, failure: failureNamed('not_allowed', 403) }
  const constraint = /constraint "([^"]+)"/.exec(message)?.[1]
  if (constraint?.startsWith('sections_') || constraint?.startsWith('channel_state_')) {
    return { ok: false, failure: failureNamed(constraint, 400) }
  }
  // Any other broken rule of the database is a finding, not an answer.
  if (typeof code !== 'string' || !code.startsWith('PT')) throw error
  return { ok: false, failure: failureNamed(message, Number(code.slice(2))) }
}

async function outcomeOf<T>(asked: Promise<T>): Promise<Outcome<T>> {
  try {
    return { ok: true, value: await asked }
  } catch (error) {
    return failed(error)
  }
}

async function askAs<N extends CommandName>(
  pool: Pool,
  caller: Caller,
  name: N,
  args: Commands[N]['args'],
): Promise<Commands[N]['answer']> {
  const given = Object.entries(args).filter(([, value]) => value !== undefined)
  const list = given.map(([key], index) => `"${key}" => $${index + 1}`).join(', ')
  const [result] = await asCaller(pool, { caller }, [
    {
      name: `${name} ${given.map(([key]) => key).join()}`,
      text: `select public.${name}(${list}) as answer`,
      values: given.map(([key, value]) => (key === 'attachments' ? JSON.stringify(value) : value)),
    },
  ])
  return (result!.rows[0] as { answer: Commands[N]['answer'] }).answer
}

/** Starts PostgreSQL, applies the migrations of `root`, brings in all but Omar, and keeps the copy `beginning`. */
export async function openLawHome(root: string): Promise<LawHome> {
  speakEnglish()
  const postgres = await temporaryPostgres()
  const log = createLogger({
    format: 'text',
    minLevel: 'error',
    write: (line) => process.stderr.write(`${line}\n`),
  })
  await migrate({ postgres, dir: join(root, 'supabase'), log })
  const admin = postgres.pool('supabase_admin', 1)
  const pool = postgres.pool('authenticator', 2)
  // These data end with the run and need not outlive the power: a killed process loses nothing by this.
  for (const setting of ['fsync', 'full_page_writes']) await admin.query(`alter system set ${setting} = off`)
  await admin.query('select pg_reload_conf()')
  // The real home reads the log, which keeps the order of commits; a numbered copy does the same here.
  await admin.query(`
    create schema law;
    create table law.said (n bigserial, topic text, event text, payload jsonb);
    create function law.listen() returns trigger language plpgsql security definer as $$
    begin
      insert into law.said (topic, event, payload) values (new.topic, new.event, new.payload);
      return null;
    end $$;
    create trigger law_listens after insert on realtime.messages for each row execute function law.listen();`)
  const account = async (name: string): Promise<Person> => {
    const id = randomUUID()
    await admin.query({
      text: `insert into auth.users (id, aud, role, email, email_confirmed_at, created_at)
             values ($1, 'authenticated', 'authenticated', $2, now(), now())`,
      values: [id, `${name}@harbour.example`],
    })
    return { name, account: id }
  }
  const signIn = async (person: Person): Promise<Caller> => {
    const session = randomUUID()
    await admin.query({
      text: 'insert into auth.sessions (id, user_id, created_at) values ($1, $2, now())',
      values: [session, person.account],
    })
    const claims = { role: 'authenticated', sub: person.account, session_id: session }
    return { role: 'authenticated', claims, claimsJson: JSON.stringify(claims) }
  }
  const people = {
    ann: await account('ann'),
    bea: await account('bea'),
    cem: await account('cem'),
    gus: await account('gus'),
    omar: await account('omar'),
  }
  const ann = await signIn(people.ann)
  await admin.query(`select public.offer_setup('set-up')`)
  const founded = await askAs(pool, ann, 'found_workspace', {
    token: 'set-up',
    workspace_name: 'Harbour Street',
    channel_name: 'front desk',
    person_name: 'ann',
  })
  const workspace = founded.workspace.id
  const lobby = founded.channel_id
  const make = async (kind: 'public' | 'private', name: string) =>
    (await askAs(pool, ann, 'create_channel', { id: randomUUID(), workspace, kind, name })).channel.id
  const side = await make('public', 'side')
  const closed = await make('private', 'closed')

  const bring: LawHome['bring'] = (person, role, channels) =>
    outcomeOf(
      (async () => {
        // Ann's own session: she may have ended all others by now.
        const { token } = await askAs(pool, await signIn(people.ann), 'create_invitation', {
          workspace,
          role,
          channels,
          email: `${person.name}@harbour.example`,
        })
        await askAs(pool, await signIn(person), 'accept_invitation', { token, person_name: person.name })
      })(),
    )
  await bring(people.bea, 'member', [lobby, closed])
  await bring(people.cem, 'member', [lobby, closed, side])
  await bring(people.gus, 'guest', [lobby])

  const copies = await copyTables(admin)
  await copies.keep('beginning')
  let heard = 0
  return {
    workspace,
    people,
    channels: { lobby, closed, side },
    signIn,
    bring,
    endSession: async ({ claims }) => {
      await admin.query({
        text: 'delete from auth.sessions where id = $1',
        values: [(claims as { session_id: Uuid }).session_id],
      })
    },
    ask: (caller, name, args) => outcomeOf(askAs(pool, caller, name, args)),
    write: (caller, text, values) =>
      outcomeOf(
        asCaller(pool, { caller }, [{ name: text, text, values }]).then(([result]) => result!.rows.length),
      ),
    mayListen: async (caller, topic) => {
      const [result] = await asCaller(
        pool,
        { caller, settings: { 'realtime.topic': topic }, rollback: true },
        [{ name: 'listen', text: 'select app.can_listen($1) as may', values: [topic] }],
      )
      return (result!.rows[0] as { may: boolean }).may
    },
    said: async () => {
      const { rows } = await admin.query({
        name: 'said',
        text: 'select n::int, topic, event, payload from law.said where n > $1 order by n',
        values: [heard],
      })
      const news = rows as unknown as (Said & { n: number })[]
      heard = news.at(-1)?.n ?? heard
      return news
    },
    facts: () => readFacts(admin),
    keep: copies.keep,
    restore: copies.restore,
    kill: () => killOneBackend(admin, [pool]),
    stop: () => postgres.stop(),
  }
}
