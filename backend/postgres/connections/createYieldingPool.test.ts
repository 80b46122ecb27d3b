import { getPriority } from 'node:os'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createTokenBuckets } from '../../budgets/createTokenBuckets.ts'
import { temporaryPostgres, type TemporaryPostgres } from '../server/temporaryPostgres.ts'
import { createYieldingPool, lowerPriority } from './createYieldingPool.ts'
import { createPool, type Pool } from './pool.ts'

let cluster: TemporaryPostgres
const pools: Pool[] = []

beforeAll(async () => {
  cluster = await temporaryPostgres()
})
afterAll(() => cluster?.stop())

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.end()))
})

/** A pool with which each caller may read for `burstMs`, and the processes whose priority was lowered. */
function limited(burstMs: number) {
  const lowered: number[] = []
  const cpu = { used: 0 }
  const clock = { now: 0 }
  const process = { cpuTime: () => cpu.used, lowerPriority: (pid: number) => void lowered.push(pid) }
  const tested = createYieldingPool({
    pool: createPool(cluster.config('postgres'), { name: 'tested', max: 4 }),
    lowPool: createPool(cluster.config('postgres'), {
      name: 'tested, low priority',
      max: 1,
      onOpen: (client) => lowerPriority(client, process),
    }),
    time: createTokenBuckets({ size: burstMs, refill: 1, period: 1_000, maxDebt: 30, now: () => clock.now }),
    process,
    now: () => clock.now,
  })
  pools.push(tested)
  return { tested, lowered, cpu, clock }
}

/** Runs `work` as a caller, and returns the process of its connection. */
const run = (
  on: Pool,
  caller: string,
  o: { readOnly: boolean },
  work: (pid: number) => unknown = () => {},
): Promise<number> =>
  on.withClient(
    async (client) => {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
      await work(rows[0]!.pid)
      return rows[0]!.pid
    },
    undefined,
    caller,
    o.readOnly,
  )
const reading = { readOnly: true }
const writing = { readOnly: false }

test('long reading yields while it runs, and so does further reading of its caller, but nothing else', async () => {
  const { tested, lowered, cpu } = limited(1_000)
  await run(tested, 'ann', writing)
  const first = await run(tested, 'omar', reading, async (pid) => {
    // Waiting for a lock, for example, takes no time of a processor.
    cpu.used = 500
    await expect.poll(() => (cpu.used += 100) && lowered).toContain(pid)
  })
  const next = await run(tested, 'omar', reading)
  expect(lowered).toEqual([first, next])
  expect(await run(tested, 'omar', reading)).toBe(next)
  // Others would wait for the locks of what they write.
  const others = [await run(tested, 'omar', writing), await run(tested, 'ann', reading)]
  for (const pid of others) expect(lowered).not.toContain(pid)
})

test('nothing yields while its caller is alone', async () => {
  const { tested, lowered, clock } = limited(0)
  await run(tested, 'omar', reading)
  await run(tested, 'omar', reading)
  expect(lowered).toEqual([])
  await run(tested, 'ann', writing)
  expect(lowered).toContain(await run(tested, 'omar', reading))
  clock.now += 1_001
  expect(lowered).not.toContain(await run(tested, 'omar', reading))
})

test('of parallel reading only as much begins at ordinary priority as there is time for', async () => {
  const { tested, lowered } = limited(50)
  await run(tested, 'ann', writing)
  const pids = await Promise.all(Array.from({ length: 5 }, () => run(tested, 'omar', reading)))
  expect(pids.map((pid) => lowered.includes(pid))).toEqual([false, false, false, true, true])
  // What has ended keeps none of it.
  expect(lowered).not.toContain(await run(tested, 'omar', reading))
})

test('a connection of lower priority has a higher nice value', async () => {
  const low = createPool(cluster.config('postgres'), { name: 'low', max: 1, onOpen: lowerPriority })
  pools.push(low)
  expect(getPriority(await run(low, 'omar', reading))).toBe(10)
})
