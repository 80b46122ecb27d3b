import type { Load } from './Latencies.ts'
import type { AuthTask } from '../auth/authLoader.ts'
import type { Worker } from '../load/openWorker.ts'
import type { ObjectsTask } from '../storage/storageLoader.ts'
import type { Task as RestTask } from './loader.ts'

/** Of whichever process makes the load. */
type Task = RestTask | AuthTask | ObjectsTask

const WARM_UP_MS = 500

/**
 * Runs each contender's task for `ms` a round, one after the other, so that what else the machine does meets
 * them all. `task` makes the work of one round. Answers each one's loads, round by round.
 */
export async function inTurns<Name extends string>(
  loader: Worker<Task, Load>,
  contenders: Record<Name, (ms: number) => Task>,
  o: { rounds: number; ms: number },
): Promise<Record<Name, Load[]>> {
  const named = Object.entries(contenders) as [Name, (ms: number) => Task][]
  for (const [, task] of named) await loader.run(task(WARM_UP_MS))
  const loads = Object.fromEntries(named.map(([name]) => [name, [] as Load[]])) as Record<Name, Load[]>
  for (let round = 0; round < o.rounds; round++) {
    for (const [name, task] of named) loads[name].push(await loader.run(task(o.ms)))
  }
  return loads
}

export const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** How `ours` does against `theirs`: the median of what each pair of rounds says. */
export const ratioOf = (ours: Load[], theirs: Load[]): number =>
  median(ours.map(({ rate }, i) => rate / theirs[i]!.rate))
