import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { DatabaseError } from 'pg'
import type { Outcome } from '../../app/data/failures.ts'
import { createLog } from '../../backend/log/log.ts'
import { asCaller } from '../../backend/postgres/connections/asCaller.ts'
import { migrate } from '../../backend/postgres/schema/migrate.ts'
import type { Pool } from '../../backend/postgres/connections/pool.ts'
import { temporaryPostgres } from '../../backend/postgres/server/temporaryPostgres.ts'
import type { Caller } from '../../wire/claims.ts'
import type { CommandName, Commands, Uuid } from '../../wire/linnet.ts'

/** Something that the database said on a topic. */
export interface Said {
  topic: string
  event: string
  payload: unknown
}

export interface Person {
  name: string
  caller: Caller
  profile: Uuid
}

/** A real PostgreSQL with Linnet in it, asked as the people in it. */
export interface LawHome {
  workspace: Uuid
  people: Record<'ann' | 'bea' | 'cem' | 'gus', Person>
  channels: { lobby: Uuid; closed: Uuid; side: Uuid; direct: Uuid }
  ask: <N extends CommandName>(
    person: Person,
    name: N,
    args: Commands[N]['args'],
  ) => Promise<Outcome<Commands[N]['answer']>>
  mayListen: (person: Person, topic: string) => Promise<boolean>
  /** What was said since the last time, in the order of committing. */
  said: () => Promise<Said[]>
  /** How often a message of this id exists. */
  count: (ids: Uuid[]) => Promise<number>
  stop: () => Promise<void>
}

const callerOf = (account: Uuid): Caller => {
  const claims = { role: 'authenticated', sub: account, session_id: account }
  return { role: 'authenticated', claims, claimsJson: JSON.stringify(claims) }
}

/** What a command is refused with, as the app would see it: errcode PTnnn is the status. */
function failed(error: unknown): Outcome<never> {
  const { code, message } = error as DatabaseError
  if (typeof code !== 'string') throw error
  // A broken rule of the database is a finding, not an answer.
  if (!code.startsWith('PT')) throw error
  return { ok: false, failure: { name: message, sentence: message, again: false } }
}

async function askAs<N extends CommandName>(
  pool: Pool,
  person: Pick<Person, 'caller'>,
  name: N,
  args: Commands[N]['args'],
): Promise<Commands[N]['answer']> {
  const given = Object.entries(args).filter(([, value]) => value !== undefined)
  const list = given.map(([key], index) => `"${key}" => $${index + 1}`).join(', ')
  const [result] = await asCaller(pool, { caller: person.caller }, [
    {
      name: `${name} ${given.map(([key]) => key).join()}`,
      text: `select public.${name}(${list}) as answer`,
      values: given.map(([key, value]) => (key === 'attachments' ? JSON.stringify(value) : value)),
    },
  ])
  return (result!.rows[0] as { answer: Commands[N]['answer'] }).answer
}

/** Starts PostgreSQL, applies the migrations of `root`, brings in the people and their channels. */
export async function openLawHome(root: string): Promise<LawHome> {
  const postgres = await temporaryPostgres()
  const log = createLog({
    format: 'text',
    least: 'error',
    write: (line) => process.stderr.write(`${line}\n`),
  })
  await migrate({ postgres, dir: join(root, 'supabase'), log })
  const admin = postgres.pool('supabase_admin', 1)
  const pool = postgres.pool('authenticator', 2)
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
  const account = async (name: string) => {
    const id = randomUUID()
    await admin.query({
      text: `insert into auth.users (id, aud, role, email, email_confirmed_at, created_at)
             values ($1, 'authenticated', 'authenticated', $2, now(), now())`,
      values: [id, `${name}@harbour.example`],
    })
    await admin.query({
      text: 'insert into auth.sessions (id, user_id, created_at) values ($1, $1, now())',
      values: [id],
    })
    return callerOf(id)
  }
  await admin.query(`select public.offer_setup('set-up')`)
  const annCaller = await account('ann')
  const founded = await askAs(pool, { caller: annCaller }, 'found_workspace', {
    token: 'set-up',
    workspace_name: 'Harbour Street',
    channel_name: 'front desk',
    person_name: 'Ann',
  })
  const ann: Person = { name: 'ann', caller: annCaller, profile: founded.profile.id }
  const workspace = founded.workspace.id
  const lobby = founded.channel_id
  const make = async (kind: 'public' | 'private', name: string) =>
    (await askAs(pool, ann, 'create_channel', { id: randomUUID(), workspace, kind, name })).channel.id
  const side = await make('public', 'side')
  const closed = await make('private', 'closed')

  const bring = async (name: string, role: 'member' | 'guest', channels: Uuid[]): Promise<Person> => {
    const { token } = await askAs(pool, ann, 'create_invitation', { workspace, role, channels })
    const caller = await account(name)
    const { profile } = await askAs(pool, { caller }, 'accept_invitation', { token, person_name: name })
    return { name, caller, profile: profile.id }
  }
  const bea = await bring('bea', 'member', [lobby, closed])
  const cem = await bring('cem', 'member', [lobby, closed, side])
  const gus = await bring('gus', 'guest', [lobby])
  const direct = (await askAs(pool, ann, 'open_direct', { workspace, people: [bea.profile] })).channel.id

  let heard = 0
  return {
    workspace,
    people: { ann, bea, cem, gus },
    channels: { lobby, closed, side, direct },
    ask: async (person, name, args) => {
      try {
        return { ok: true, value: await askAs(pool, person, name, args) }
      } catch (error) {
        return failed(error)
      }
    },
    mayListen: async (person, topic) => {
      const [result] = await asCaller(
        pool,
        { caller: person.caller, settings: { 'realtime.topic': topic }, rollback: true },
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
    count: async (ids) => {
      const { rows } = await admin.query({
        text: 'select count(*)::int as count from public.messages where id = any ($1)',
        values: [ids],
      })
      return (rows[0] as { count: number }).count
    },
    stop: () => postgres.stop(),
  }
}
