import { isPointer, messageOf } from './mutation.ts'
import type { Deed } from './mutation.ts'
import { tasksOf } from './tasks.ts'
import type { Task } from './tasks.ts'
import { backoff } from '../sync/ports.ts'
import type { Ports } from '../sync/ports.ts'

/** So many requests of the outbox run at once: after hours offline hundreds may wait. */
const MOST = 4
/** So many files come up beside them: words never wait for a place. */
const MOST_FILES = 3
/** Nothing waits longer by the clock, ms: one that was set back must not hold a deed for years. */
const LONGEST = 60_000

/** `moved`: later, but it got on; whatever failed before is forgiven. */
export type Result = 'done' | 'later' | 'moved'

export interface Lanes {
  /** Starts whatever is due; called after each change of the deeds. */
  go: () => void
  /** The same, without waiting for what failed before. */
  kick: () => void
  /** The same, with the pointers that wait for their turn. */
  hurry: () => void
  busy: () => number
  stop: () => void
}

/** Runs tasks in order within their lanes, a few lanes at a time, each again after a while where it failed. */
export function createLanes(
  ports: Pick<Ports, 'after' | 'random'> & {
    clock: () => number
    deeds: () => readonly Deed[]
    deliver: (task: Task) => Promise<Result>
    may: () => boolean
  },
): Lanes {
  const { clock } = ports
  /** What runs in each lane. */
  const running = new Map<string, Task>()
  const failed = new Map<string, { tries: number; until: number }>()
  let wake: (() => void) | null = null

  function go(hurrying = false) {
    wake?.()
    wake = null
    if (!ports.may()) return
    const now = clock()
    const deeds = ports.deeds()
    const begun = new Set<string>()
    let next = LONGEST + 1
    for (const task of deeds.flatMap(tasksOf)) {
      const { lane, deed } = task
      if (begun.has(lane)) continue
      begun.add(lane)
      if (running.has(lane) || isFull(task.file !== null) || waitsForMessage(deed, deeds, running)) continue
      const asked = hurrying && isPointer(deed) ? 0 : deed.notBefore
      const wait = Math.max(asked, failed.get(lane)?.until ?? 0) - now
      if (wait > 0 && wait <= LONGEST) next = Math.min(next, wait)
      else start(task)
    }
    if (next <= LONGEST) wake = ports.after(next, () => go())
  }

  function isFull(files: boolean): boolean {
    const beside = [...running.values()].filter((task) => (task.file !== null) === files)
    return beside.length >= (files ? MOST_FILES : MOST)
  }

  function start(task: Task) {
    running.set(task.lane, task)
    void ports.deliver(task).then(
      (result) => settle(task.lane, result),
      () => settle(task.lane, 'later'),
    )
  }

  function settle(lane: string, result: Result) {
    running.delete(lane)
    if (result !== 'later') failed.delete(lane)
    if (result !== 'done') {
      const tries = failed.get(lane)?.tries ?? 0
      failed.set(lane, { tries: tries + 1, until: clock() + backoff(ports, tries, LONGEST) })
    }
    go()
  }

  return {
    go: () => go(),
    kick: () => {
      failed.clear()
      go()
    },
    hurry: () => go(true),
    busy: () => running.size + (wake ? 1 : 0),
    stop: () => {
      wake?.()
      wake = null
    },
  }
}

/**
 * What is to be done to a message that is still on its way waits for it, also when its author has taken it back: a
 * deletion that overtakes it finds nothing, and then it is there.
 */
function waitsForMessage(deed: Deed, deeds: readonly Deed[], running: ReadonlyMap<string, Task>): boolean {
  const message = messageOf(deed)
  if (message === null) return false
  const isIt = (one: Deed) => one.kind === 'send' && one.id === message && one.state === 'pending'
  return deeds.some(isIt) || [...running.values()].some((task) => task.file === null && isIt(task.deed))
}
