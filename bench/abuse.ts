import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { startServer, temporaryData, type Server } from '../tests/support/server.ts'
import type { AttackResult, AttackTask } from './abuse/attacker.ts'
import { attacks, type AttackName } from './abuse/attacks.ts'
import { operations, type MembersResult, type MembersTask, type Sample } from './abuse/members.ts'
import { attackOrigins, prepareTarget, withSlowHook, type PreparedAttack } from './abuse/prepareTarget.ts'
import { coresOf, cpuOfAll, familyOf, watchMemory } from './abuse/processes.ts'
import { recoveryOf, summarize } from './abuse/summarize.ts'
import { watchDisk, type DiskWatch } from './abuse/watchDisk.ts'
import { openWorker, type Worker } from './load/openWorker.ts'
import { runAtLowestPriority } from './load/runAtLowestPriority.ts'
import type { BenchRow, BenchTable } from './table.ts'

const goals = { addedP99Ms: 20, peakMiB: 600, recoverMs: 2_000 }
/**
 * The maximum duration. The whole bench ends within 5 minutes, including the build. Attacks for which no time is left
 * count as not measured.
 */
const maxMs = 285_000
/** The time that is reserved for the last measurement, all attacks together. */
const togetherMs = { attack: 10_000, reserved: 40_000 }
const attackMs = 5_000
const leadMs = 300
/**
 * The time for which members are watched after an attack. This is repeated until they are served as before, up to a
 * maximum.
 */
const afterMs = 3_000
const maxWatches = 3
/**
 * The number of processes that make the load. One process may not open as many sockets. Each uses at most this part
 * of a core.
 */
const attackers = 2
const maxCores = 0.25

interface Bench {
  server: Server
  pool: Pool
  prepared: PreparedAttack
  /** Takes the load for comparison. */
  idle: { pid: number; origins: string[] }
  attackers: Worker<AttackTask, AttackResult>[]
  members: Worker<MembersTask, MembersResult>
  memory: ReturnType<typeof watchMemory>
  disk: DiskWatch
}

/**
 * Measures how much attacks on a server slow down its members. The same operations are measured twice: first while
 * the load goes to a listener that does nothing, which costs the machine as much, then while it goes to the server.
 * Attackers and the listener run at the lowest priority. `LINNET_ATTACKS='C1 C9'` measures these attacks alone.
 */
export async function run(): Promise<BenchTable> {
  const elapsedMs = Date.now() - Number(process.env['LINNET_BENCH_STARTED_AT'] ?? Date.now())
  const deadline = performance.now() + maxMs - elapsedMs
  const cleanups: (() => unknown)[] = []
  let isEnding: Promise<void> | null = null
  const end = (): Promise<void> =>
    (isEnding ??= (async () => {
      for (const one of cleanups.reverse()) await one()
    })())
  const interrupt = (): void => void end().finally(() => process.exit(1))
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  try {
    const bench = await open(cleanups)
    await measureMembers(bench, 2_000)
    const { samples } = await measureMembers(bench, 2_000)
    const quiet = summarize(samples, 0, Infinity)
    const rows: BenchRow[] = []
    let notMeasured = 0
    const words = (process.env['LINNET_ATTACKS'] ?? '').split(' ')
    const names = (Object.keys(attacks) as AttackName[]).filter((name) =>
      words.some((word) => word === '' || name === word || name.startsWith(`${word}-`)),
    )
    for (const name of names) {
      if (performance.now() + 2 * attackMs + afterMs + togetherMs.reserved > deadline) {
        process.stderr.write(`${attacks[name].what}: not measured, no time is left\n`)
        notMeasured++
        continue
      }
      rows.push(await measure(bench, { quiet, what: attacks[name].what, names: [name], ms: attackMs }))
    }
    rows.push(await measure(bench, { quiet, what: 'all together', names, ms: togetherMs.attack }))
    const worst = (name: string): number => Math.max(...rows.map(({ also }) => also![name]!))
    return {
      name: 'abuse',
      rows,
      summary: {
        worstAddedP99Ms: round(Math.max(...rows.map(({ value }) => value))),
        peakMiB: round(worst('MiB')),
        recoverMs: round(worst('ms until recovered')),
        ...(notMeasured > 0 ? { notMeasured } : {}),
      },
    }
  } finally {
    await end()
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
}

const round = (value: number): number => Math.round(value * 10) / 10

/**
 * Starts everything that the bench needs. It adds a function to `cleanups` for each part as soon as the part exists.
 */
async function open(cleanups: (() => unknown)[]): Promise<Bench> {
  const root = process.cwd()
  const data = temporaryData()
  cleanups.push(() => data.remove())
  // All addresses: attackers must not come from this machine's loopback, which servers trust.
  const args = ['--no-app', '--db-port', '0', '--host', '::']
  const node = process.env['LINNET_NEWEST_NODE'] ?? process.execPath
  const server = await startServer({ root, dataDir: data.dir, args, node })
  process.stderr.write(`The server runs in ${node}.\n`)
  cleanups.push(() => server.end('SIGTERM'))
  const pool = new Pool({ connectionString: server.dbUrl, max: 1 })
  cleanups.push(() => pool.end())
  const prepared = await prepareTarget(pool, server, data.dir)
  const idle = await startIdleListener(root)
  cleanups.push(() => idle.end())
  const openOne = <Task, Answer>(file: string, detached = false): Worker<Task, Answer> => {
    const worker = openWorker<Task, Answer>(root, file, detached)
    cleanups.push(() => worker.close())
    return worker
  }
  const openAttackers = Array.from({ length: attackers }, () =>
    openOne<AttackTask, AttackResult>('bench/abuse/attacker.ts', true),
  )
  for (const { pid } of [idle, ...openAttackers]) runAtLowestPriority(pid)
  const memory = watchMemory(server.pids)
  cleanups.push(() => memory.close())
  const disk = await watchDisk(data.dir)
  cleanups.push(() => disk.close())
  return {
    server,
    pool,
    prepared,
    idle,
    attackers: openAttackers,
    members: openOne('bench/abuse/members.ts'),
    memory,
    disk,
  }
}

async function startIdleListener(root: string): Promise<Bench['idle'] & { end(): Promise<void> }> {
  const child = spawn(process.execPath, [join(root, 'bin/run.mjs'), 'bench/abuse/idleListener.ts'], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(message as number))
    void ended.then(() => reject(new Error('The idle listener has ended.')))
  })
  return {
    pid: child.pid!,
    origins: attackOrigins(port),
    async end() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

const measureMembers = ({ members, prepared }: Bench, ms: number): Promise<MembersResult> =>
  members.run({ ...prepared.members, ms })

const now = (): number => performance.timeOrigin + performance.now()

interface Round {
  samples: Sample[]
  lost: number
  /** When the attack began and ended. */
  from: number
  until: number
  /** Parts of a core. */
  cores: { server: number; database: number; attackers: number }
  counts: AttackResult['counts']
}

/** Runs the members while the load goes to `origins`, and for `restMs` after it. */
async function runRound(
  bench: Bench,
  o: { names: AttackName[]; origins: string[]; ms: number; restMs: number },
): Promise<Round> {
  const { server, db } = bench.server.pids
  const cpu = (): { server: number; database: number } => ({
    server: cpuOfAll(familyOf(server, db)),
    database: cpuOfAll(familyOf(db)),
  })
  const working = measureMembers(bench, leadMs + o.ms + o.restMs)
  // Nobody waits for this if an attacker fails first, or if all are ended.
  working.catch(() => {})
  await sleep(leadMs)
  const [from, before] = [now(), cpu()]
  const answers = await Promise.all(
    bench.attackers.map((attacker, index) =>
      attacker.run({
        names: o.names,
        target: { ...bench.prepared.target, origins: o.origins },
        part: { index, of: attackers },
        ms: o.ms,
        maxCores,
      }),
    ),
  )
  const [until, after] = [now(), cpu()]
  const { samples, lost } = await working
  const total = (name: keyof AttackResult['counts']): number =>
    answers.reduce((sum, { counts }) => sum + counts[name], 0)
  return {
    samples,
    lost,
    from,
    until,
    cores: {
      server: coresOf(before.server, after.server, until - from),
      database: coresOf(before.database, after.database, until - from),
      attackers: answers.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / (until - from),
    },
    counts: { sent: total('sent'), answered: total('answered'), refused: total('refused') },
  }
}

/** @param o.quiet the durations of operations of members without any load */
async function measure(
  bench: Bench,
  o: { quiet: ReturnType<typeof summarize>; what: string; names: AttackName[]; ms: number },
): Promise<BenchRow> {
  const { idle, prepared, memory, disk, pool } = bench
  const { quiet, what, names, ms } = o
  disk.takeP99()
  const elsewhere = await runRound(bench, { names, origins: idle.origins, ms, restMs: 0 })
  const normal = summarize(elsewhere.samples, elsewhere.from, elsewhere.until)
  const diskWithout = disk.takeP99()
  memory.takePeak()
  const attack = (): Promise<Round> =>
    runRound(bench, { names, origins: prepared.target.origins, ms, restMs: afterMs })
  const attacked = names.includes('C16') ? await withSlowHook(pool, attack) : await attack()
  const diskDuring = disk.takeP99()
  const during = summarize(attacked.samples, attacked.from, attacked.until)
  const later = [...attacked.samples]
  let recovered = recoveryOf(later, attacked.until, normal, goals.addedP99Ms)
  for (let watch = 0; recovered === null && watch < maxWatches; watch++) {
    later.push(...(await measureMembers(bench, afterMs)).samples)
    recovered = recoveryOf(later, attacked.until, normal, goals.addedP99Ms)
  }
  recovered ??= now() - attacked.until
  const added = (to: typeof during, by: typeof during): number =>
    Math.max(0, ...operations.map((name) => by[name].p99 - to[name].p99))
  const value = added(normal, during)
  const floor = added(quiet, normal)
  const { cores, counts } = attacked
  const row: BenchRow = {
    what,
    value,
    unit: 'ms added at p99',
    ratio: value / Math.max(floor, 1),
    goal: `≤ ${goals.addedP99Ms} ms`,
    against: `${round(floor)} ms by the same load on another process`,
    also: {
      ...Object.fromEntries(
        operations.flatMap((name) => [
          [`ms ${name} p50`, during[name].p50],
          [`ms ${name} p99`, during[name].p99],
          [`ms ${name} p50 without`, normal[name].p50],
          [`ms ${name} p99 without`, normal[name].p99],
          [`${name} failed`, during[name].failed],
        ]),
      ),
      'sockets of members lost': attacked.lost - elsewhere.lost,
      MiB: memory.takePeak(),
      'ms until recovered': recovered,
      'ms disk p99': diskDuring,
      'ms disk p99 without': diskWithout,
      'cores of the server': cores.server,
      'cores of PostgreSQL': cores.database,
      'cores of the attackers': cores.attackers,
      'cores of the attackers without': elsewhere.cores.attackers,
      'sent by the attackers': counts.sent,
      answered: counts.answered,
      refused: counts.refused,
    },
  }
  process.stderr.write(`${describe(row)}\n`)
  return row
}

/** Describes a row for the progress output, because the bench takes minutes. */
function describe({ what, value, also = {} }: BenchRow): string {
  const shown = (name: string): number => round(also[name]!)
  const times = operations.map(
    (name) =>
      `  ${name}: p50 ${shown(`ms ${name} p50`)} ms (${shown(`ms ${name} p50 without`)} without), ` +
      `p99 ${shown(`ms ${name} p99`)} ms (${shown(`ms ${name} p99 without`)} without), ${shown(`${name} failed`)} failed`,
  )
  const rest = Object.keys(also)
    .filter((name) => !operations.some((operation) => name.includes(operation)))
    .map((name) => `${shown(name)} ${name}`)
  return [`${what}: ${round(value)} ms added at p99`, ...times, `  ${rest.join(', ')}`].join('\n')
}
