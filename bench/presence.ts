import { Pool } from 'pg'
import type { Bootstrap, Digests, Heartbeat } from '../wire/sync.ts'
import { startServer, temporaryData, type Server } from '../tests/support/server.ts'
import { createTimedClient, type TimedClient } from './client/callTimed.ts'
import { createWorkspace } from './client/createWorkspace.ts'
import { cpuOfProcessTree } from './load/usage.ts'
import { median } from './rest/interleave.ts'
import type { AddRow, BenchTable } from './table.ts'

const SIZES = [100, 1_000, 10_000]
/** Simulated minutes. In each, a tenth of the people change, and each caller sends a heartbeat. */
const MINUTES = 8
/** Presence is computed at most every ten seconds. */
const STEPS_IN_A_MINUTE = 6
const CALLERS_IN_A_STEP = 4
const MAX_BYTES = 2_000
/** The most that a heartbeat in the largest workspace may take, against one in the smallest. */
const MAX_GROWTH = 1.5

interface Caller {
  client: TimedClient
  stored: Digests
}

/** The metrics of one size. */
interface Cost {
  /** Of the compressed response. */
  bytes: number
  /** Of a heartbeat, and of the first one of a step, which computes the presence. */
  cpuMs: number
  firstCpuMs: number
}

/** Measures heartbeats in workspaces of three sizes, in which a tenth of the people come, go or change state each minute. */
export async function run(add: AddRow): Promise<BenchTable> {
  const summary: Record<string, number> = {}
  let smallest: Cost | null = null
  for (const people of SIZES) {
    const cost = await measureSize(people)
    smallest ??= cost
    const size = `${people.toLocaleString('en')} people`
    add({
      what: `heartbeat among ${size}, gzipped`,
      value: cost.bytes / 1000,
      unit: 'KB',
      ratio: cost.bytes / MAX_BYTES,
      against: `${MAX_BYTES / 1000} KB, the most it may be`,
    })
    add({
      what: `heartbeat among ${size}`,
      value: cost.cpuMs,
      unit: 'ms of a core',
      ratio: cost.cpuMs / smallest.cpuMs,
      against: `one among ${SIZES[0]} people; at most ${MAX_GROWTH}`,
      also: {
        'ms for the first in ten seconds': cost.firstCpuMs,
        'cores for all people': coresFor(people, cost),
      },
    })
    summary[`bytes${people}`] = cost.bytes
    summary[`cpuMs${people}`] = cost.cpuMs
  }
  return { name: 'presence', rows: [], summary }
}

/** Of a minute in which each person sends one heartbeat, and six compute the presence. */
function coresFor(people: number, { cpuMs, firstCpuMs }: Cost): number {
  return (people * cpuMs + STEPS_IN_A_MINUTE * (firstCpuMs - cpuMs)) / 60_000
}

async function measureSize(people: number): Promise<Cost> {
  const data = temporaryData()
  const server = await startServer({
    root: process.cwd(),
    dataDir: data.dir,
    args: ['--no-app', '--db-port', '0'],
  })
  const pool = new Pool({ connectionString: server.dbUrl, max: 1 })
  try {
    const callers = 1 + STEPS_IN_A_MINUTE * CALLERS_IN_A_STEP
    const workspace = await createWorkspace(pool, data.dir, { people, channels: 10, callers })
    const ids = workspace.callers.map(({ profile }) => profile)
    return await measureMinutes(server, pool, {
      workspace: workspace.id,
      others: people - callers,
      ids,
      callers: await Promise.all(workspace.callers.map(({ token }) => startCaller(server, token))),
    })
  } finally {
    await pool.end()
    await server.end('SIGTERM')
    data.remove()
  }
}

async function startCaller(server: Server, token: string): Promise<Caller> {
  const client = createTimedClient(server, token)
  const { digests } = (await client.call<Bootstrap>('bootstrap', {})).response
  return { client, stored: digests }
}

async function measureMinutes(
  server: Server,
  pool: Pool,
  o: { workspace: string; others: number; ids: string[]; callers: Caller[] },
): Promise<Cost> {
  const cpu = (): number => cpuOfProcessTree(server.pids.server) + cpuOfProcessTree(server.pids.db)
  const beat = async (caller: Caller): Promise<number> => {
    const { bytes, response } = await caller.client.call<Heartbeat>('heartbeat', {
      workspace: o.workspace,
      state: 'active',
      stored: caller.stored,
    })
    caller.stored = { ...caller.stored, ...response.digests }
    return bytes
  }
  const [first, ...callers] = o.callers
  const measured = { bytes: [] as number[], cpuMs: 0, firstCpuMs: 0, steps: 0 }
  for (let minute = 0; minute < MINUTES; minute++) {
    for (let step = 0; step < STEPS_IN_A_MINUTE; step++) {
      await changePresence(pool, o.ids, Math.round(o.others / 10 / STEPS_IN_A_MINUTE))
      const begun = cpu()
      await beat(first!)
      const computed = cpu()
      const sizes = []
      const at = step * CALLERS_IN_A_STEP
      for (const caller of callers.slice(at, at + CALLERS_IN_A_STEP)) sizes.push(await beat(caller))
      // In the first minutes clients receive everybody, and Node and PostgreSQL compile.
      if (minute < 2) continue
      measured.bytes.push(...sizes)
      measured.firstCpuMs += computed - begun
      measured.cpuMs += cpu() - computed
      measured.steps += 1
    }
  }
  for (const { client } of o.callers) client.close()
  return {
    bytes: median(measured.bytes),
    cpuMs: measured.cpuMs / measured.steps / CALLERS_IN_A_STEP,
    firstCpuMs: measured.firstCpuMs / measured.steps,
  }
}

/** Ten seconds later: this many other people have come, gone or changed state, and the presence may be computed again. */
async function changePresence(pool: Pool, callers: string[], count: number): Promise<void> {
  await pool.query(
    `update public.heartbeats h set
       state = case when h.state = 'active' then 'away' else 'active' end,
       seen_at = case when random() < 0.5 then h.seen_at when h.seen_at > now() then now() - interval '1 hour'
         else now() + interval '1 hour' end
     where h.profile_id in (
       select o.profile_id from public.heartbeats o where o.profile_id <> all ($1::uuid[]) order by random() limit $2)`,
    [callers, count],
  )
  await pool.query(`update public.presence set computed_at = computed_at - interval '11 seconds'`)
}
