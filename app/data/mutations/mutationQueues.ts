import { targetMessage } from './mutation.ts'
import type { Mutation, Mutations } from './mutation.ts'
import { kindOf } from './mutationKinds.ts'
import { runnableSteps } from './mutationSteps.ts'
import type { MutationStep } from './mutationSteps.ts'
import { backoff } from '../client/backoff.ts'
import type { Ports } from '../sync/ports.ts'

/** The maximum number of concurrent requests. Hundreds may be pending after hours offline. */
const MAX_PARALLEL = 4
/** The maximum number of concurrent uploads beside the requests. Messages never wait for uploads. */
const MAX_PARALLEL_UPLOADS = 3
/** The maximum delay (ms). A clock that was set back must not delay a mutation for years. */
const MAX_WAIT_MS = 60_000

/** The result of a step. `progressed`: retry later, and start the backoff again, because progress was made. */
export type StepResult = 'done' | 'retry' | 'progressed'

export interface MutationQueues {
  /** Starts steps that are due; called after each change of the mutations. */
  run: () => void
  /** The same, without waiting for backoff. */
  retryNow: () => void
  /** The same, including read markers that are not due yet. */
  sendReadMarkers: () => void
  pendingQueues: () => number
  stop: () => void
}

/** Runs steps in order within their queues, and a few queues at a time. It repeats failed steps with backoff. */
export function createMutationQueues(
  ports: Pick<Ports, 'after' | 'random'> & {
    clock: () => number
    mutations: () => Mutations
    execute: (step: MutationStep) => Promise<StepResult>
    mayRun: () => boolean
  },
): MutationQueues {
  const { clock } = ports
  /** The running step of each queue. */
  const running = new Map<string, MutationStep>()
  const failed = new Map<string, { attempts: number; until: number }>()
  let cancelTimer: (() => void) | null = null

  function run(sendsReadMarkersNow = false) {
    cancelTimer?.()
    cancelTimer = null
    if (!ports.mayRun()) return
    const now = clock()
    const mutations = ports.mutations()
    const seenKeys = new Set<string>()
    let nextDelayMs = MAX_WAIT_MS + 1
    for (const step of mutations.flatMap(runnableSteps)) {
      const { queueKey, mutation } = step
      if (seenKeys.has(queueKey)) continue
      seenKeys.add(queueKey)
      if (
        running.has(queueKey) ||
        isFull(step.file !== null) ||
        waitsForMessage(mutation, mutations, running)
      )
        continue
      const dueAt = sendsReadMarkersNow && kindOf(mutation).isReadMarker ? 0 : mutation.notBefore
      const wait = Math.max(dueAt, failed.get(queueKey)?.until ?? 0) - now
      if (wait > 0 && wait <= MAX_WAIT_MS) nextDelayMs = Math.min(nextDelayMs, wait)
      else start(step)
    }
    if (nextDelayMs <= MAX_WAIT_MS) cancelTimer = ports.after(nextDelayMs, () => run())
  }

  function isFull(files: boolean): boolean {
    const runningAlike = [...running.values()].filter((step) => (step.file !== null) === files)
    return runningAlike.length >= (files ? MAX_PARALLEL_UPLOADS : MAX_PARALLEL)
  }

  function start(step: MutationStep) {
    running.set(step.queueKey, step)
    void ports.execute(step).then(
      (result) => settle(step.queueKey, result),
      () => settle(step.queueKey, 'retry'),
    )
  }

  function settle(queueKey: string, result: StepResult) {
    running.delete(queueKey)
    if (result !== 'retry') failed.delete(queueKey)
    if (result !== 'done') {
      const attempts = failed.get(queueKey)?.attempts ?? 0
      failed.set(queueKey, {
        attempts: attempts + 1,
        until: clock() + backoff(ports.random, attempts, MAX_WAIT_MS),
      })
    }
    run()
  }

  return {
    run: () => run(),
    retryNow: () => {
      failed.clear()
      run()
    },
    sendReadMarkers: () => run(true),
    pendingQueues: () => running.size + (cancelTimer ? 1 : 0),
    stop: () => {
      cancelTimer?.()
      cancelTimer = null
    },
  }
}

/**
 * Whether the mutation concerns a message that is still being sent. A deletion that overtook the message would find
 * nothing to delete.
 */
function waitsForMessage(
  mutation: Mutation,
  mutations: Mutations,
  running: ReadonlyMap<string, MutationStep>,
): boolean {
  const message = targetMessage(mutation)
  if (message === null) return false
  const sendsIt = (other: Mutation) =>
    other.kind === 'send' && other.id === message && other.state === 'pending'
  return (
    mutations.some(sendsIt) ||
    [...running.values()].some((step) => step.file === null && sendsIt(step.mutation))
  )
}
