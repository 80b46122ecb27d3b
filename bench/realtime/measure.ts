import type { Worker } from '../load/openWorker.ts'
import { cpuOf, residentBytes } from '../load/usage.ts'
import { median } from '../rest/interleave.ts'
import type { BenchRow } from '../table.ts'
import type { Contender } from './contenders.ts'
import type { RealtimeResult, RealtimeTask } from './loader.ts'
import type { ChannelLoad } from './loadChannel.ts'

export interface Setup {
  loader: Worker<RealtimeTask, RealtimeResult>
  ours: Contender
  /** `ws` alone, for the limit. */
  bare: Contender
}

interface Round extends ChannelLoad {
  /** CPU of the server per 1,000 deliveries, and of its database per message, in ms. */
  serverCpu: number
  databaseCpu: number
}

const rounds = { calm: 3, reconnect: 5 }
const calm = { perSecond: 20, seconds: 3 }
/** Sockets connected at once where memory is measured. */
const connectBatch = 500
const goals = { p50: 5, p99: 20, idleBytes: 16 * 1024, reconnectMs: 900 }
/** ejabberd with its archive on the same machine: as a reference (measured once, by hand). */
const ejabberd = { deliveries: 40_000, p50: 11, p99: 27 }

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function connect({ loader }: Setup, contender: Contender, from: number, to: number): Promise<number> {
  const joins = Array.from({ length: to - from }, (_, n) => contender.join(from + n))
  return (await loader.run({ kind: 'grow', url: contender.url, joins })).ms
}

const disconnectAll = ({ loader }: Setup): Promise<RealtimeResult> => loader.run({ kind: 'shrink', keep: 0 })

async function load(
  { loader }: Setup,
  contender: Contender,
  o: { perSecond: number; seconds: number; bytes?: number },
): Promise<Round> {
  const before = contender.cpu()
  const { load } = await loader.run({ kind: 'load', ...o })
  const after = contender.cpu()
  return {
    ...load!,
    serverCpu: ((after.server - before.server) / load!.received) * 1_000,
    databaseCpu: (after.database - before.database) / load!.sent,
  }
}

/** Latency and CPU at 20 messages a second, for channels of several sizes. */
export async function measureLatency(setup: Setup, sizes: number[]): Promise<BenchRow[]> {
  const rows: BenchRow[] = []
  for (const size of sizes) {
    const ours: Round[] = []
    const bare: Round[] = []
    for (let round = 0; round < rounds.calm; round++) {
      let bytes = 0
      for (const contender of [setup.ours, setup.bare]) {
        await connect(setup, contender, 0, size)
        await setup.loader.run(contender.openSender)
        await load(setup, contender, { perSecond: 20, seconds: 1 })
        const done = await load(setup, contender, { ...calm, ...(bytes > 0 && { bytes }) })
        // The same message size for both servers.
        bytes = done.bytes
        ;(contender === setup.ours ? ours : bare).push(done)
        await disconnectAll(setup)
      }
    }
    const of = (loads: Round[], name: keyof Round): number => median(loads.map((load) => load[name]))
    const ratio = (name: keyof Round): number => median(ours.map((load, i) => load[name] / bare[i]![name]))
    const row = (name: 'p50' | 'p95' | 'p99', goal?: number): BenchRow => ({
      what: `${size} members, 20 messages/s: ${name}`,
      value: of(ours, name),
      unit: 'ms',
      ratio: ratio(name),
      against: `ws alone, ${of(bare, name).toFixed(1)} ms`,
      ...(goal && { also: { 'ms is the goal': goal } }),
    })
    const withGoals = size === 500
    rows.push(
      row('p50', withGoals ? goals.p50 : undefined),
      row('p95'),
      row('p99', withGoals ? goals.p99 : undefined),
      {
        what: `${size} members: CPU of the server per 1,000 deliveries`,
        value: of(ours, 'serverCpu'),
        unit: 'ms',
        ratio: ratio('serverCpu'),
        against: `ws alone, ${of(bare, 'serverCpu').toFixed(1)} ms`,
        also: {
          'ms of PostgreSQL a message': of(ours, 'databaseCpu'),
          'ms from the sender’s answer, p50': of(ours, 'afterResponse'),
          'bytes a message': of(ours, 'bytes'),
        },
      },
    )
    if (withGoals) {
      rows.push(
        ...(['p50', 'p99'] as const).map((name) => ({
          what: `${size} members, 20 messages/s: ${name}`,
          value: of(ours, name),
          unit: 'ms',
          ratio: of(ours, name) / ejabberd[name],
          against: `ejabberd with its archive, ${ejabberd[name]} ms`,
        })),
      )
    }
  }
  return rows
}

/** The highest rate at which nothing is lost and 99 of 100 arrive within a second. */
export async function measureMaxRate(setup: Setup, size: number): Promise<BenchRow[]> {
  let bytes = 0
  const best: number[] = []
  for (const contender of [setup.ours, setup.bare]) {
    await connect(setup, contender, 0, size)
    await setup.loader.run(contender.openSender)
    let passed: Round | null = null
    for (let perSecond = 50; perSecond < 5_000; perSecond = Math.round(perSecond * 1.25)) {
      const attempt = async (): Promise<Round | null> => {
        const round = await load(setup, contender, { perSecond, seconds: 2, ...(bytes > 0 && { bytes }) })
        return round.received === round.sent * size && round.lost === 0 && round.p99 <= 1_000 ? round : null
      }
      // Retried once, as other load on the machine may have interfered.
      const round = (await attempt()) ?? (await attempt())
      if (!round) break
      passed = round
    }
    bytes ||= passed?.bytes ?? 0
    best.push(passed?.rate ?? 0)
    await disconnectAll(setup)
  }
  const [ours, bare] = best as [number, number]
  const what = `deliveries to ${size} members, nothing lost, p99 ≤ 1 s`
  const metric = { what, value: ours, unit: '/s' }
  return [
    { ...metric, ratio: ours / bare, against: `ws alone, ${Math.round(bare).toLocaleString('en')}/s` },
    {
      ...metric,
      ratio: ours / ejabberd.deliveries,
      against: `ejabberd with its archive, ${ejabberd.deliveries.toLocaleString('en')}/s`,
    },
  ]
}

/** Resident memory of the server for each joined socket, measured on a server without earlier sockets. */
export async function measureIdle(setup: Setup, sizes: number[]): Promise<BenchRow[]> {
  const perSocket = async (contender: Contender): Promise<number[]> => {
    // Excludes code and connections that are created once, and heap growth for concurrent joins.
    await connect(setup, contender, 0, connectBatch)
    await disconnectAll(setup)
    const before = residentBytes(contender.pid)
    const found: number[] = []
    let connected = 0
    for (const size of sizes) {
      for (; connected < size; connected += connectBatch) {
        await connect(setup, contender, connected, Math.min(size, connected + connectBatch))
      }
      // Leaves time for garbage collection after the joins.
      await pause(3_000)
      found.push((residentBytes(contender.pid) - before) / size)
    }
    await disconnectAll(setup)
    return found
  }
  const ours = await perSocket(setup.ours)
  const bare = await perSocket(setup.bare)
  return sizes.map((size, i) => ({
    what: `memory of a joined idle socket, of ${size.toLocaleString('en')}`,
    value: ours[i]! / 1024,
    unit: 'KiB',
    ratio: ours[i]! / goals.idleBytes,
    against: `${goals.idleBytes / 1024} KiB, the most it may be`,
    also: { 'KiB with ws alone': bare[i]! / 1024 },
  }))
}

/** All connect concurrently and join one topic each, with different tokens that the server has cached. */
export async function measureReconnect(setup: Setup, count: number): Promise<BenchRow[]> {
  const ours: { ms: number; server: number; database: number; clients: number }[] = []
  const bare: number[] = []
  const cpu = (): Record<'server' | 'database' | 'clients', number> => ({
    ...setup.ours.cpu(),
    clients: cpuOf(setup.loader.pid),
  })
  for (let round = -1; round < rounds.reconnect; round++) {
    const before = cpu()
    const ms = await connect(setup, setup.ours, 0, count)
    const after = cpu()
    await disconnectAll(setup)
    const limit = await connect(setup, setup.bare, 0, count)
    await disconnectAll(setup)
    if (round < 0) continue
    ours.push({
      ms,
      server: after.server - before.server,
      database: after.database - before.database,
      clients: after.clients - before.clients,
    })
    bare.push(limit)
  }
  const of = (name: keyof (typeof ours)[number]): number => median(ours.map((round) => round[name]))
  return [
    {
      what: `${count.toLocaleString('en')} reconnect and join a topic each`,
      value: of('ms') / 1_000,
      unit: 's',
      ratio: of('ms') / goals.reconnectMs,
      against: `${goals.reconnectMs / 1_000} s, the most it may be`,
      also: {
        's with ws alone': median(bare) / 1_000,
        's CPU of the server': of('server') / 1_000,
        's CPU of PostgreSQL': of('database') / 1_000,
        's CPU of the clients': of('clients') / 1_000,
      },
    },
  ]
}
