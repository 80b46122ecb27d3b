import { Pool } from 'pg'
import type { Heartbeat } from '../wire/sync.ts'
import type { Bootstrap } from '../wire/sync.ts'
import { startServer, temporaryData } from '../tests/support/server.ts'
import { createTimedClient } from './client/callTimed.ts'
import { createWorkspace } from './client/createWorkspace.ts'
import { cpuOfProcessTree } from './load/usage.ts'
import { median } from './rest/interleave.ts'
import type { BenchRow, BenchTable } from './table.ts'

const PEOPLE = 500
const CHANNELS = 200
const ROUNDS = 60

interface Cost {
  /** Medians of the time until the last byte, and of the compressed size. */
  ms: number
  bytes: number
  /** Of the server and of PostgreSQL, for one call. */
  cpuMs: number
}

/**
 * What a client costs that starts or sends a heartbeat, with 200 channels and 500 people who are all present: start
 * without a cache, start when nothing has changed, and a heartbeat when nothing has changed.
 */
export async function run(): Promise<BenchTable> {
  const data = temporaryData()
  const server = await startServer({
    root: process.cwd(),
    dataDir: data.dir,
    args: ['--no-app', '--db-port', '0'],
  })
  try {
    const pool = new Pool({ connectionString: server.dbUrl, max: 1 })
    const workspace = await createWorkspace(pool, data.dir, {
      people: PEOPLE,
      channels: CHANNELS,
      callers: 1,
    })
    await pool.end()
    const client = createTimedClient(server, workspace.callers[0]!.token)
    const cpu = (): number => cpuOfProcessTree(server.pids.server) + cpuOfProcessTree(server.pids.db)
    const measure = async (name: 'bootstrap' | 'heartbeat', args: object): Promise<Cost> => {
      for (let n = 0; n < ROUNDS / 6; n++) await client.call(name, args)
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
    const start = await client.call<Bootstrap>('bootstrap', {})
    const warm = await measure('bootstrap', { stored: start.response.digests })
    const present = await client.call<Heartbeat>('heartbeat', heartbeatArgs)
    const stored = { ...start.response.digests, ...present.response.digests }
    const heartbeat = await measure('heartbeat', { ...heartbeatArgs, stored })
    client.close()
    return {
      name: 'client',
      rows: [
        ...rowsOf('start without a cache', cold, { ms: 12, bytes: 40_000 }),
        ...rowsOf('start, nothing changed', warm, { ms: 3, bytes: 2_000 }),
        ...rowsOf('heartbeat, nothing changed', heartbeat, { ms: 1, bytes: 1_000 }),
      ],
      summary: {
        coldMs: cold.ms,
        coldKB: cold.bytes / 1000,
        warmMs: warm.ms,
        warmKB: warm.bytes / 1000,
        heartbeatMs: heartbeat.ms,
        heartbeatBytes: heartbeat.bytes,
      },
    }
  } finally {
    await server.end('SIGTERM')
    data.remove()
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
