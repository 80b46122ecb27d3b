import { Pool } from 'pg'
import type { Bootstrap, Heartbeat } from '../wire/sync.ts'
import { startServer, temporaryData, type Server } from '../tests/support/server.ts'
import { createTimedClient } from './client/callTimed.ts'
import { createWorkspace, type Workspace } from './client/createWorkspace.ts'
import { cpuOfProcessTree } from './load/usage.ts'
import { median } from './rest/interleave.ts'
import { measureHerd } from './client/herd.ts'
import type { AddRow, BenchRow, BenchTable } from './table.ts'

const ONE_CLIENT = { people: 500, channels: 200, callers: 1 }
const ONLINE = { people: 2_000, channels: 100, callers: 20 }
const ROUNDS = 60
const HEARTBEAT_ROUNDS = 20
const FOLLOWED_CHANNELS = 50
const FOLLOWED_THREADS = 500
/**
 * The number of calls after which Node has compiled its code and the connections have their plans, as in a server in
 * use.
 */
const WARM_UP_CALLS = 100
/**
 * The interval of heartbeats, as in `app/data/sync/engine.ts`. A page with an open conversation sends three times as
 * many.
 */
const HEARTBEAT_INTERVAL_MS = 60_000
const MAX_CORES = 0.1

interface Cost {
  /** Medians of the time until the last byte, and of the compressed size. */
  ms: number
  bytes: number
  /** Of the server and of PostgreSQL, for one call. */
  cpuMs: number
}

/** Returns the processor time of the server and of PostgreSQL so far, in ms. */
type ReadCpu = () => number

/**
 * Measures the cost of a client with 200 channels and 500 people who are all present: a start without a cache, a
 * start when nothing has changed, and a heartbeat when nothing has changed. It also measures the heartbeats of 2,000
 * people, and how long 1,000 clients take that start at once (`herdMs`).
 */
export async function run(add: AddRow): Promise<BenchTable> {
  const data = temporaryData()
  const server = await startServer({
    root: process.cwd(),
    dataDir: data.dir,
    args: ['--no-app', '--db-port', '0'],
  })
  const pool = new Pool({ connectionString: server.dbUrl, max: 1 })
  const cpu: ReadCpu = () => cpuOfProcessTree(server.pids.server) + cpuOfProcessTree(server.pids.db)
  let summary: Record<string, number>
  try {
    const workspace = await createWorkspace(pool, data.dir, ONE_CLIENT)
    summary = await measureOneClient(server, workspace, cpu, add)
    await measureFollowedThreads(server, workspace, pool, add)
    add(await measureHeartbeats(server, await createWorkspace(pool, data.dir, ONLINE), cpu))
  } finally {
    await pool.end()
    await server.end('SIGTERM')
    data.remove()
  }
  const herd = await measureHerd()
  herd.rows.forEach(add)
  return { name: 'client', rows: [], summary: { ...summary, herdMs: herd.herdMs } }
}

async function measureOneClient(
  server: Server,
  workspace: Workspace,
  cpu: ReadCpu,
  add: AddRow,
): Promise<Record<string, number>> {
  const client = createTimedClient(server, workspace.callers[0]!.token)
  const measure = async (name: 'bootstrap' | 'heartbeat', args: object): Promise<Cost> => {
    for (let n = 0; n < WARM_UP_CALLS; n++) await client.call(name, args)
    const before = cpu()
    const calls = []
    for (let n = 0; n < ROUNDS; n++) calls.push(await client.call(name, args))
    return {
      ms: median(calls.map((one) => one.ms)),
      bytes: median(calls.map((one) => one.bytes)),
      cpuMs: (cpu() - before) / ROUNDS,
    }
  }
  const heartbeatArgs = { workspace: workspace.id, state: 'active' }
  const cold = await measure('bootstrap', {})
  rowsOf('start without a cache', cold, { ms: 12, bytes: 40_000 }).forEach(add)
  const start = await client.call<Bootstrap>('bootstrap', {})
  const warm = await measure('bootstrap', { stored: start.response.digests })
  rowsOf('start, nothing changed', warm, { ms: 3, bytes: 2_000 }).forEach(add)
  const present = await client.call<Heartbeat>('heartbeat', heartbeatArgs)
  const stored = { ...start.response.digests, ...present.response.digests }
  const heartbeat = await measure('heartbeat', { ...heartbeatArgs, stored })
  rowsOf('heartbeat, nothing changed', heartbeat, { ms: 1, bytes: 1_000 }).forEach(add)
  client.close()
  return {
    coldMs: cold.ms,
    coldKB: cold.bytes / 1000,
    warmMs: warm.ms,
    warmKB: warm.bytes / 1000,
    heartbeatMs: heartbeat.ms,
    heartbeatBytes: heartbeat.bytes,
  }
}

/**
 * Measures what depends on the number of threads that a person follows: the list of threads, and a heartbeat that finds no
 * difference. It compares 500 followed threads in 50 channels, of which 100 are unread, with the 50 of `createWorkspace`.
 */
async function measureFollowedThreads(
  server: Server,
  workspace: Workspace,
  pool: Pool,
  add: AddRow,
): Promise<void> {
  const { profile, token } = workspace.callers[0]!
  const client = createTimedClient(server, token)
  const measure = async (): Promise<{ inbox: number; heartbeat: number }> => {
    const beat = { workspace: workspace.id, state: 'active' }
    const { digests } = (await client.call<Heartbeat>('heartbeat', beat)).response
    const medianOf = async (name: string, args: object): Promise<number> => {
      const calls = []
      for (let n = 0; n < WARM_UP_CALLS + ROUNDS; n++) calls.push((await client.call(name, args)).ms)
      return median(calls.slice(WARM_UP_CALLS))
    }
    return {
      inbox: await medianOf('thread_inbox', { workspace: workspace.id }),
      heartbeat: await medianOf('heartbeat', { ...beat, stored: digests }),
    }
  }
  const few = await measure()
  await followMoreThreads(pool, workspace.channels.slice(0, FOLLOWED_CHANNELS), profile)
  const many = await measure()
  client.close()
  for (const [what, ours, theirs] of [
    ['list of threads', many.inbox, few.inbox],
    ['heartbeat, nothing changed', many.heartbeat, few.heartbeat],
  ] as const)
    add({
      what: `${what}, ${FOLLOWED_THREADS} followed threads, p50`,
      value: ours,
      unit: 'ms',
      ratio: ours / theirs,
      against: `${theirs.toFixed(2)} ms with 50`,
    })
}

/** Replies to messages of these channels until the person follows 500 threads, each fifth with unread replies. */
async function followMoreThreads(pool: Pool, channels: string[], person: string): Promise<void> {
  for (const table of ['messages', 'thread_members'])
    await pool.query(`alter table public.${table} disable trigger user`)
  await pool.query(
    `with roots as (
       update public.messages m
       set last_thread_seq = 1, reply_count = 1, last_reply_at = m.created_at + interval '1 minute'
       where m.channel_id = any ($1) and m.seq between 11 and 20 returning m.*),
     replies as (
       insert into public.messages (id, channel_id, thread_root, thread_seq, history_seq, rev, author_id, body, created_at)
       select gen_random_uuid(), r.channel_id, r.id, 1, r.seq, 50 + r.seq, r.author_id, 'An answer.', r.last_reply_at
       from roots r)
     insert into public.thread_members (root_id, profile_id, last_read_thread_seq, read_version)
     select r.id, $2, case when r.seq % 5 = 0 then 0 else 1 end, 1 from roots r
     limit $3 - (select count(*) from public.thread_members where profile_id = $2)`,
    [channels, person, FOLLOWED_THREADS],
  )
  for (const table of ['messages', 'thread_members'])
    await pool.query(`alter table public.${table} enable trigger user`)
  await pool.query('vacuum analyze')
}

/**
 * Measures the processor time of the heartbeats of all people of a workspace in which nothing changes, one a minute
 * each.
 */
async function measureHeartbeats(server: Server, workspace: Workspace, cpu: ReadCpu): Promise<BenchRow> {
  const clients = await Promise.all(
    workspace.callers.map(async ({ token }) => {
      const client = createTimedClient(server, token)
      const heartbeatArgs = { workspace: workspace.id, state: 'active' }
      const { digests } = (await client.call<Bootstrap>('bootstrap', {})).response
      const first = await client.call<Heartbeat>('heartbeat', { ...heartbeatArgs, stored: digests })
      return { client, args: { ...heartbeatArgs, stored: { ...digests, ...first.response.digests } } }
    }),
  )
  const sendAll = async (rounds: number): Promise<void> => {
    for (let round = 0; round < rounds; round++)
      for (const { client, args } of clients) await client.call('heartbeat', args)
  }
  await sendAll(WARM_UP_CALLS / clients.length)
  const before = cpu()
  await sendAll(HEARTBEAT_ROUNDS)
  const ms = (cpu() - before) / (HEARTBEAT_ROUNDS * clients.length)
  for (const { client } of clients) client.close()
  const cores = (ms * ONLINE.people) / HEARTBEAT_INTERVAL_MS
  return {
    what: `${ONLINE.people.toLocaleString('en')} people online with ${ONLINE.channels} channels, a heartbeat a minute each`,
    value: cores,
    unit: 'cores',
    ratio: cores / MAX_CORES,
    against: `${MAX_CORES} cores, the most it may be`,
    also: { 'ms of a core for each': ms },
  }
}

function rowsOf(what: string, cost: Cost, max: { ms: number; bytes: number }): BenchRow[] {
  return [
    {
      what: `${what}, p50`,
      value: cost.ms,
      unit: 'ms',
      ratio: cost.ms / max.ms,
      against: `${max.ms} ms, the most it may be`,
      also: { 'ms of a core': cost.cpuMs },
    },
    {
      what: `${what}, gzipped`,
      value: cost.bytes / 1000,
      unit: 'KB',
      ratio: cost.bytes / max.bytes,
      against: `${max.bytes / 1000} KB, the most it may be`,
    },
  ]
}
