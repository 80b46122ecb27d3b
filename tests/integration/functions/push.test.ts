import type { SupabaseClient } from '@supabase/supabase-js'
import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { PushPayload } from '../../../wire/push.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { startBackend, type Backend } from '../../support/backend.ts'
import { bring, call, foundWorkspace } from '../../support/people.ts'
import { startPushService, type Browser, type PushService } from '../../support/startPushService.ts'

/** From the message to a push service, which is on loopback: the settings `push_endpoints` and `push_allowed` permit it. */
let service: PushService
let backend: Backend
let db: Client
let ann: SupabaseClient
let bea: SupabaseClient
let channel: Uuid
let browser: Browser
let device: Uuid
let mention: string

beforeAll(async () => {
  service = await startPushService()
  backend = await startBackend()
  db = new Client(backend.dbUrl)
  await db.connect()
  await db.query(`update public.settings set value = to_jsonb($1::text) where key = 'push_endpoints'`, [
    '^http://127\\.0\\.0\\.1:',
  ])
  await allow(['127.0.0.1'])
  const founded = await foundWorkspace(backend)
  ;({ ann, channel } = founded)
  bea = await bring(backend, ann, { workspace: founded.workspace, channels: [channel], name: 'bea' })
  const { me } = await call(bea, 'bootstrap', {})
  mention = `<@${me!.profile.id}>`
  browser = service.subscribe()
  device = await subscribe(bea, browser)
})
beforeEach(() => {
  service.messages.length = 0
  service.statuses.length = 0
  service.respond = () => undefined
})
afterAll(async () => {
  await db?.end()
  await backend?.stop()
  service?.stop()
})

const until = (check: () => void | Promise<void>) => vi.waitFor(check, { interval: 50 })
const subscribe = async (client: SupabaseClient, { endpoint, p256dh, auth }: Browser): Promise<Uuid> => {
  const args = { id: randomUUID(), endpoint, p256dh, auth, device: 'Chrome', language: 'en' }
  return (await call(client, 'add_push_subscription', args)).id
}
const send = async (body: string): Promise<Uuid> => {
  const id = randomUUID()
  await call(ann, 'send_message', { id, channel, body })
  return id
}
const received = async (count: number): Promise<PushPayload[]> => {
  await until(() => expect(service.messages.length).toBeGreaterThanOrEqual(count))
  return service.messages.map(({ payload }) => JSON.parse(payload) as PushPayload)
}
/** Destinations that may be requested although they are not public. */
const allow = (destinations: string[]) =>
  db.query(`update public.settings set value = $1 where key = 'push_allowed'`, [JSON.stringify(destinations)])
const devices = () => call(bea, 'my_push_subscriptions', {})
const waiting = async () =>
  (
    await db.query<{ seconds: number }>(
      `select extract(epoch from run_at - now())::float as seconds from public.jobs where kind like 'push%'`,
    )
  ).rows
/** What the job of pg_cron does each minute, as if the next attempt were due. */
const retry = async (): Promise<void> => {
  await db.query(`update public.jobs set run_at = now() where kind = 'push'`)
  await db.query(`select app.start_task('push')`)
}

it('encrypts a mention for one device, signed with the key that browsers get', async () => {
  const message = await send(`Hello ${mention}, **now**`)
  const [payload] = await received(1)
  expect(payload).toMatchObject({
    kind: 'message',
    message,
    channel,
    tag: channel,
    title: '#front-desk',
    lines: [{ author: 'Ann Okafor', text: 'Hello @bea, now' }],
  })
  const [{ key, urgency, topic, ttl, bytes }] = service.messages as [(typeof service.messages)[0]]
  expect({ urgency, ttl }).toEqual({ urgency: 'high', ttl: 86_400 })
  expect(bytes).toBeLessThan(3_000)
  expect(topic).not.toContain(channel)
  const answer = await fetch(`${backend.url}/functions/v1/push`)
  expect(await answer.json()).toEqual({ key })
  await until(async () => {
    expect(await devices()).toMatchObject([{ id: device, problem: null, shown_at: null }])
    expect((await devices())[0]!.accepted_at).not.toBeNull()
  })
  // The browser reports with what it received.
  const report = (token: string, of?: Uuid) =>
    fetch(`${payload!.report}?${new URLSearchParams({ token, ...(of ? { message: of } : {}) })}`, {
      method: 'POST',
    })
  expect((await report(`${payload!.token}x`)).status).toBe(403)
  expect((await report(payload!.token)).status).toBe(200)
  expect((await devices())[0]!.shown_at).not.toBeNull()
  expect((await report(payload!.token, message)).status).toBe(200)
  const { channels } = await call(bea, 'bootstrap', {})
  expect(channels[0]!.counts).toEqual({ unread: 0, mentions: 0 })
  expect(service.violations).toEqual([])
})

it('waits after 429 as long as the service demands, sends less after 413, and nothing that was read meanwhile', async () => {
  service.respond = () => ({ status: 429, headers: { 'retry-after': '600' } })
  await send(`${'Long '.repeat(100)} ${mention}`)
  await until(async () => {
    expect(service.statuses).toEqual([429])
    expect((await waiting())[0]?.seconds).toBeGreaterThan(500)
  })
  service.respond = ({ payload }) => (payload.includes('Long '.repeat(10)) ? { status: 413 } : undefined)
  await retry()
  const [short] = await received(1)
  expect(service.statuses).toEqual([429, 413, 201])
  expect(short!.lines![0]!.text.length).toBeLessThanOrEqual(40)
  await until(async () => expect(await waiting()).toEqual([]))

  service.respond = () => ({ status: 503 })
  await send(`First ${mention}`)
  await until(async () => {
    expect(service.statuses.at(-1)).toBe(503)
    expect((await waiting())[0]?.seconds).toBeLessThan(40)
  })
  service.respond = () => undefined
  const { channels } = await call(bea, 'bootstrap', {})
  const { state, counters } = channels[0]!
  await call(bea, 'mark_read', { channel, seq: counters.last_seq, read_version: state.read_version })
  service.statuses.length = 0
  await retry()
  await until(async () => expect(await waiting()).toEqual([]))
  expect(service.statuses).toEqual([])
  expect(service.violations).toEqual([])
})

it.each([404, 410])('ends a device after %i', async (status) => {
  service.respond = () => ({ status })
  await send(`Bye ${mention}`)
  await until(async () => expect(await devices()).toEqual([]))
  expect(service.statuses).toEqual([status])
  device = await subscribe(bea, browser)
})

it('connects to no private address, whatever addresses browsers may have', async () => {
  await allow(['127.0.0.1:1'])
  await send(`Private ${mention}`)
  await until(async () => expect(await devices()).toMatchObject([{ problem: 'refused' }]))
  expect(service.statuses).toEqual([])
  expect(await waiting()).toEqual([])
  await allow(['127.0.0.1'])
  await send(`Listed ${mention}`)
  await received(1)
  await until(async () => expect(await devices()).toMatchObject([{ problem: null }]))
})

it('sends nothing to a person who has signed out', async () => {
  await bea.auth.signOut()
  await send(`Anybody ${mention}?`)
  const other = service.subscribe()
  const cem = await bring(backend, ann, {
    workspace: (await call(ann, 'bootstrap', {})).workspace!.id,
    channels: [channel],
    name: 'cem',
  })
  await subscribe(cem, other)
  const { me } = await call(cem, 'bootstrap', {})
  await send(`Hello <@${me!.profile.id}> and ${mention}`)
  await received(1)
  expect(service.messages.map((one) => one.browser.endpoint)).toEqual([other.endpoint])
  expect(service.violations).toEqual([])
})
