import type { ThreadState } from '../../../wire/threads.ts'
import type { Message } from '../../../wire/messages.ts'
import type { Mutation } from './mutation.ts'
import { createOptimisticUpdates } from './optimisticUpdates.ts'
import type { OptimisticUpdates } from './optimisticUpdates.ts'

const NO_UPDATES: OptimisticUpdates = createOptimisticUpdates([], null)
let current = NO_UPDATES
let version = 0

/** Computes the optimistic updates again from `mutations`. The outbox calls this after each of its changes. */
export function changeOptimisticUpdates(mutations: readonly Mutation[]): void {
  current = mutations.length === 0 ? NO_UPDATES : createOptimisticUpdates(mutations, current)
  version += 1
}

/** The optimistic updates of the pending mutations. */
export function currentOptimisticUpdates(): OptimisticUpdates {
  return current
}

/** Rises with each change of the optimistic updates; selectors that use them pass it to memoized functions. */
export function optimisticVersion(): number {
  return version
}

/** The message with its pending changes; the same object without any. */
export function withOptimisticUpdates(message: Message): Message {
  return current.message(message)
}

/** The reader's thread state with pending changes; the same object without any. */
export function withOptimisticThreadUpdates(thread: ThreadState): ThreadState {
  return current.thread(thread)
}
