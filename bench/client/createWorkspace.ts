import { createPrivateKey, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import type { Pool } from 'pg'

/** A member of the workspace who is signed in. */
export interface Caller {
  profile: string
  token: string
}

export interface Workspace {
  id: string
  /** Public channels first, then private and direct ones. */
  channels: string[]
  /** The first ones; each is a member of all channels. */
  callers: Caller[]
}

/** Triggers that would broadcast each inserted row to every member, which would take longer than the bench. */
const broadcasts = [
  ['workspace_members', 'workspace_memberships_are_broadcast'],
  ['channel_members', 'channel_memberships_are_broadcast'],
  ['thread_members', 'inserted_thread_states_are_broadcast'],
] as const

/**
 * Creates a workspace: 40 messages a channel, a quarter of the channels with 30 unread ones, a thread in each fourth
 * channel that every caller follows, five sections for each caller, and everybody present. Every caller is a member of
 * every channel, every other person of a tenth of them.
 * @param pool of the database's owner
 */
export async function createWorkspace(
  pool: Pool,
  dataDir: string,
  size: { people: number; channels: number; callers: number },
): Promise<Workspace> {
  const workspace = randomUUID()
  const people = Array.from({ length: size.people }, () => ({
    user: randomUUID(),
    session: randomUUID(),
    profile: randomUUID(),
  }))
  const channels = Array.from({ length: size.channels }, () => randomUUID())
  const callers = people.slice(0, size.callers)
  const callerIds = callers.map((one) => one.profile)
  // A conversation of two people has no further callers.
  const named = size.callers > 1 ? size.channels : Math.ceil(size.channels * 0.85)
  for (const [table, trigger] of broadcasts)
    await pool.query(`alter table public.${table} disable trigger ${trigger}`)
  await pool.query(
    `insert into auth.users (id, aud, role, email, created_at)
     select id, 'authenticated', 'authenticated', id || '@bench.example', now() from unnest($1::uuid[]) id`,
    [people.map((one) => one.user)],
  )
  await pool.query(
    `insert into auth.sessions (id, user_id, created_at) select s, u, now() from unnest($1::uuid[], $2::uuid[]) p (s, u)`,
    [people.map((one) => one.session), people.map((one) => one.user)],
  )
  await pool.query(
    `insert into public.profiles (id, user_id, name, status_text)
     select p, u, (array['Ann', 'Bea', 'Cem', 'Dora', 'Emil', 'Fee', 'Gus', 'Hana'])[1 + n % 8] || ' '
         || (array['Abel', 'Berg', 'Costa', 'Demir', 'Engel', 'Fuchs', 'Garcia', 'Huber', 'Ivanova'])[1 + n % 9] || ' ' || n,
       case when n % 3 = 0 then 'In the lab until four' end
     from unnest($1::uuid[], $2::uuid[]) with ordinality o (p, u, n)`,
    [people.map((one) => one.profile), people.map((one) => one.user)],
  )
  await pool.query(`insert into public.workspaces (id, name) values ($1, 'Bench')`, [workspace])
  await pool.query(
    `insert into public.workspace_members (workspace_id, profile_id, role)
     select $1, p, case when p = $3 then 'owner' else 'member' end from unnest($2::uuid[]) p`,
    // Without an owner, the server would appoint one during the measurement.
    [workspace, people.map((one) => one.profile), people.at(-1)!.profile],
  )
  await pool.query(
    `insert into public.channels (id, workspace_id, kind, name, topic, direct_key, created_by)
     select c, $1, case when n <= $4 * 0.8 then 'public' when n <= $4 then 'private' else 'direct' end,
       case when n <= $4 then 'ward ' || n end, case when n <= $4 then 'Samples and rounds of ward ' || n else '' end,
       case when n > $4 then n::text end, $3
     from unnest($2::uuid[]) with ordinality o (c, n)`,
    [workspace, channels, people[0]!.profile, named],
  )
  await pool.query(
    `insert into public.channel_counters (channel_id, last_seq, rev, meta_rev, last_at)
     select c, 40, 44, 1, now() - n * interval '1 minute' from unnest($1::uuid[]) with ordinality o (c, n)`,
    [channels],
  )
  await pool.query(
    `insert into public.channel_members (channel_id, profile_id)
     select c, p from unnest($1::uuid[]) with ordinality a (c, n)
     cross join unnest($2::uuid[]) with ordinality b (p, i)
     where i <= $3 or i = $5 - n or (n <= $4 and (i + n) % 10 = 0)`,
    [channels, people.map((one) => one.profile), callers.length, named, people.length],
  )
  await pool.query(
    `insert into public.messages (id, channel_id, seq, history_seq, rev, author_id, body, created_at, last_thread_seq,
       reply_count, last_reply_at)
     select gen_random_uuid(), c, s, s, s, $2::uuid, 'The lab van comes at four today, not at five.',
       now() - (n + 40 - s) * interval '1 minute', case when s = 5 then 4 else 0 end, case when s = 5 then 4 else 0 end,
       case when s = 5 then now() - n * interval '1 minute' end
     from unnest($1::uuid[]) with ordinality o (c, n), generate_series(1, 40) s`,
    [channels, people.at(-1)!.profile],
  )
  await pool.query(
    `insert into public.messages (id, channel_id, thread_root, thread_seq, history_seq, rev, author_id, body, created_at)
     select gen_random_uuid(), m.channel_id, m.id, k, m.seq, 40 + k, m.author_id, 'An answer.', m.created_at
     from public.messages m, generate_series(1, 4) k where m.channel_id = any ($1) and m.reply_count = 4`,
    [channels],
  )
  await pool.query(
    `insert into public.message_changes (message_id, channel_id, rev, history_seq)
     select m.id, m.channel_id, m.rev, m.history_seq from public.messages m where m.channel_id = any ($1)`,
    [channels],
  )
  await pool.query(
    `insert into public.channel_member_state (channel_id, profile_id, last_read_seq, read_version)
     select c, p, case when n % 4 = 0 then 10 else 40 end, 3
     from unnest($1::uuid[]) with ordinality o (c, n) cross join unnest($2::uuid[]) p`,
    [channels, callerIds],
  )
  await pool.query(
    `insert into public.thread_members (root_id, profile_id, last_read_thread_seq, read_version)
     select m.id, p, case when n % 16 = 0 then 2 else 4 end, 2
     from unnest($1::uuid[]) with ordinality o (c, n) join public.messages m on m.channel_id = c and m.reply_count = 4
     cross join unnest($2::uuid[]) p where n % 4 = 0`,
    [channels, callerIds],
  )
  await pool.query(
    `insert into public.sections (id, workspace_id, profile_id, name, position)
     select gen_random_uuid(), $1, p, 'Section ' || n, n from unnest($2::uuid[]) p, generate_series(1, 5) n`,
    [workspace, callerIds],
  )
  await pool.query(
    `insert into public.heartbeats (profile_id, state, seen_at)
     select p, 'active', now() + interval '1 hour' from unnest($1::uuid[]) p`,
    [people.map((one) => one.profile)],
  )
  for (const [table, trigger] of broadcasts)
    await pool.query(`alter table public.${table} enable trigger ${trigger}`)
  // One caller starts as often as many would.
  await pool.query(`delete from public.settings where key = 'rate_limits'`)
  await pool.query('vacuum analyze')
  const sign = createSigner(dataDir)
  return {
    id: workspace,
    channels,
    callers: await Promise.all(
      callers.map(async ({ user, session, profile }) => ({ profile, token: await sign(user, session) })),
    ),
  }
}

/** Signs access tokens as the auth service of this data directory does. */
function createSigner(dataDir: string): (user: string, session: string) => Promise<string> {
  const { signingKey } = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as {
    signingKey: { kid: string }
  }
  const key = createPrivateKey({ key: signingKey, format: 'jwk' })
  return (user, session) => {
    const claims = {
      sub: user,
      session_id: session,
      role: 'authenticated',
      aud: 'authenticated',
      aal: 'aal1',
      exp: Math.floor(Date.now() / 1000) + 3_600,
    }
    return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: signingKey.kid, typ: 'JWT' }).sign(key)
  }
}
