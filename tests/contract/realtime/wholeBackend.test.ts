import type { SupabaseClient } from '@supabase/supabase-js'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBackend, type Backend } from '../../support/backend.ts'
import { adminOf, clientOf } from '../../support/people.ts'
import { ended, heard, joined } from './listening.ts'

let home: Backend
let admin: SupabaseClient
const folder = mkdtempSync(join(tmpdir(), 'linnet-hall-'))

beforeAll(async () => {
  mkdirSync(join(folder, 'migrations'))
  writeFileSync(
    join(folder, 'migrations', '20260101000000_hall.sql'),
    `create policy "all with an account hear" on realtime.messages for select to authenticated
       using (extension = 'broadcast' and (select realtime.topic()) = 'hall');
     create policy "and speak" on realtime.messages for insert to authenticated
       with check (extension = 'broadcast' and (select realtime.topic()) = 'hall');`,
  )
  writeFileSync(join(folder, 'config.toml'), '[realtime]\nmax_channels_per_client = 2\n')
  home = await startBackend({ supabase: folder })
  admin = adminOf(home)
})
afterAll(async () => {
  await home.stop()
  rmSync(folder, { recursive: true, force: true })
})

const privately = { config: { private: true } }

/** Somebody signed in, whose client's socket knows the token. */
async function signedIn(): Promise<{ client: SupabaseClient; id: string; token: string }> {
  const client = clientOf(home)
  const email = `${crypto.randomUUID()}@hall.example`
  const password = crypto.randomUUID()
  const created = await admin.auth.admin.createUser({ email, password, email_confirm: true })
  if (created.error) throw created.error
  const { data, error } = await client.auth.signInWithPassword({ email, password })
  if (error) throw error
  await client.realtime.setAuth()
  return { client, id: data.user.id, token: data.session.access_token }
}

describe('a topic ends, and says that the session has, with', () => {
  it.each([
    ['sign-out', ({ client }: { client: SupabaseClient }) => client.auth.signOut()],
    ['sign-out by an administrator', ({ token }: { token: string }) => admin.auth.admin.signOut(token)],
    ['the account', ({ id }: { id: string }) => admin.auth.admin.deleteUser(id)],
    ['a ban', ({ id }: { id: string }) => admin.auth.admin.updateUserById(id, { ban_duration: '1h' })],
  ])('%s', async (_, end) => {
    const person = await signedIn()
    // A client that signs out leaves its topics by itself: another of the same session stays.
    const other = clientOf(home)
    await other.realtime.setAuth(person.token)
    const channel = other.channel('hall', privately)
    const over = ended(channel)
    await joined(channel)
    const { error } = await end(person as never)
    expect(error).toBeNull()
    expect(await over).toBe('The session of this token has ended')
    other.realtime.disconnect()
    person.client.realtime.disconnect()
  })
})

describe('by HTTP', () => {
  const path = '/realtime/v1/api/broadcast/hall/events/said?private=true'
  const post = (headers: Record<string, string>): Promise<Response> =>
    fetch(home.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{}',
    })

  it('each kind of key and token counts as what it is', async () => {
    const { client, token } = await signedIn()
    const channel = client.channel('hall', privately)
    const events: string[] = []
    channel.on('broadcast', { event: '*' }, ({ event }) => events.push(event))
    await joined(channel)
    const { publishableKey, secretKey } = home
    expect((await post({})).status).toBe(401)
    expect((await post({ apikey: 'sb_publishable_forged' })).status).toBe(401)
    expect((await post({ apikey: publishableKey })).status).toBe(403)
    expect((await post({ apikey: publishableKey, authorization: `Bearer ${publishableKey}` })).status).toBe(
      403,
    )
    expect((await post({ apikey: publishableKey, authorization: `Bearer ${token}` })).status).toBe(202)
    expect((await post({ apikey: secretKey })).status).toBe(202)
    const last = heard(channel, 'last')
    expect(await client.channel('hall', privately).httpSend('last', {})).toEqual({ success: true })
    await last
    expect(events).toEqual(['said', 'said', 'last'])
    client.realtime.disconnect()
  })

  it("pages of any site may ask, since nobody is known by a browser's cookie", async () => {
    const preflight = await fetch(home.url + path, {
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
    const answer = await post({ apikey: home.publishableKey, origin: 'https://any.example' })
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  })
})

it('a limit of config.toml counts', async () => {
  const client = clientOf(home)
  await joined(client.channel('a'))
  await joined(client.channel('b'))
  await expect(joined(client.channel('c'))).rejects.toThrow('ChannelRateLimitReached: Too many channels')
  client.realtime.disconnect()
})
