import { randomBytes, randomUUID } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import type { Client, Pool } from 'pg'
import type { Server } from '../../tests/support/server.ts'
import { createChannel } from '../realtime/createChannel.ts'
import type { Target } from './attacks.ts'
import type { MembersTask } from './members.ts'

const memberCount = 60
const refresherCount = 20
const messageCount = 600
const uploadBytes = 50_000_000

export interface PreparedAttack {
  target: Target
  members: Omit<MembersTask, 'ms'>
}

/**
 * Where attackers connect: by an address that is not this machine's loopback, which servers trust, and by IPv6 as a
 * second one. Where the machine has none, the limits for each address remain untested.
 */
export function attackOrigins(port: number | string): string[] {
  const addresses = Object.values(networkInterfaces())
    .flat()
    .filter((one) => one !== undefined && !one.internal && (one.scopeid ?? 0) === 0)
  const pick = (family: string): string | undefined =>
    addresses.find((one) => one!.family === family)?.address
  const [ipv4, ipv6] = [pick('IPv4'), pick('IPv6')]
  const origins = [ipv4 && `http://${ipv4}:${port}`, ipv6 && `http://[${ipv6}]:${port}`].filter(
    (origin) => !!origin,
  )
  return origins.length > 0 ? (origins as string[]) : [`http://127.0.0.1:${port}`]
}

/** A channel with members who work there and a guest who attacks, with messages and a large file. */
export async function prepareTarget(pool: Pool, server: Server, dataDir: string): Promise<PreparedAttack> {
  const room = await createChannel(pool, dataDir, memberCount + refresherCount + 1)
  const [guest, ...people] = room.members
  const workspace = await pool.query<{ id: string }>(
    'select workspace_id as id from public.channels where id = $1',
    [room.channel],
  )
  await pool.query('alter table public.workspace_members disable trigger user')
  await pool.query(
    `update public.workspace_members set role = 'guest'
     where profile_id = (select id from public.profiles where user_id = $1)`,
    [guest!.claims.sub],
  )
  await pool.query('alter table public.workspace_members enable trigger user')
  const url = `http://127.0.0.1:${new URL(server.url).port}`
  const call = async (path: string, body: object | Buffer, token: string): Promise<unknown> => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: {
        apikey: server.publishableKey,
        authorization: `Bearer ${token}`,
        'content-type': Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json',
      },
      body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${text}`)
    return text === '' ? null : JSON.parse(text)
  }
  const send = async (token: string, body: string): Promise<string> => {
    const id = randomUUID()
    await call('/rest/v1/rpc/send_message', { id, channel: room.channel, body }, token)
    return id
  }
  const authors = people.slice(0, memberCount)
  for (let n = 0; n < messageCount; n++) {
    await send(authors[n % authors.length]!.token, 'What people write to each other. '.repeat(9))
  }
  const message = await send(guest!.token, 'word '.repeat(4_000).slice(0, 20_000))
  const thread = await send(authors[0]!.token, 'Who can come on Friday?')
  await pool.query(
    `insert into public.thread_members (root_id, profile_id)
     select m.id, p.profile_id from public.messages m join public.channel_members p using (channel_id)
     where m.id = $1 on conflict do nothing`,
    [thread],
  )
  const upload = `${room.channel}/${randomUUID()}/file`
  await call(`/storage/v1/object/files/${upload}`, Buffer.alloc(uploadBytes, 1), guest!.token)
  const refreshTokens = people.slice(memberCount).map(({ claims }) => ({
    person: claims.sub!,
    session: claims.session_id as string,
    token: randomBytes(6).toString('hex'),
  }))
  await pool.query(
    `insert into auth.refresh_tokens
       (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
     select '00000000-0000-0000-0000-000000000000', token, person, false, now(), now(), '', session
     from unnest($1::text[], $2::text[], $3::uuid[]) as t (token, person, session)`,
    [
      refreshTokens.map(({ token }) => token),
      refreshTokens.map(({ person }) => person),
      refreshTokens.map(({ session }) => session),
    ],
  )
  const { publishableKey } = server
  return {
    target: {
      origins: attackOrigins(new URL(server.url).port),
      publishableKey,
      guestToken: guest!.token,
      channel: room.channel,
      topic: room.topic,
      message,
      thread,
      upload,
    },
    members: {
      url,
      publishableKey,
      channel: room.channel,
      workspace: workspace.rows[0]!.id,
      topic: room.topic,
      tokens: authors.map(({ token }) => token),
      refreshTokens: refreshTokens.map(({ token }) => token),
    },
  }
}

/** Runs `work` while the hook that auth calls for new accounts takes 2 s. */
export async function withSlowHook<T>(db: Client | Pool, work: () => Promise<T>): Promise<T> {
  const { rows } = await db.query<{ definition: string }>(
    `select pg_get_functiondef('public.before_user_created'::regproc) as definition`,
  )
  await db.query(
    `create or replace function public.before_user_created(event jsonb) returns jsonb
     language plpgsql stable security definer set search_path = '' as $$
     begin
       perform pg_catalog.pg_sleep(2);
       return jsonb_build_object('error', jsonb_build_object('http_code', 403, 'message', 'Refused'));
     end $$`,
  )
  try {
    return await work()
  } finally {
    await db.query(rows[0]!.definition)
  }
}
