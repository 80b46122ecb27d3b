import type { SupabaseClient } from '@supabase/supabase-js'
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client } from 'pg'
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { CommandResponse } from '../../../wire/botCommands.ts'
import type { LinkPreview } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { bring, call, foundWorkspace } from '../../support/people.ts'
import { startBackendForLoopback } from '../../support/startBackendForLoopback.ts'

/**
 * Deliveries to a real HTTP server, through the queue of jobs, pg_net and the functions. The server verifies signatures by
 * itself. It is on loopback, which an installation permits in two places: `[pg_net] allowed`, and the setting
 * `outgoing_webhook_urls`.
 */
interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
}
const received: Received[] = []
let respond: (request: Received, response: ServerResponse) => void = (_, response) => response.end()
let receiver: Server
let url: string
let backend: Awaited<ReturnType<typeof startBackendForLoopback>>
let db: Client
let ann: SupabaseClient
let bea: SupabaseClient
let channel: Uuid
let bot: Uuid
let webhookSecret: string
let commandSecret: string

beforeAll(async () => {
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const one = { path: request.url!, headers: request.headers, body: Buffer.concat(chunks).toString() }
      received.push(one)
      respond(one, response)
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  backend = await startBackendForLoopback()
  db = new Client(backend.dbUrl)
  await db.connect()
  const founded = await foundWorkspace(backend)
  ;({ ann, channel } = founded)
  bea = await bring(backend, ann, { workspace: founded.workspace, channels: [channel], name: 'bea' })
  bot = randomUUID()
  await call(ann, 'create_bot', { id: bot, workspace: founded.workspace, name: 'Tides', channels: [channel] })
  await call(ann, 'create_bot_token', { bot, days: 1 })
})
beforeEach(() => {
  received.length = 0
  respond = (_, response) => response.end()
})
afterAll(async () => {
  await db?.end()
  await backend?.stop()
  receiver?.closeAllConnections()
  receiver?.close()
})

const until = (check: () => void | Promise<void>) => vi.waitFor(check, { interval: 50 })
const texts = async (): Promise<string[]> => {
  const { messages } = await call(bea, 'channel_page', { channel })
  return messages.filter(({ kind }) => kind === 'text').map(({ body }) => body)
}
const responses = async (client = bea): Promise<CommandResponse[]> => {
  const { own } = await call(client, 'bootstrap', {})
  return (own.responses ?? []).toSorted((a, b) => a.rev - b.rev)
}
const enter = async (text: string, name = 'tide'): Promise<Uuid> =>
  (await call(bea, 'invoke_command', { id: randomUUID(), channel, name, text })).id
const isEqual = (a: string, b: string) =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

/** As https://www.standardwebhooks.com specifies. */
function isStandardSignature({ headers, body }: Received, secret: string): boolean {
  const time = Number(headers['webhook-timestamp'])
  if (!(Math.abs(Date.now() / 1000 - time) < 300)) return false
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const expected = createHmac('sha256', key)
    .update(`${String(headers['webhook-id'])}.${time}.${body}`)
    .digest('base64')
  return String(headers['webhook-signature'])
    .split(' ')
    .some((one) => isEqual(one, `v1,${expected}`))
}

/** As https://api.slack.com/authentication/verifying-requests-from-slack specifies. */
function isSlackSignature({ headers, body }: Received, secret: string): boolean {
  const time = Number(headers['x-slack-request-timestamp'])
  if (!(Math.abs(Date.now() / 1000 - time) < 300)) return false
  const expected = createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex')
  return isEqual(String(headers['x-slack-signature']), `v0=${expected}`)
}

it('refuses the address of this machine until both the setting and config.toml permit it', async () => {
  const created = await ann.rpc('create_outgoing_webhook', { bot, channel, url: `${url}/in` })
  expect(created.error?.message).toBe('bad_webhook')
  await backend.allowEntering()
  webhookSecret = (await call(ann, 'create_outgoing_webhook', { bot, channel, url: `${url}/in` })).secret
  const made = await call(ann, 'create_bot_command', {
    bot,
    name: 'tide',
    description: 'Tides',
    url: `${url}/tide`,
  })
  commandSecret = made.secret!
  // Permitted by the setting, but its host is neither public nor in config.toml.
  const refused = 'http://127.0.0.1:1@127.0.0.2:1/'
  const other = await call(ann, 'create_bot_command', {
    bot,
    name: 'lost',
    description: 'Lost',
    url: refused,
  })
  const id = await enter('', 'lost')
  await until(async () =>
    expect(await responses()).toMatchObject([{ id, state: 'failed', problem: 'unreachable' }]),
  )
  const { commands } = await call(ann, 'list_bot_commands', { bot })
  const deliveries = commands.find((one) => one.id === other.command.id)!.deliveries
  expect(deliveries[0]!.error).toContain('not a public address')
  await call(bea, 'dismiss_response', { response: id })
  expect(await responses()).toEqual([])
})

it('delivers a message signed, again after a status of 500 with the same id, and shows its owner what failed for good', async () => {
  let status = 500
  respond = (_, response) => response.writeHead(status).end()
  await call(bea, 'send_message', { id: randomUUID(), channel, body: 'Low water' })
  const attempts = (count: number) => until(() => expect(received).toHaveLength(count))
  /** What the job of pg_cron does each minute, as if the next attempt were due. */
  const retry = async () => {
    await until(async () => {
      await db.query('select app.run_webhook_deliveries()')
      const { rows } = await db.query(`select from public.jobs where kind = 'webhook' and request_id is null`)
      expect(rows).toHaveLength(1)
    })
    await db.query(`update public.jobs set run_at = now() where kind = 'webhook' and failed_at is null`)
    await db.query('select app.run_webhook_deliveries()')
  }
  await attempts(1)
  await retry()
  await attempts(2)
  for (const one of received) {
    expect([one.path, isStandardSignature(one, webhookSecret)]).toEqual(['/in', true])
    expect(isStandardSignature({ ...one, body: `${one.body} ` }, webhookSecret)).toBe(false)
    expect(JSON.parse(one.body)).toMatchObject({
      type: 'message.created',
      data: { message: { body: 'Low water' } },
    })
  }
  expect(received[1]!.headers['webhook-id']).toBe(received[0]!.headers['webhook-id'])
  const listed = async () => (await call(ann, 'list_webhooks', { bot })).outgoing[0]!
  expect((await listed()).deliveries).toMatchObject([
    { attempts: 2, error: 'The server responded with status 500.', failed_at: null },
  ])
  for (let attempt = 3; attempt <= 7; attempt++) {
    await retry()
    await attempts(attempt)
  }
  await until(async () => {
    await db.query('select app.run_webhook_deliveries()')
    expect((await listed()).deliveries).toMatchObject([
      { attempts: 7, failed_at: expect.any(String) as string },
    ])
  })
  expect(await listed()).toMatchObject({
    problem: 'The server responded with status 500.',
    delivered_at: null,
  })
  status = 204
  await call(bea, 'send_message', { id: randomUUID(), channel, body: 'High water' })
  await until(async () => {
    await db.query('select app.run_webhook_deliveries()')
    expect((await listed()).delivered_at).not.toBeNull()
  })
})

it('runs a command: signed as Slack signs, with an immediate response that the caller alone sees', async () => {
  respond = (_, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ text: '*High* at <https://tides.example|08:12>' }))
  const id = await enter('Cuxhaven')
  await until(async () =>
    expect(await responses()).toMatchObject([
      { id, state: 'shown', body: '**High** at [08:12](<https://tides.example/>)', text: 'Cuxhaven' },
    ]),
  )
  expect(await responses(ann)).toEqual([])
  const [request] = received
  expect([isStandardSignature(request!, commandSecret), isSlackSignature(request!, commandSecret)]).toEqual([
    true,
    true,
  ])
  expect(request!.headers['content-type']).toBe('application/x-www-form-urlencoded')
  const fields = Object.fromEntries(new URLSearchParams(request!.body))
  expect(fields).toMatchObject({
    command: '/tide',
    text: 'Cuxhaven',
    channel_name: 'front-desk',
    user_name: 'bea',
  })
  await call(bea, 'dismiss_response', { response: id })
})

it('posts a response in the channel, and later ones that the server sends to response_url', async () => {
  respond = (_, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ response_type: 'in_channel', text: 'For everyone, <!here>' }))
  await enter('now')
  await until(async () => expect(await texts()).toContain('For everyone, @here'))
  expect(await responses()).toEqual([])
  const address = new URLSearchParams(received[0]!.body).get('response_url')!
  const post = async (payload: unknown, to = address): Promise<[number, string]> => {
    const response = await fetch(to, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof payload === 'string' ? payload : JSON.stringify(payload),
    })
    return [response.status, await response.text()]
  }
  expect(await post({ text: 'Working…' })).toEqual([200, 'ok'])
  expect(await post({ text: '_Done_', replace_original: true })).toEqual([200, 'ok'])
  expect((await responses()).map(({ body }) => body)).toEqual(['*Done*'])
  expect(await post({ delete_original: true })).toEqual([200, 'ok'])
  expect(await responses()).toEqual([])
  expect(await post({ response_type: 'in_channel', text: 'Later' })).toEqual([200, 'ok'])
  expect(await texts()).toContain('Later')
  expect(await post('no JSON')).toEqual([400, 'invalid_payload'])
  expect(await post({ text: '' })).toEqual([400, 'no_text'])
  expect(await post({ text: 'Five' })).toEqual([200, 'ok'])
  expect(await post({ text: 'Six' })).toEqual([429, 'too_many_responses'])
  expect(await post({ text: 'Hi' }, address.replace(/[^/]+$/, 'x'.repeat(40)))).toEqual([404, 'expired_url'])
  expect((await fetch(address)).status).toBe(405)
  const task = { method: 'POST', headers: { 'x-linnet-task': 'guess' }, body: '{}' }
  expect((await fetch(`${backend.url}/functions/v1/command-response`, task)).status).toBe(403)
  for (const { id } of await responses()) await call(bea, 'dismiss_response', { response: id })
})

it.each([
  ['a plain text', 'text/plain', 'Good *morning*', { state: 'shown', body: 'Good **morning**' }],
  [
    'a payload that cannot be shown',
    'application/json',
    '{"blocks": 7}',
    { state: 'failed', problem: 'bad_response' },
  ],
])('shows %s', async (_, type, body, row) => {
  respond = (_request, response) => response.writeHead(200, { 'content-type': type }).end(body)
  const id = await enter('now')
  await until(async () => expect(await responses()).toMatchObject([{ id, ...row }]))
  await call(bea, 'dismiss_response', { response: id })
})

it('shows the caller that a server failed or did not respond in 3 seconds, and its owner which', async () => {
  respond = (_, response) => response.writeHead(500).end('broken')
  const failed = await enter('broken')
  await until(async () =>
    expect(await responses()).toMatchObject([{ id: failed, state: 'failed', problem: 'error' }]),
  )
  respond = () => {}
  const late = await enter('slow')
  expect(await responses()).toMatchObject([{ id: failed }, { id: late, state: 'pending' }])
  await until(async () =>
    expect((await responses()).at(-1)).toMatchObject({ id: late, state: 'failed', problem: 'timeout' }),
  )
  expect(received).toHaveLength(2)
  const { commands } = await call(ann, 'list_bot_commands', { bot })
  const { deliveries } = commands.find(({ name }) => name === 'tide')!
  expect(deliveries.map(({ error }) => error).slice(0, 2)).toEqual([
    'The server did not respond in time.',
    'The server responded with status 500.',
  ])
  expect(JSON.stringify(commands)).not.toContain('slow')
})

it('shows the preview of a link to everyone who reads it, with a picture that only storage delivers', async () => {
  const { data: me } = await ann.from('workspaces').select('id').single()
  await call(ann, 'set_workspace_options', { workspace: me!['id'] as Uuid, link_previews: true })
  const picture = await sharp({ create: { width: 1200, height: 600, channels: 3, background: '#06c' } })
    .png()
    .toBuffer()
  respond = ({ path }, response) =>
    path === '/tides.png'
      ? response.writeHead(200, { 'content-type': 'image/png' }).end(picture)
      : response
          .writeHead(200, { 'content-type': 'text/html' })
          .end('<title>Tides today</title><meta property="og:image" content="/tides.png">')
  const message = randomUUID()
  await call(ann, 'send_message', { id: message, channel, body: `Look: ${url}/today` })
  let preview: LinkPreview | undefined
  await until(async () => {
    const { messages } = await call(bea, 'messages_by_ids', { ids: [message] })
    preview = messages[0]?.extras?.previews?.[0]
    expect(preview).toEqual({
      id: expect.any(String),
      url: `${url}/today`,
      title: 'Tides today',
      description: '',
      site: '127.0.0.1',
      picture: { width: 400, height: 200 },
    })
  })
  const requested = received.map(({ path }) => path)
  // The channel has a webhook too.
  expect(requested.filter((path) => path !== '/in')).toEqual(['/today', '/tides.png'])
  const { data: bytes } = await bea.storage.from('previews').download(preview!.id)
  expect(await sharp(Buffer.from(await bytes!.arrayBuffer())).metadata()).toMatchObject({ width: 400 })
  await call(ann, 'remove_link_preview', { message, preview: preview!.id })
  expect((await bea.storage.from('previews').download(preview!.id)).data).toBe(null)
  const task = { method: 'POST', headers: { 'x-linnet-task': 'guess' }, body: '{}' }
  expect((await fetch(`${backend.url}/functions/v1/link-previews`, task)).status).toBe(403)
})
