import { createPrivateKey, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import type { Pool } from 'pg'
import type { Claims } from '../../wire/claims.ts'

/** A signed-in member of the channel. */
export interface Member {
  token: string
  claims: Claims
}

/** A public channel of Linnet and its members. */
export interface Channel {
  channel: string
  /** Its topic on the wire. */
  topic: string
  members: Member[]
}

/**
 * Creates a channel with `count` members, each with a session and a token as auth signs them (ES256).
 * @param pool of the database's owner
 */
export async function createChannel(pool: Pool, dataDir: string, count: number): Promise<Channel> {
  const { signingKey } = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as {
    signingKey: { kid: string }
  }
  const key = createPrivateKey({ key: signingKey, format: 'jwk' })
  const [workspace, channel] = [randomUUID(), randomUUID()]
  const people = Array.from({ length: count }, () => ({ user: randomUUID(), session: randomUUID() }))
  const columns = [people.map(({ user }) => user), people.map(({ session }) => session)]
  await pool.query(
    `insert into auth.users (id, aud, role, email, created_at)
     select id, 'authenticated', 'authenticated', id || '@bench.example', now() from unnest($1::uuid[]) id`,
    [columns[0]],
  )
  await pool.query(
    `insert into auth.sessions (id, user_id, created_at) select s, u, now() from unnest($1::uuid[], $2::uuid[]) p (u, s)`,
    columns,
  )
  await pool.query(
    `insert into public.profiles (user_id, name) select id, 'Person ' || left(id::text, 8) from unnest($1::uuid[]) id`,
    [columns[0]],
  )
  await pool.query('insert into public.workspaces (id, name) values ($1, $2)', [workspace, 'Bench'])
  // Each new member is published to all others, which would take longer than the bench itself.
  await pool.query('alter table public.workspace_members disable trigger workspace_memberships_are_broadcast')
  await pool.query(
    `insert into public.workspace_members (workspace_id, profile_id, role)
     select $1, id, 'member' from public.profiles where user_id = any ($2::uuid[])`,
    [workspace, columns[0]],
  )
  await pool.query('alter table public.workspace_members enable trigger workspace_memberships_are_broadcast')
  await pool.query(
    `insert into public.channels (id, workspace_id, kind, name) values ($1, $2, 'public', 'Room')`,
    [channel, workspace],
  )
  await pool.query(
    'insert into public.channel_counters (channel_id) values ($1) on conflict (channel_id) do nothing',
    [channel],
  )
  await pool.query('alter table public.channel_members disable trigger channel_memberships_are_broadcast')
  await pool.query(
    `insert into public.channel_members (channel_id, profile_id)
     select $1, id from public.profiles where user_id = any ($2::uuid[])`,
    [channel, columns[0]],
  )
  await pool.query('alter table public.channel_members enable trigger channel_memberships_are_broadcast')
  await pool.query('analyze')
  const { rows } = await pool.query<{ epoch: string }>(
    'select epoch::text from public.channel_counters where channel_id = $1',
    [channel],
  )
  const members = await Promise.all(
    people.map(async ({ user, session }) => {
      const claims: Claims = {
        sub: user,
        session_id: session,
        role: 'authenticated',
        aud: 'authenticated',
        aal: 'aal1',
        email: `${user}@bench.example`,
        exp: Math.floor(Date.now() / 1000) + 3_600,
      }
      const header = { alg: 'ES256', kid: signingKey.kid, typ: 'JWT' }
      return { claims, token: await new SignJWT(claims).setProtectedHeader(header).sign(key) }
    }),
  )
  return { channel, topic: `realtime:channel:${channel}:${rows[0]!.epoch}`, members }
}
