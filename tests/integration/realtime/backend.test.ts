import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { startBackend, type Backend } from '../../support/backend.ts'
import { adminOf, clientOf } from '../../support/people.ts'
import { ended, received, joined } from './channelEvents.ts'

let realtime: Backend
let admin: SupabaseClient
const folder = mkdtempSync(join(tmpdir(), 'linnet-hall-'))

beforeAll(async () => {
  mkdirSync(join(folder, 'migrations'))
  writeFileSync(
    join(folder, 'migrations', '20260101000000_hall.sql'),
    `create function public.session_lives() returns boolean language sql stable security definer set search_path = ''
       as $$ select exists (select from auth.sessions s join auth.users u on u.id = s.user_id
         where s.id = (auth.jwt() ->> 'session_id')::uuid and (u.banned_until is null or u.banned_until <= now())) $$;
     create policy "all with an account hear" on realtime.messages for select to authenticated
       using (extension = 'broadcast' and ((select realtime.topic()) = 'lobby'
         or (select realtime.topic()) = 'hall' and (select public.session_lives())));
     create policy "and speak" on realtime.messages for insert to authenticated
       with check (extension = 'broadcast' and (select realtime.topic()) = 'hall');
     create table public.notices (id bigint generated always as identity primary key, body text);
     alter table public.notices enable row level security;
     create policy "all with an account read" on public.notices for select to authenticated using (true);
     grant select on public.notices to authenticated;
     grant select, insert on public.notices to service_role;
     alter publication supabase_realtime add table public.notices;`,
  )
  writeFileSync(join(folder, 'config.toml'), '[realtime]\nmax_channels_per_client = 2\n')
  realtime = await startBackend({ supabase: folder })
  admin = adminOf(realtime)
})
afterAll(async () => {
  await realtime.stop()
  rmSync(folder, { recursive: true, force: true })
})

const privately = { config: { private: true } }

/** Somebody signed in, whose client's socket knows the token. */
async function signedIn(): Promise<{ client: SupabaseClient; id: string; token: string }> {
  const client = clientOf(realtime)
  const email = `${crypto.randomUUID()}@hall.example`
  const password = crypto.randomUUID()
  const created = await admin.auth.admin.createUser({ email, password, email_confirm: true })
  if (created.error) throw created.error
  const { data, error } = await client.auth.signInWithPassword({ email, password })
  if (error) throw error
  await client.realtime.setAuth()
  return { client, id: data.user.id, token: data.session.access_token }
}

/** A client that always uses this token. */
async function clientWith(token: string): Promise<SupabaseClient> {
  const client = createClient(realtime.url, realtime.publishableKey, {
    accessToken: async () => token,
    realtime: { transport: WebSocket as never },
  })
  await client.realtime.setAuth()
  return client
}

describe('a topic is closed with the end of its session as the reason, by', () => {
  it.each([
    ['sign-out', ({ client }: { client: SupabaseClient }) => client.auth.signOut()],
    ['sign-out by an administrator', ({ token }: { token: string }) => admin.auth.admin.signOut(token)],
    ['the account', ({ id }: { id: string }) => admin.auth.admin.deleteUser(id)],
    ['a ban', ({ id }: { id: string }) => admin.auth.admin.updateUserById(id, { ban_duration: '1h' })],
  ])('%s', async (_, end) => {
    const person = await signedIn()
    // A client that signs out leaves its topics by itself: another of the same session stays.
    const other = await clientWith(person.token)
    const channel = other.channel('hall', privately)
    const over = ended(channel)
    await joined(channel)
    const { error } = await end(person as never)
    expect(error).toBeNull()
    expect(await over).toBe('The session of this token has ended')
    await expect(joined(other.channel('hall', privately))).rejects.toThrow(
      'Unauthorized: The session of this token has ended',
    )
    other.realtime.disconnect()
    person.client.realtime.disconnect()
  })
})

it('a token is served until it expires, as by the data API, where no policy requires its session', async () => {
  const { client, token } = await signedIn()
  const other = await clientWith(token)
  const lobby = other.channel('lobby', privately)
  await joined(lobby)
  expect((await client.auth.signOut()).error).toBeNull()
  const read = await fetch(`${realtime.url}/rest/v1/notices`, {
    headers: { apikey: realtime.publishableKey, authorization: `Bearer ${token}` },
  })
  expect([read.status, await read.json()]).toEqual([200, []])

  const late = await clientWith(token)
  const changes = late.channel('changes', { config: { postgres_changes_options: { wait: true } } } as never)
  const change = new Promise((resolve) =>
    changes.on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'notices' }, resolve),
  )
  await joined(changes)
  const lateLobby = late.channel('lobby', privately)
  await joined(lateLobby)
  const receivedInTime = [received(lobby, 'open'), received(lateLobby, 'open')]
  await admin.from('notices').insert({ body: 'open' })
  expect(await change).toMatchObject({ new: { body: 'open' } })
  expect(await admin.channel('lobby', privately).httpSend('open', {})).toEqual({ success: true })
  await Promise.all(receivedInTime)
  other.realtime.disconnect()
  late.realtime.disconnect()
})

describe('by HTTP', () => {
  const path = '/realtime/v1/api/broadcast/hall/events/greeting?private=true'
  const post = (headers: Record<string, string>): Promise<Response> =>
    fetch(realtime.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{}',
    })

  it('each kind of key and token has its own role', async () => {
    const { client, token } = await signedIn()
    const channel = client.channel('hall', privately)
    const events: string[] = []
    channel.on('broadcast', { event: '*' }, ({ event }) => events.push(event))
    await joined(channel)
    const { publishableKey, secretKey } = realtime
    expect((await post({})).status).toBe(401)
    expect((await post({ apikey: 'sb_publishable_forged' })).status).toBe(401)
    expect((await post({ apikey: publishableKey })).status).toBe(403)
    expect((await post({ apikey: publishableKey, authorization: `Bearer ${publishableKey}` })).status).toBe(
      403,
    )
    expect((await post({ apikey: publishableKey, authorization: `Bearer ${token}` })).status).toBe(202)
    expect((await post({ apikey: secretKey })).status).toBe(202)
    const last = received(channel, 'last')
    expect(await client.channel('hall', privately).httpSend('last', {})).toEqual({ success: true })
    await last
    expect(events).toEqual(['greeting', 'greeting', 'last'])
    client.realtime.disconnect()
  })

  it('pages of any origin may send requests, since no cookie identifies a caller', async () => {
    const preflight = await fetch(realtime.url + path, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://any.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'apikey, authorization, content-type',
      },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
    expect(preflight.headers.get('access-control-allow-headers')).toBe('apikey, authorization, content-type')
    const response = await post({ apikey: realtime.publishableKey, origin: 'https://any.example' })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })
})

it('a limit of config.toml applies', async () => {
  const client = clientOf(realtime)
  await joined(client.channel('a'))
  await joined(client.channel('b'))
  await expect(joined(client.channel('c'))).rejects.toThrow('ChannelRateLimitReached: Too many channels')
  client.realtime.disconnect()
})
