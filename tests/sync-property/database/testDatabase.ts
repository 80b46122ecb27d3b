import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createFailure } from '../../../app/data/failures/failures.ts'
import type { Outcome } from '../../../app/data/failures/failures.ts'
import { createLogger } from '../../../backend/logging/logger.ts'
import { runAsCaller } from '../../../backend/postgres/connections/runAsCaller.ts'
import { PostgresUnavailable } from '../../../backend/postgres/connections/pool.ts'
import type { Pool } from '../../../backend/postgres/connections/pool.ts'
import { migrate } from '../../../backend/postgres/schema/migrate.ts'
import { temporaryPostgres } from '../../../backend/postgres/server/temporaryPostgres.ts'
import { fillLinnetData } from '../../../supabase/tests/support/linnetData.ts'
import type { Caller } from '../../../wire/claims.ts'
import type { CommandName, Commands } from '../../../wire/commands.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { createSnapshots } from './snapshots.ts'
import { readTables } from './tables.ts'
import type { Tables } from './tables.ts'
import { USER_GROUPS } from './userGroups.ts'
import { killPostgres } from './killPostgres.ts'
import { activateEnglish } from '../../support/activateEnglish.ts'

/** A broadcast that the database published on a topic. */
export interface PublishedEvent {
  topic: string
  event: string
  payload: unknown
}

/** Somebody with an account, member of the workspace or not. */
export interface Person {
  name: string
  account: Uuid
}

/** A real PostgreSQL with Linnet's schema, queried as its people. */
export interface TestDatabase {
  workspace: Uuid
  people: Record<'ann' | 'bea' | 'cem' | 'gus' | 'omar', Person>
  channels: { lobby: Uuid; closed: Uuid; side: Uuid }
  /** Creates a new session. */
  signIn: (person: Person) => Promise<Caller>
  endSession: (caller: Caller) => Promise<void>
  runCommand: <N extends CommandName>(
    caller: Caller,
    name: N,
    args: Commands[N]['args'],
  ) => Promise<Outcome<Commands[N]['response']>>
  /** Plain SQL as the caller, under the policies, as the app queries tables. The value is the number of rows. */
  write: (caller: Caller, text: string, values: unknown[]) => Promise<Outcome<readonly unknown[]>>
  /** Ann invites them by mail to these channels, and they accept. */
  invite: (person: Person, role: 'member' | 'guest', channels: Uuid[]) => Promise<Outcome>
  canSubscribe: (caller: Caller, topic: string) => Promise<boolean>
  /** Whether this is the database of a server that ends subscriptions, as Linnet's, or of one that cannot. */
  setEndsSubscriptions: (on: boolean) => Promise<void>
  /** What was published since the last call, in commit order. */
  takePublished: () => Promise<PublishedEvent[]>
  /** All rows that the checks need, read without row security. */
  readTables: () => Promise<Tables>
  /** Saves a snapshot of everything under a name. */
  saveSnapshot: (name: string) => Promise<void>
  /** Restores everything from the snapshot, sessions too. */
  restoreSnapshot: (name: string) => Promise<void>
  /** Adds a response to a command that only this person sees, as a bot's server would; none in a channel that is gone. */
  addResponse: (profile: Uuid, channel: Uuid, id: Uuid) => Promise<void>
  /** Erases the oldest messages of a channel, as retention does. */
  eraseOldest: (channel: Uuid, messages: number) => Promise<void>
  /** Saves, renames or (`name` null) deletes a search of this person, as another device would. */
  setSavedSearch: (profile: Uuid, id: Uuid, name: string | null) => Promise<void>
  /** Adds a reminder of this person, makes it due (`state` due) as the job does, or deletes it. */
  setReminder: (profile: Uuid, id: Uuid, state: 'added' | 'due' | 'deleted') => Promise<void>
  /** Schedules a message of this person, changes its text or (`body` null) sends it as the job does. */
  setScheduledMessage: (profile: Uuid, channel: Uuid, id: Uuid, body: string | null) => Promise<void>
  /** Kills a process of PostgreSQL, so that it restarts, and waits until it serves again. */
  killPostgres: () => Promise<void>
  stop: () => Promise<void>
}

/** The failure as the app would see it; errcode PTnnn carries the status. */
function failed(error: unknown): Outcome<never> {
  if (error instanceof PostgresUnavailable) return { ok: false, failure: createFailure('network') }
  const { code, message } = error as { code?: unknown; message: string }
  // Tables that people write themselves refuse by policies and constraints, with PostgreSQL's error codes.
  if (code === '42501') return { ok: false, failure: createFailure('not_allowed', 403) }
  const constraint = /constraint "([^"]+)"/.exec(message)?.[1]
  if (constraint?.startsWith('sections_') || constraint?.startsWith('channel_member_state_')) {
    return { ok: false, failure: createFailure(constraint, 400) }
  }
  // Any other database error is a defect.
  if (typeof code !== 'string' || !code.startsWith('PT')) throw error
  return { ok: false, failure: createFailure(message, Number(code.slice(2))) }
}

async function outcomeOf<T>(result: Promise<T>): Promise<Outcome<T>> {
  try {
    return { ok: true, value: await result }
  } catch (error) {
    return failed(error)
  }
}

async function runCommandAs<N extends CommandName>(
  pool: Pool,
  caller: Caller,
  name: N,
  args: Commands[N]['args'],
): Promise<Commands[N]['response']> {
  const given = Object.entries(args).filter(([, value]) => value !== undefined)
  const list = given.map(([key], index) => `"${key}" => $${index + 1}`).join(', ')
  const [result] = await runAsCaller(pool, { caller }, [
    {
      name: `${name} ${given.map(([key]) => key).join()}`,
      text: `select public.${name}(${list}) as answer`,
      values: given.map(([key, value]) =>
        key === 'attachments' || key === 'known' ? JSON.stringify(value) : value,
      ),
    },
  ])
  return (result!.rows[0] as { answer: Commands[N]['response'] }).answer
}

/** Starts PostgreSQL, applies the migrations of `root`, adds everybody but Omar, and saves the snapshot `beginning`. */
export async function openTestDatabase(root: string): Promise<TestDatabase> {
  activateEnglish()
  const postgres = await temporaryPostgres(fillLinnetData)
  const log = createLogger({
    format: 'text',
    minLevel: 'error',
    write: (line) => process.stderr.write(`${line}\n`),
  })
  await migrate({ postgres, dir: join(root, 'supabase'), log })
  const admin = postgres.pool('supabase_admin', 1)
  const pool = postgres.pool('authenticator', 2)
  // The data need not survive a power failure, and a killed process loses nothing without fsync.
  for (const setting of ['fsync', 'full_page_writes']) await admin.query(`alter system set ${setting} = off`)
  await admin.query('select pg_reload_conf()')
  // The server reads the WAL, which is in commit order; here a numbered copy of the broadcasts does the same.
  await admin.query(`
    create schema sync_test;
    create table sync_test.published (n bigserial, topic text, event text, payload jsonb);
    create function sync_test.record() returns trigger language plpgsql security definer as $$
    begin
      insert into sync_test.published (topic, event, payload) values (new.topic, new.event, new.payload);
      return null;
    end $$;
    create trigger record_published after insert on realtime.messages for each row execute function sync_test.record();`)
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
  await admin.query(`select public.register_setup_token('set-up')`)
  const created = await runCommandAs(pool, ann, 'found_workspace', {
    token: 'set-up',
    workspace_name: 'Harbour Street',
    channel_name: 'front desk',
    person_name: 'ann',
  })
  const workspace = created.workspace.id
  const lobby = created.channel_id
  const make = async (kind: 'public' | 'private', name: string) =>
    (await runCommandAs(pool, ann, 'create_channel', { id: randomUUID(), workspace, kind, name })).channel.id
  const side = await make('public', 'side')
  const closed = await make('private', 'closed')

  const invite: TestDatabase['invite'] = (person, role, channels) =>
    outcomeOf(
      (async () => {
        // A new session of Ann's: the others may have ended.
        const { token } = await runCommandAs(pool, await signIn(people.ann), 'create_invitation', {
          workspace,
          role,
          channels,
          email: `${person.name}@harbour.example`,
        })
        await runCommandAs(pool, await signIn(person), 'accept_invitation', {
          token,
          person_name: person.name,
        })
      })(),
    )
  await invite(people.bea, 'member', [lobby, closed])
  await invite(people.cem, 'member', [lobby, closed, side])
  await invite(people.gus, 'guest', [lobby])

  for (const { id, name, people: members } of USER_GROUPS) {
    await admin.query({
      text: `insert into public.user_groups (id, workspace_id, name, created_by)
             select $1, $2, $3, p.id from public.profiles p where p.user_id = $4`,
      values: [id, workspace, name, people.ann.account],
    })
    await admin.query({
      text: `insert into public.user_group_members (group_id, workspace_id, profile_id)
             select $1, $2, p.id from public.profiles p where p.name = any($3)`,
      values: [id, workspace, members],
    })
  }

  const snapshots = await createSnapshots(admin)
  await snapshots.save('beginning')
  let lastRead = 0
  return {
    workspace,
    people,
    channels: { lobby, closed, side },
    signIn,
    invite,
    endSession: async ({ claims }) => {
      await admin.query({
        text: 'delete from auth.sessions where id = $1',
        values: [(claims as { session_id: Uuid }).session_id],
      })
    },
    runCommand: (caller, name, args) => outcomeOf(runCommandAs(pool, caller, name, args)),
    write: (caller, text, values) =>
      outcomeOf(
        runAsCaller(pool, { caller }, [{ name: text, text, values }]).then(([result]) => result!.rows),
      ),
    canSubscribe: async (caller, topic) => {
      const [result] = await runAsCaller(
        pool,
        { caller, settings: { 'realtime.topic': topic }, rollback: true },
        [{ name: 'can_subscribe', text: 'select app.can_subscribe($1) as may', values: [topic] }],
      )
      return (result!.rows[0] as { may: boolean }).may
    },
    setEndsSubscriptions: async (on) => {
      const [from, to] = on ? ['hidden', 'end_subscriptions'] : ['end_subscriptions', 'hidden']
      await admin.query(`do $$ begin
        if to_regprocedure('realtime.${from}(text,uuid[])') is not null then
          alter function realtime.${from}(text, uuid[]) rename to ${to};
        end if;
      end $$`)
    },
    takePublished: async () => {
      const { rows } = await admin.query({
        name: 'published',
        text: 'select n::int, topic, event, payload from sync_test.published where n > $1 order by n',
        values: [lastRead],
      })
      const events = rows as unknown as (PublishedEvent & { n: number })[]
      lastRead = events.at(-1)?.n ?? lastRead
      return events
    },
    addResponse: async (profile, channel, id) => {
      await admin.query({
        text: `insert into public.command_responses (id, invocation_id, profile_id, channel_id, bot_id, command, text, state, body)
          select $3, $3, $1, c.id, $1, 'tide', 'now', 'shown', 'High at eight' from public.channels c where c.id = $2`,
        values: [profile, channel, id],
      })
    },
    eraseOldest: async (channel, messages) => {
      await admin.query({
        text: 'select app.erase_messages($1, clock_timestamp(), $2)',
        values: [channel, messages],
      })
    },
    setReminder: async (profile, id, state) => {
      if (state === 'added') {
        await admin.query({
          text: `insert into public.reminders (id, workspace_id, profile_id, text, due_at, time_zone, repeats, starts_at,
              job_id)
            select $2, w.workspace_id, $1, 'Water the plants', now() + interval '1 day', 'UTC', 'daily',
              localtimestamp + interval '1 day', app.add_job('reminder', $1, '{}', now() + interval '1 day')
            from public.workspace_members w where w.profile_id = $1 limit 1 on conflict do nothing`,
          values: [profile, id],
        })
      } else if (state === 'deleted') {
        const text = 'delete from public.reminders where profile_id = $1 and id = $2'
        await admin.query({ text, values: [profile, id] })
      } else {
        await admin.query({
          text: `update public.jobs set run_at = now() where id = (
            select job_id from public.reminders where profile_id = $1 and id = $2)`,
          values: [profile, id],
        })
        await admin.query('select app.run_reminders()')
      }
    },
    setScheduledMessage: async (profile, channel, id, body) => {
      if (body === null) {
        await admin.query({
          text: `update public.jobs set run_at = now() where id = (
            select job_id from public.scheduled_messages where profile_id = $1 and id = $2)`,
          values: [profile, id],
        })
        await admin.query('select app.send_next_scheduled_message()')
        return
      }
      await admin.query({
        // Some have a file, whose object does not exist: such a message is not sent, and stays with the reason. A tab that
        // is offline can know a channel that no longer exists.
        text: `insert into public.scheduled_messages (id, profile_id, channel_id, body, send_at, files, job_id)
          select $1, $2, c.id, $4, now() + interval '1 day',
            case when right($4, 1) < '4' then jsonb_build_array(jsonb_build_object('id', $1::uuid, 'name', 'a.txt',
              'type', 'text/plain', 'size', 1, 'width', null, 'height', null, 'thumb', false)) else '[]' end,
            app.add_job('scheduled_message', $2, '{}', now() + interval '1 day')
          from public.channels c where c.id = $3
          on conflict (profile_id, id) do update
          set body = excluded.body, files = excluded.files, rev = nextval('app.scheduled_message_revs')`,
        values: [id, profile, channel, body],
      })
    },
    setSavedSearch: async (profile, id, name) => {
      const [text, values] =
        name === null
          ? ['delete from public.saved_searches where profile_id = $1 and id = $2', [profile, id]]
          : [
              `insert into public.saved_searches (profile_id, workspace_id, id, name, query)
               select w.profile_id, w.workspace_id, $2, $3, 'rota' from public.workspace_members w
               where w.profile_id = $1
               on conflict (profile_id, id) do update set name = excluded.name`,
              [profile, id, name],
            ]
      await admin.query({ text, values })
    },
    readTables: () => readTables(admin),
    saveSnapshot: snapshots.save,
    restoreSnapshot: snapshots.restore,
    killPostgres: () => killPostgres(admin, [pool]),
    stop: () => postgres.stop(),
  }
}
