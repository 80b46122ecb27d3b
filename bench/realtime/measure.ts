import type { Worker } from '../load/openWorker.ts'
import { cpuOf, cpuOfMachine, residentBytes } from '../load/usage.ts'
import { median } from '../rest/interleave.ts'
import type { BenchRow } from '../table.ts'
import type { Contender } from './contenders.ts'
import type { RealtimeResult, RealtimeTask } from './loader.ts'
import { findMaxRate } from './findMaxRate.ts'
import type { ChannelLoad } from './loadChannel.ts'

export interface Setup {
  loader: Worker<RealtimeTask, RealtimeResult>
  ours: Contender
  /** The server that Linnet is compared with, and what it is called. */
  other: Contender
  otherName: string
}

interface Round extends ChannelLoad {
  /** CPU of the server per 1,000 deliveries, and of its database per message, in ms. */
  serverCpu: number
  databaseCpu: number
  /** Cores that other programs used meanwhile, the idle contender among them. */
  otherCores: number
}

const rounds = { calm: 3, reconnect: 5 }
const calm = { perSecond: 20, seconds: 3 }
/** Sockets connected at once where memory is measured. */
const connectBatch = 500
const goals = { idleBytes: 16 * 1024, reconnectMs: 900 }

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
  const read = (): { server: number; database: number; own: number; machine: number; at: number } => ({
    ...contender.cpu(),
    own: cpuOf(loader.pid) + cpuOf(process.pid),
    machine: cpuOfMachine(),
    at: performance.now(),
  })
  const before = read()
  const { load } = await loader.run({ kind: 'load', ...o })
  const after = read()
  const used = (name: keyof typeof before): number => after[name] - before[name]
  return {
    ...load!,
    serverCpu: (used('server') / load!.received) * 1_000,
    databaseCpu: used('database') / load!.sent,
    otherCores: (used('machine') - used('server') - used('database') - used('own')) / used('at'),
  }
}

/** A quantile of the time until delivery. */
type LatencyName = 'p50' | 'p95' | 'p99'

/** Latency and CPU at 20 messages a second in a channel of `size`; `goals` of the quantiles are displayed. */
export async function measureLatency(
  setup: Setup,
  size: number,
  goals: Partial<Record<LatencyName, string>> = {},
): Promise<BenchRow[]> {
  const { otherName } = setup
  const ours: Round[] = []
  const others: Round[] = []
  for (let round = 0; round < rounds.calm; round++) {
    let bytes = 0
    for (const contender of [setup.ours, setup.other]) {
      await connect(setup, contender, 0, size)
      await setup.loader.run(contender.openSender)
      await load(setup, contender, { perSecond: 20, seconds: 1 })
      const done = await load(setup, contender, {
        ...calm,
        ...(contender.forwardsFrames && bytes > 0 && { bytes }),
      })
      bytes = done.bytes
      ;(contender === setup.ours ? ours : others).push(done)
      await disconnectAll(setup)
    }
  }
  const of = (loads: Round[], name: keyof Round): number => median(loads.map((load) => load[name]))
  const compared = (name: keyof Round): Pick<BenchRow, 'value' | 'unit' | 'ratio' | 'against'> => ({
    value: of(ours, name),
    unit: 'ms',
    ratio: median(ours.map((load, i) => load[name] / others[i]![name])),
    against: `${otherName}, ${of(others, name).toFixed(1)} ms`,
  })
  const latency = (name: LatencyName): BenchRow => ({
    what: `${size} members, 20 messages/s: ${name}`,
    ...compared(name),
    ...(goals[name] !== undefined && { goal: goals[name] }),
  })
  const hasDatabase = of(others, 'databaseCpu') > 0
  return [
    latency('p50'),
    latency('p95'),
    latency('p99'),
    {
      what: `${size} members: CPU of the server per 1,000 deliveries`,
      ...compared('serverCpu'),
      also: {
        ...(!hasDatabase && { 'ms of PostgreSQL a message': of(ours, 'databaseCpu') }),
        'ms from the sender’s answer, p50': of(ours, 'afterResponse'),
        'bytes a message': of(ours, 'bytes'),
        'cores used by other programs': of([...ours, ...others], 'otherCores'),
      },
    },
    ...(hasDatabase
      ? [{ what: `${size} members: CPU of PostgreSQL for a message`, ...compared('databaseCpu') }]
      : []),
  ]
}

/**
 * The highest rate at which nothing is lost and 99 of 100 arrive within a second; the median of `repetitions`, which
 * alternate between the contenders.
 */
export async function measureMaxRate(
  setup: Setup,
  size: number,
  o: { repetitions: number; goal?: string },
): Promise<BenchRow> {
  const ours: number[] = []
  const others: number[] = []
  let bytes = 0
  for (let repetition = 0; repetition < o.repetitions; repetition++) {
    for (const contender of [setup.ours, setup.other]) {
      await connect(setup, contender, 0, size)
      await setup.loader.run(contender.openSender)
      const attempt = async (perSecond: number): Promise<Round | null> => {
        const settings = { perSecond, seconds: 2, ...(contender.forwardsFrames && bytes > 0 && { bytes }) }
        const round = await load(setup, contender, settings)
        if (round.received === round.sent * size && round.lost === 0 && round.p99 <= 1_000) return round
        // What is queued in the server would delay the next attempt.
        await pause(3_000)
        return null
      }
      // Retried once, as other load on the machine may have interfered.
      const best = await findMaxRate(async (rate) => (await attempt(rate)) ?? (await attempt(rate)))
      bytes = best?.bytes ?? 0
      ;(contender === setup.ours ? ours : others).push(best?.rate ?? 0)
      await disconnectAll(setup)
    }
  }
  return {
    what: `deliveries to ${size} members, nothing lost, p99 ≤ 1 s`,
    ...(o.goal !== undefined && { goal: o.goal }),
    value: median(ours),
    unit: '/s',
    ratio: median(ours.map((rate, i) => rate / others[i]!)),
    against: `${setup.otherName}, ${Math.round(median(others)).toLocaleString('en')}/s`,
  }
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
  const others = await perSocket(setup.other)
  return sizes.map((size, i) => ({
    what: `memory of a joined idle socket, of ${size.toLocaleString('en')}`,
    value: ours[i]! / 1024,
    unit: 'KiB',
    ratio: ours[i]! / goals.idleBytes,
    against: `${goals.idleBytes / 1024} KiB, the most it may be`,
    also: { [`KiB of ${setup.otherName}`]: others[i]! / 1024 },
  }))
}

/** All connect concurrently and join one topic each, with different tokens that the server has cached. */
export async function measureReconnect(setup: Setup, count: number): Promise<BenchRow[]> {
  const ours: { ms: number; server: number; database: number; clients: number }[] = []
  const others: number[] = []
  const cpu = (): Record<'server' | 'database' | 'clients', number> => ({
    ...setup.ours.cpu(),
    clients: cpuOf(setup.loader.pid),
  })
  for (let round = -1; round < rounds.reconnect; round++) {
    const before = cpu()
    const ms = await connect(setup, setup.ours, 0, count)
    const after = cpu()
    await disconnectAll(setup)
    const limit = await connect(setup, setup.other, 0, count)
    await disconnectAll(setup)
    if (round < 0) continue
    ours.push({
      ms,
      server: after.server - before.server,
      database: after.database - before.database,
      clients: after.clients - before.clients,
    })
    others.push(limit)
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
        [`s of ${setup.otherName}`]: median(others) / 1_000,
        's CPU of the server': of('server') / 1_000,
        's CPU of PostgreSQL': of('database') / 1_000,
        's CPU of the clients': of('clients') / 1_000,
      },
    },
  ]
}
