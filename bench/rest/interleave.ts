import type { Load } from './Latencies.ts'
import type { AuthTask } from '../auth/authLoader.ts'
import type { Worker } from '../load/openWorker.ts'
import type { ObjectsTask } from '../storage/storageLoader.ts'
import type { Task as RestTask } from './loader.ts'

/** A task of any load process. */
type Task = RestTask | AuthTask | ObjectsTask

/** Responses of each contender before the first round: V8 compiles what runs often only after thousands of calls. */
const WARM_UP_RESPONSES = 5_000
const WARM_UP_MS = 800
/** A part of the bench has five minutes, also on a busy machine. */
const MAX_WARM_UP_RUNS = 12

/** Runs each contender's task until it has responded often enough to be measured. */
export async function warmUp(
  loader: Worker<Task, Load>,
  contenders: ((ms: number) => Task)[],
): Promise<void> {
  for (const task of contenders) {
    for (let runs = 0, responses = 0; responses < WARM_UP_RESPONSES && runs < MAX_WARM_UP_RUNS; runs++) {
      const { rate } = await loader.run(task(WARM_UP_MS))
      responses += (rate * WARM_UP_MS) / 1_000
    }
  }
}

/**
 * Runs each contender's task for `ms` a round, one after the other, so that other load on the machine affects
 * all of them. Returns the loads of each contender by round.
 */
export async function interleave<Name extends string>(
  loader: Worker<Task, Load>,
  contenders: Record<Name, (ms: number) => Task>,
  o: { rounds: number; ms: number; warmUpMs?: number },
): Promise<Record<Name, Load[]>> {
  const named = Object.entries(contenders) as [Name, (ms: number) => Task][]
  for (const [, task] of named) await loader.run(task(o.warmUpMs ?? 500))
  const loads = Object.fromEntries(named.map(([name]) => [name, [] as Load[]])) as Record<Name, Load[]>
  for (let round = 0; round < o.rounds; round++) {
    for (const [name, task] of named) loads[name].push(await loader.run(task(o.ms)))
  }
  return loads
}

export const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** The median ratio of `ours` to `theirs` over all pairs of rounds. */
export const ratioOf = (ours: Load[], theirs: Load[]): number =>
  median(ours.map(({ rate }, i) => rate / theirs[i]!.rate))
