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
    summary = await measureOneClient(server, await createWorkspace(pool, data.dir, ONE_CLIENT), cpu, add)
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
