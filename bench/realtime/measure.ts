import type { Worker } from '../load/openWorker.ts'
import { cpuOf, residentBytes } from '../load/usage.ts'
import { median } from '../rest/inTurns.ts'
import type { BenchRow } from '../table.ts'
import type { Contender } from './contender.ts'
import type { RoomAnswer, RoomTask } from './loader.ts'
import type { RoomLoad } from './loadRoom.ts'

export interface Stage {
  loader: Worker<RoomTask, RoomAnswer>
  ours: Contender
  /** `ws` alone, for the limit. */
  bare: Contender
}

interface Round extends RoomLoad {
  /** CPU of the server per 1,000 deliveries, and of its database per message, in ms. */
  serverCpu: number
  databaseCpu: number
}

const rounds = { calm: 3, reconnect: 5 }
const calm = { perSecond: 20, seconds: 3 }
/** So many come at once where memory is measured. */
const arrivals = 500
const goals = { p50: 5, p99: 20, idleBytes: 16 * 1024, reconnectMs: 900 }
/** ejabberd with its archive on the same machine: what people would run instead (measured once, by hand). */
const ejabberd = { deliveries: 40_000, p50: 11, p99: 27 }

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function grow({ loader }: Stage, contender: Contender, from: number, to: number): Promise<number> {
  const joins = Array.from({ length: to - from }, (_, n) => contender.join(from + n))
  return (await loader.run({ kind: 'grow', url: contender.url, joins })).ms
}

const leave = ({ loader }: Stage): Promise<RoomAnswer> => loader.run({ kind: 'shrink', keep: 0 })

async function load(
  { loader }: Stage,
  contender: Contender,
  o: { perSecond: number; seconds: number; bytes?: number },
): Promise<Round> {
  const before = contender.cpu()
  const { load } = await loader.run({ kind: 'load', ...o })
  const after = contender.cpu()
  return {
    ...load!,
    serverCpu: ((after.server - before.server) / load!.heard) * 1_000,
    databaseCpu: (after.database - before.database) / load!.sent,
  }
}

/** How long a message takes and what it costs at 20 a second, for rooms of several sizes. */
export async function measureCalm(stage: Stage, sizes: number[]): Promise<BenchRow[]> {
  const rows: BenchRow[] = []
  for (const size of sizes) {
    const ours: Round[] = []
    const bare: Round[] = []
    for (let round = 0; round < rounds.calm; round++) {
      let bytes = 0
      for (const contender of [stage.ours, stage.bare]) {
        await grow(stage, contender, 0, size)
        await stage.loader.run(contender.speak)
        await load(stage, contender, { perSecond: 20, seconds: 1 })
        const done = await load(stage, contender, { ...calm, ...(bytes > 0 && { bytes }) })
        // The same number of bytes on both wires.
        bytes = done.bytes
        ;(contender === stage.ours ? ours : bare).push(done)
        await leave(stage)
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
          'ms from the sender’s answer, p50': of(ours, 'afterAnswer'),
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
export async function measureMost(stage: Stage, size: number): Promise<BenchRow[]> {
  let bytes = 0
  const best: number[] = []
  for (const contender of [stage.ours, stage.bare]) {
    await grow(stage, contender, 0, size)
    await stage.loader.run(contender.speak)
    let held: Round | null = null
    for (let perSecond = 50; perSecond < 5_000; perSecond = Math.round(perSecond * 1.25)) {
      const attempt = async (): Promise<Round | null> => {
        const round = await load(stage, contender, { perSecond, seconds: 2, ...(bytes > 0 && { bytes }) })
        return round.heard === round.sent * size && round.lost === 0 && round.p99 <= 1_000 ? round : null
      }
      // Once more before it counts: something else on the machine may have had its turn.
      const holds = (await attempt()) ?? (await attempt())
      if (!holds) break
      held = holds
    }
    bytes ||= held?.bytes ?? 0
    best.push(held?.rate ?? 0)
    await leave(stage)
  }
  const [ours, bare] = best as [number, number]
  const what = `deliveries to ${size} members, nothing lost, p99 ≤ 1 s`
  const figure = { what, value: ours, unit: '/s' }
  return [
    { ...figure, ratio: ours / bare, against: `ws alone, ${Math.round(bare).toLocaleString('en')}/s` },
    {
      ...figure,
      ratio: ours / ejabberd.deliveries,
      against: `ejabberd with its archive, ${ejabberd.deliveries.toLocaleString('en')}/s`,
    },
  ]
}

/** What each joined socket adds to the server's resident memory. Of a server that has had none before. */
export async function measureIdle(stage: Stage, sizes: number[]): Promise<BenchRow[]> {
  const perSocket = async (contender: Contender): Promise<number[]> => {
    // What is compiled and opened once is no socket's, nor is the room that V8 makes for those who come at once.
    await grow(stage, contender, 0, arrivals)
    await leave(stage)
    const before = residentBytes(contender.pid)
    const found: number[] = []
    let there = 0
    for (const size of sizes) {
      for (; there < size; there += arrivals) {
        await grow(stage, contender, there, Math.min(size, there + arrivals))
      }
      // What the joins left behind is swept now or never.
      await pause(3_000)
      found.push((residentBytes(contender.pid) - before) / size)
    }
    await leave(stage)
    return found
  }
  const ours = await perSocket(stage.ours)
  const bare = await perSocket(stage.bare)
  return sizes.map((size, i) => ({
    what: `memory of a joined idle socket, of ${size.toLocaleString('en')}`,
    value: ours[i]! / 1024,
    unit: 'KiB',
    ratio: ours[i]! / goals.idleBytes,
    against: `${goals.idleBytes / 1024} KiB, the most it may be`,
    also: { 'KiB with ws alone': bare[i]! / 1024 },
  }))
}

/** All connect at once and join one topic each, every one with a token of its own, which the server has seen. */
export async function measureReconnect(stage: Stage, count: number): Promise<BenchRow[]> {
  const ours: { ms: number; server: number; database: number; clients: number }[] = []
  const bare: number[] = []
  const cpu = (): Record<'server' | 'database' | 'clients', number> => ({
    ...stage.ours.cpu(),
    clients: cpuOf(stage.loader.pid),
  })
  for (let round = -1; round < rounds.reconnect; round++) {
    const before = cpu()
    const ms = await grow(stage, stage.ours, 0, count)
    const after = cpu()
    await leave(stage)
    const limit = await grow(stage, stage.bare, 0, count)
    await leave(stage)
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
