import type { SupabaseClient } from '@supabase/supabase-js'
import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BotToken } from '../../../wire/bots.ts'
import { channelTopic } from '../../../wire/events.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { startBackend, type Backend } from '../../support/backend.ts'
import { call, clientOf, foundWorkspace } from '../../support/people.ts'
import { rawSocket, type RawSocket } from '../realtime/rawSocket.ts'

/** A bot's program with the official client: sign-in, data, sockets and files, and the end of all of them. */
let backend: Backend
let ann: SupabaseClient
let workspace: Uuid
let channel: Uuid
const open: RawSocket[] = []

beforeAll(async () => {
  backend = await startBackend()
  const founded = await foundWorkspace(backend)
  ann = founded.ann
  workspace = founded.workspace
  channel = founded.channel
})
afterAll(async () => {
  for (const { socket } of open) socket.terminate()
  await backend?.stop()
})

async function createToken(): Promise<BotToken> {
  const bot = randomUUID()
  await call(ann, 'create_bot', { id: bot, workspace, name: 'Harbour bell', channels: [channel] })
  return call(ann, 'create_bot_token', { bot, days: 30 })
}

async function signIn({ email, token }: BotToken): Promise<{ client: SupabaseClient; accessToken: string }> {
  const client = clientOf(backend)
  const { data, error } = await client.auth.signInWithPassword({ email, password: token })
  if (error) throw error
  return { client, accessToken: data.session.access_token }
}

async function epoch(): Promise<number> {
  const { data } = await ann.from('channel_counters').select('epoch').eq('channel_id', channel).single()
  return Number(data!['epoch'])
}

/** Joins the channel's topic; `closed` is the message with which the server closes it. */
async function join(accessToken: string): Promise<{ socket: RawSocket; closed: Promise<unknown> }> {
  const { url, publishableKey } = backend
  const socket = await rawSocket({ url, anonKey: publishableKey })
  open.push(socket)
  const { status } = await socket.join(`realtime:${channelTopic(channel, await epoch())}`, {
    config: { private: true },
    access_token: accessToken,
  })
  expect(status).toBe('ok')
  return { socket, closed: socket.find((frame) => !frame.broadcast && frame.event === 'phx_close') }
}

const send = (client: SupabaseClient) =>
  client.rpc('send_message', { id: randomUUID(), channel, body: 'Eight o’clock' })

it('signs in with its token, sends, receives and attaches files with the official client', async () => {
  const { client, accessToken } = await signIn(await createToken())
  const { socket } = await join(accessToken)
  const upload = randomUUID()
  const stored = await client.storage
    .from('files')
    .upload(`${channel}/${upload}/file`, new Blob(['Tide table'], { type: 'text/plain' }))
  expect(stored.error).toBeNull()
  const attachments = [{ id: upload, name: 'tides.txt', width: null, height: null, thumb: false }]
  const id = randomUUID()
  const event = socket.find((frame) => frame.broadcast?.body.toString().includes(id) === true)
  await call(client, 'send_message', { id, channel, body: 'Tides', attachments })
  await event
  const { data } = await client.from('messages').select('id, attachments(name)').eq('id', id)
  expect(data).toEqual([{ id, attachments: [{ name: 'tides.txt' }] }])
})

it.each([
  ['its token is ended', (bot: Uuid) => call(ann, 'end_bot_token', { bot })],
  ['its token is replaced', (bot: Uuid) => call(ann, 'create_bot_token', { bot, days: 1 })],
  ['it is ended', (bot: Uuid) => call(ann, 'end_bot', { bot })],
  [
    'its token expires',
    async (bot: Uuid) => {
      const sql = new Client(backend.dbUrl)
      await sql.connect()
      await sql.query(
        `update public.bots set token_expires_at = now() + interval '2 s' where profile_id = $1`,
        [bot],
      )
      await sql.query(
        `update auth.sessions set not_after = null
         where user_id = (select user_id from public.profiles where id = $1)`,
        [bot],
      )
      await sql.end()
    },
  ],
])('when %s, its sockets close, and neither its sessions nor its token work', async (_, end) => {
  const made = await createToken()
  const { client, accessToken } = await signIn(made)
  const { closed } = await join(accessToken)
  await end(made.bot.id)
  await closed
  const { error, status } = await send(client)
  expect([status, error?.message]).toEqual([401, 'session_ended'])
  const again = clientOf(backend)
  const signedIn = await again.auth.signInWithPassword({ email: made.email, password: made.token })
  // After its expiry the auth service may still create a session, which has ended already.
  const refusal = signedIn.error?.code ?? (await send(again)).error?.message
  expect(['invalid_credentials', 'session_ended']).toContain(refusal)
  const refreshed = await client.auth.refreshSession()
  expect(refreshed.error).not.toBeNull()
})
