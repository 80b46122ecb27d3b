import type { SupabaseClient } from '@supabase/supabase-js'
import { createECDH, randomBytes, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SignJWT } from 'jose'
import { Client } from 'pg'
import { bring, call, foundWorkspace } from '../tests/support/people.ts'
import { startServer, temporaryData, type Server } from '../tests/support/server.ts'
import type { Uuid } from '../wire/scalars.ts'
import { cpuOfProcessTree } from './load/usage.ts'
import { percentile } from './scroll/inPage.ts'
import type { AddRow, BenchTable } from './table.ts'

const MEMBERS = 2000
const MAX_SECONDS = 10
const ROUNDS = 5
/** The number of pairs of an ordinary message and a message with a mention. */
const SENDS = 40

/** The number of messages that notify one device, and the pause between them, after which the next is not part of a burst. */
const SINGLE = { messages: 60, pauseMs: 200 }
const MAX_SENDS = 5

export const timeoutMs = 600_000

/**
 * The number of pages that request at the same time. Each page waits up to 4 s (createMessageWatcher), so that few
 * do.
 */
const CONCURRENT = 50

/**
 * Measures the time from a message to the request at the push service. Then it measures `@channel` in a channel of 2,000
 * people, each with a device or a page: the time until all are notified, and the cost for the author.
 */
export async function run(add: AddRow): Promise<BenchTable> {
  const service = await startReceiver()
  const data = temporaryData()
  const server = await startServer({
    root: process.cwd(),
    dataDir: data.dir,
    args: ['--no-app', '--db-port', '0'],
  })
  const db = new Client(server.dbUrl)
  await db.connect()
  try {
    const { ann, workspace, channel } = await foundWorkspace(server)
    await allowReceiver(db)
    const singleRatio = await measureSingle({ add, server, db, service, ann, workspace })
    await addPeople(db, { workspace, channel, url: service.url })
    const send = async (body: string): Promise<number> => {
      const started = performance.now()
      await call(ann, 'send_message', { id: randomUUID(), channel, body })
      return performance.now() - started
    }
    /** Until nothing is to be sent any more, except to people whose page counts as open. */
    const settle = async (): Promise<void> => {
      const waiting = `select from public.jobs j
        where j.kind in ('push', 'push_message') and not j.payload ? 'withheld' limit 1`
      while ((await db.query(waiting)).rowCount !== 0) await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await send('<!channel> The function starts')
    await service.receivedBy(MEMBERS)
    await settle()

    const times: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      service.clear()
      const started = performance.now()
      await send(`<!channel> Round ${round}: the ferry leaves an hour later today.`)
      await service.receivedBy(MEMBERS)
      times.push((performance.now() - started) / 1000)
      await settle()
    }
    const slowest = Math.max(...times)
    add({
      what: `@channel to ${MEMBERS} devices: all notified, slowest of ${ROUNDS}`,
      goal: `≤ ${MAX_SECONDS} s`,
      value: slowest,
      unit: 's',
      also: { 's p50': percentile(times, 0.5) },
    })

    // Everybody uses a page: nothing is sent meanwhile, which would take the processors.
    await db.query(
      `insert into public.heartbeats (profile_id, state, seen_at)
       select p.profile_id, 'active', now() + interval '1 hour' from public.push_subscriptions p
       on conflict (profile_id) do update set state = 'active', seen_at = excluded.seen_at`,
    )
    const message = randomUUID()
    const { rows } = await db.query<{ rev: string }>(
      'select rev from public.channel_counters where channel_id = $1',
      [channel],
    )
    await call(ann, 'send_message', { id: message, channel, body: '<!channel> For all pages.' })
    const tokens = await createTokens(db, server.jwtSecret)
    const started = performance.now()
    await requestAsPages(tokens, server, { channel, rev: Number(rows[0]!.rev), message })
    const pages = (performance.now() - started) / 1000
    add({
      what: `@channel to ${MEMBERS} open pages: until the server has answered all`,
      goal: `≤ ${MAX_SECONDS} s`,
      value: pages,
      unit: 's',
    })
    await settle()

    const costs: Record<'ordinary' | 'mention', number[]> = { ordinary: [], mention: [] }
    for (let n = 0; n < SENDS; n += 1) {
      for (const kind of n % 2 === 0
        ? (['ordinary', 'mention'] as const)
        : (['mention', 'ordinary'] as const)) {
        costs[kind].push(await send(`${kind === 'mention' ? '<!channel>' : 'Hello'} The ferry leaves later.`))
        await settle()
      }
    }
    const [ordinary, mention] = [percentile(costs.ordinary, 0.5), percentile(costs.mention, 0.5)]
    add({
      what: 'sending @channel, p50',
      goal: '≤ 1.1 × an ordinary message',
      value: mention,
      unit: 'ms',
      ratio: mention / ordinary,
      against: `${ordinary.toFixed(1)} ms`,
      also: {
        'ms p95': percentile(costs.mention, 0.95),
        'ms ordinary p95': percentile(costs.ordinary, 0.95),
      },
    })
    return {
      name: 'push',
      rows: [],
      summary: {
        singleRatio,
        notifiedSeconds: slowest,
        pagesSeconds: pages,
        sendRatio: mention / ordinary,
      },
    }
  } finally {
    await db.end()
    await server.end('SIGTERM')
    data.remove()
    service.stop()
  }
}

/** Lets the function send to the receiver, and people send as much as this part does. */
async function allowReceiver(db: Client): Promise<void> {
  await db.query(`update public.settings set value = '{}' where key = 'rate_limits'`)
  await db.query(
    `update public.settings set value = to_jsonb('^http://127\\.0\\.0\\.1:'::text) where key = 'push_endpoints'`,
  )
  await db.query(`update public.settings set value = '["127.0.0.1"]' where key = 'push_allowed'`)
}

/**
 * Measures single messages in a direct conversation: without a device, then with pg_net, as on a platform without
 * `supabase_functions.invoke`, then as usual. Returns the time from the message to the request as a multiple of a send.
 */
async function measureSingle(o: {
  add: AddRow
  server: Server
  db: Client
  service: Receiver
  ann: SupabaseClient
  workspace: Uuid
}): Promise<number> {
  const { add, server, db, service, ann } = o
  const bea = await bring(server, ann, { workspace: o.workspace, channels: [], name: 'bea' })
  const { me } = await call(bea, 'bootstrap', {})
  const { channel } = await call(ann, 'open_direct', { workspace: o.workspace, people: [me!.profile.id] })
  const round = async (
    isNotified: boolean,
  ): Promise<{ sends: number[]; requests: number[]; cpuMs: number }> => {
    const cpu = (): number => cpuOfProcessTree(server.pids.server) + cpuOfProcessTree(server.pids.db)
    const [sends, requests]: number[][] = [[], []]
    const cpuBefore = cpu()
    for (let n = 0; n < SINGLE.messages; n += 1) {
      service.clear()
      const started = performance.now()
      const requested = isNotified && service.receivedBy(1).then(() => performance.now() - started)
      await call(ann, 'send_message', {
        id: randomUUID(),
        channel: channel.id,
        body: `The ferry leaves later: ${n}`,
      })
      sends!.push(performance.now() - started)
      if (requested !== false) requests!.push(await requested)
      await new Promise((resolve) => setTimeout(resolve, SINGLE.pauseMs))
    }
    return { sends: sends!, requests: requests!, cpuMs: (cpu() - cpuBefore) / SINGLE.messages }
  }
  const withoutDevice = await round(false)
  const key = createECDH('prime256v1')
  key.generateKeys()
  const device = randomUUID()
  await call(bea, 'add_push_subscription', {
    id: device,
    endpoint: `${service.url}/send/bea`,
    p256dh: key.getPublicKey('base64url'),
    auth: randomBytes(16).toString('base64url'),
    device: 'Chrome',
    language: 'en',
  })
  const rename = (from: string, to: string) =>
    db.query(`alter function supabase_functions.${from}(text, jsonb) rename to ${to}`)
  await rename('invoke', 'disabled')
  await round(true)
  const byPgNet = await round(true)
  await rename('disabled', 'invoke')
  const direct = await round(true)
  await call(bea, 'remove_push_subscription', { id: device })
  const send = percentile(direct.sends, 0.5)
  const ratio = percentile(direct.requests, 0.5) / send
  for (const [what, { sends, requests, cpuMs }, goal] of [
    ['invoked directly', direct, { goal: `≤ ${MAX_SENDS} × a send` }],
    ['invoked by pg_net', byPgNet, {}],
  ] as const)
    add({
      what: `message to the request at the push service, p50, ${what}`,
      ...goal,
      value: percentile(requests, 0.5),
      unit: 'ms',
      ratio: percentile(requests, 0.5) / percentile(sends, 0.5),
      against: `${percentile(sends, 0.5).toFixed(1)} ms`,
      also: {
        'ms p95': percentile(requests, 0.95),
        'ms of CPU': cpuMs,
        'ms of CPU without a device': withoutDevice.cpuMs,
      },
    })
  return ratio
}

interface Receiver {
  url: string
  /** Resolves when so many devices have received a message since the last `clear`. */
  receivedBy(count: number): Promise<void>
  clear(): void
  stop(): void
}

/**
 * Starts a push service that accepts everything. `tests/support/startPushService.ts` checks messages, which takes
 * longer.
 */
async function startReceiver(): Promise<Receiver> {
  const devices = new Set<string>()
  let wake: (() => void) | null = null
  const service = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      devices.add(request.url ?? '')
      response.writeHead(201).end()
      wake?.()
    })
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
    receivedBy: (count) =>
      new Promise((resolve) => {
        wake = () => {
          if (devices.size >= count) resolve()
        }
        wake()
      }),
    clear: () => devices.clear(),
    stop() {
      service.closeAllConnections()
      service.close()
    },
  }
}

/** Creates access tokens of all people with a device. */
async function createTokens(db: Client, jwtSecret: string): Promise<string[]> {
  const { rows } = await db.query<{ sub: string; session_id: string }>(
    `select s.user_id as sub, s.id as session_id
     from auth.sessions s join public.push_subscriptions p on p.session_id = s.id`,
  )
  const secret = new TextEncoder().encode(jwtSecret)
  return Promise.all(
    rows.map((claims) =>
      new SignJWT({ ...claims, role: 'authenticated', aud: 'authenticated', aal: 'aal1' })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setExpirationTime('10m')
        .sign(secret),
    ),
  )
}

/** Sends the request of each page after it has received the message, and returns its result. */
async function requestAsPages(
  tokens: string[],
  { url, publishableKey }: Server,
  { channel, rev, message }: { channel: string; rev: number; message: string },
): Promise<void> {
  const waiting = tokens.values()
  const requestNext = async (): Promise<void> => {
    for (const token of waiting) {
      const response = await fetch(`${url}/rest/v1/rpc/my_notifications`, {
        method: 'POST',
        headers: {
          apikey: publishableKey,
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ channels: [channel], revs: [rev] }),
      })
      const notifications = (await response.json()) as { id: string; decision: string }[]
      const found = response.ok ? notifications.find(({ id }) => id === message) : undefined
      if (found?.decision !== 'desktop') throw new Error(`A page is not notified: ${response.status}`)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT }, requestNext))
}

/** Members of the channel with a session and a device each, without triggers, which would broadcast each of them. */
async function addPeople(
  db: Client,
  { workspace, channel, url }: { workspace: string; channel: string; url: string },
): Promise<void> {
  const key = createECDH('prime256v1')
  key.generateKeys()
  await db.query(`set session_replication_role = 'replica'`)
  await db.query(
    `insert into auth.users (id, aud, role, email)
     select gen_random_uuid(), 'authenticated', 'authenticated', 'person' || n || '@bench.example' from generate_series(1, $1) n`,
    [MEMBERS],
  )
  await db.query(
    `insert into public.profiles (id, user_id, name)
     select gen_random_uuid(), u.id, split_part(u.email, '@', 1) from auth.users u where u.email like '%@bench.example'`,
  )
  await db.query(
    `insert into auth.sessions (id, user_id, aal, created_at, updated_at)
     select gen_random_uuid(), u.id, 'aal1', now(), now() from auth.users u where u.email like '%@bench.example'`,
  )
  const people = `from public.profiles p join auth.users u on u.id = p.user_id and u.email like '%@bench.example'`
  await db.query(
    `insert into public.workspace_members (workspace_id, profile_id, role) select $1, p.id, 'member' ${people}`,
    [workspace],
  )
  await db.query(`insert into public.channel_members (channel_id, profile_id) select $1, p.id ${people}`, [
    channel,
  ])
  await db.query(
    `insert into public.channel_member_state (channel_id, profile_id) select $1, p.id ${people}`,
    [channel],
  )
  await db.query(
    `insert into public.push_subscriptions (id, profile_id, session_id, endpoint, p256dh, auth, device, language)
     select gen_random_uuid(), p.id, s.id, $1 || '/send/' || p.id, $2, $3, 'Chrome', 'en' ${people}
     join auth.sessions s on s.user_id = u.id`,
    [url, key.getPublicKey('base64url'), randomBytes(16).toString('base64url')],
  )
  await db.query(`set session_replication_role = 'origin'`)
  await db.query('analyze')
}
