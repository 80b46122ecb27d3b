import type { SupabaseClient } from '@supabase/supabase-js'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Uuid } from '../../../wire/scalars.ts'
import { startBackend, type Backend } from '../../support/backend.ts'
import { call, foundWorkspace } from '../../support/people.ts'

/** The address of a webhook, as other services use it: without any key. */
let backend: Backend
let ann: SupabaseClient
let channel: Uuid
let address: string
const bot = randomUUID()

async function createWebhook(): Promise<{ id: Uuid; by: Uuid; address: string }> {
  const { webhook, token } = await call(ann, 'create_incoming_webhook', { bot, channel })
  return {
    id: webhook.id,
    by: webhook.created_by!,
    address: `${backend.url}/functions/v1/incoming-webhook/${token}`,
  }
}

beforeAll(async () => {
  backend = await startBackend()
  const founded = await foundWorkspace(backend)
  ;({ ann, channel } = founded)
  await call(ann, 'create_bot', { id: bot, workspace: founded.workspace, name: 'CI', channels: [channel] })
  ;({ address } = await createWebhook())
})
afterAll(() => backend?.stop())

const send = async (
  body: string | URLSearchParams,
  headers: Record<string, string> = {},
  url = address,
): Promise<[number, string]> => {
  const response = await fetch(url, { method: 'POST', body, headers })
  return [response.status, await response.text()]
}
const bodies = async (): Promise<string[]> => {
  const { messages } = await call(ann, 'channel_page', { channel })
  return messages.filter(({ kind }) => kind === 'text').map(({ body }) => body)
}

it('posts JSON and forms, and responds with ok', async () => {
  const json = { 'content-type': 'application/json' }
  expect(await send(JSON.stringify({ text: '*Done*, <!here>' }), json)).toEqual([200, 'ok'])
  const form = new URLSearchParams({
    payload: JSON.stringify({ username: 'cron', text: 'Backup <https://a.example/|ready>' }),
  })
  expect(await send(form)).toEqual([200, 'ok'])
  expect(await bodies()).toEqual(['**Done**, @here', '**cron**\nBackup [ready](<https://a.example/>)'])
})

it('stores the user name as the sender', async () => {
  expect(await send(JSON.stringify({ username: 'cron', text: 'Done' }))).toEqual([200, 'ok'])
  const { messages } = await call(ann, 'channel_page', { channel })
  expect(messages.at(-1)).toMatchObject({
    body: '**cron**\nDone',
    extras: { sender: { name: 'cron', end: '**cron**\n'.length } },
  })
})

it('posts with the name and the emoji of the webhook, and mentions whom it may', async () => {
  const named = await createWebhook()
  const text = '<!here> ebb, <@Ann Okafor>'
  const post = () => send(JSON.stringify({ text }), {}, named.address)
  expect(await post()).toEqual([200, 'ok'])
  expect((await bodies()).at(-1)).toBe(`@here ebb, <@${named.by}>`)
  await call(ann, 'update_incoming_webhook', {
    webhook: named.id,
    name: 'Grafana',
    emoji: '📈',
    notifies_everyone: true,
  })
  expect(await post()).toEqual([200, 'ok'])
  const { messages } = await call(ann, 'channel_page', { channel })
  expect(messages.at(-1)).toMatchObject({
    body: `**Grafana**\n<!here> ebb, <@${named.by}>`,
    extras: { sender: { name: 'Grafana', end: 12 }, icon: '📈', webhook: named.id },
  })
})

it('responds with the id of a message, to which others reply, and which is replaced', async () => {
  const post = async (payload: object, query = '') => {
    const response = await fetch(`${address}${query}`, { method: 'POST', body: JSON.stringify(payload) })
    return { id: response.headers.get('x-linnet-message')!, text: await response.text() }
  }
  const waited = await post({ text: 'Ebb' }, '?wait=true')
  expect(JSON.parse(waited.text)).toEqual({ ok: true, id: waited.id, ts: waited.id })
  const replies = [
    await post({ text: 'Still ebb', thread_ts: waited.id }),
    await post({ content: 'Flood' }, `?thread_id=${waited.id}`),
  ]
  expect(replies.map(({ text }) => text)).toEqual(['ok', 'ok'])
  const { messages } = await call(ann, 'thread_page', { root: waited.id })
  expect(messages.map(({ id }) => id)).toEqual(replies.map(({ id }) => id))

  const replace = (id: string, payload: object) =>
    fetch(`${address}/messages/${id}`, { method: 'PATCH', body: JSON.stringify(payload) })
  const attachments = [{ color: 'good', title: 'High water' }]
  expect((await replace(waited.id, { text: '*Flood*', attachments })).status).toBe(200)
  const { messages: shown } = await call(ann, 'channel_page', { channel })
  expect(shown.find(({ id }) => id === waited.id)).toMatchObject({
    body: '**Flood**\n\n> **High water**',
    extras: { cards: { items: [{ color: 'green', title: 'High water' }] } },
  })
  const own = randomUUID()
  await call(ann, 'send_message', { id: own, channel, body: 'Not of the webhook' })
  for (const id of [own, randomUUID(), 'x']) {
    const refused = await replace(id, { text: 'Mine' })
    expect([refused.status, await refused.text()]).toEqual([404, 'message_not_found'])
    expect((await post({ text: 'Reply', thread_ts: id })).text).toBe('message_not_found')
  }
  expect((await fetch(`${address}/messages/${own}`, { method: 'POST', body: '{}' })).status).toBe(405)
})

it('replaces the message about an alert once the alert is resolved', async () => {
  const payload = (status: string) =>
    JSON.stringify({
      status,
      groupKey: '{}:{alertname="DiskFull"}',
      groupLabels: {},
      alerts: [{ status, labels: { alertname: 'DiskFull' }, annotations: {} }],
    })
  expect(await send(payload('firing'))).toEqual([200, 'ok'])
  const count = (await bodies()).length
  expect(await send(payload('resolved'))).toEqual([200, 'ok'])
  expect(await bodies()).toHaveLength(count)
  expect((await bodies()).at(-1)).toContain('Resolved')
})

it('posts attachments as cards', async () => {
  const attachments = [{ color: 'danger', title: 'Disk full', fields: [{ title: 'Host', value: 'quay' }] }]
  expect(await send(JSON.stringify({ text: 'Alert', attachments }))).toEqual([200, 'ok'])
  const { messages } = await call(ann, 'channel_page', { channel })
  expect(messages.at(-1)).toMatchObject({
    body: 'Alert\n\n> **Disk full**\n> **Host:** quay',
    extras: {
      cards: {
        start: 5,
        items: [{ color: 'red', title: 'Disk full', fields: [{ name: 'Host', value: 'quay' }] }],
      },
    },
  })
})

it('recognises senders by their headers, and ignores events that change nothing', async () => {
  const github = (event: string) => ({ 'content-type': 'application/json', 'x-github-event': event })
  const payload = JSON.stringify({ repository: { full_name: 'harbour/quay' }, sender: { login: 'ann' } })
  expect(await send(payload, github('ping'))).toEqual([200, 'ok'])
  expect((await bodies()).at(-1)).toBe('harbour/quay · ann sends its events here')
  const count = (await bodies()).length
  expect(await send(payload, github('watch'))).toEqual([200, 'ignored'])
  expect(await bodies()).toHaveLength(count)
})

it('names the error as Slack does', async () => {
  const unknown = address.replace(/[^/]+$/, 'x'.repeat(40))
  expect(await send('{"text": "Hi"}', {}, unknown)).toEqual([404, 'no_service'])
  expect(await send('{"text": "Hi"}', {}, address.replace(/\/[^/]+$/, ''))).toEqual([404, 'no_service'])
  expect(await send('Hi')).toEqual([400, 'invalid_payload'])
  expect(await send('{"text": ""}')).toEqual([400, 'no_text'])
  const cut = await fetch(address, { method: 'POST', body: JSON.stringify({ text: 'x'.repeat(20_001) }) })
  expect([cut.status, await cut.text(), cut.headers.get('x-linnet-text')]).toEqual([200, 'ok', 'cut'])
  expect(await send(JSON.stringify({ text: 'x'.repeat(100_001) }))).toEqual([413, 'payload_too_large'])
  const got = await fetch(address)
  expect([got.status, await got.text()]).toEqual([405, 'invalid_method'])
  await call(ann, 'archive_channel', { channel, on: true })
  expect(await send('{"text": "Hi"}')).toEqual([410, 'channel_is_archived'])
  await call(ann, 'archive_channel', { channel, on: false })
  await call(ann, 'update_channel', { channel, posting: 'admins' })
  expect(await send('{"text": "Hi"}')).toEqual([403, 'action_prohibited'])
})
