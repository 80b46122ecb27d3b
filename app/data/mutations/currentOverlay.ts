import type { ThreadState } from '../../../wire/threads.ts'
import type { Message } from '../../../wire/messages.ts'
import type { Mutation } from './mutation.ts'
import { createOptimisticOverlay } from './optimisticOverlay.ts'
import type { OptimisticOverlay } from './optimisticOverlay.ts'

const EMPTY_OVERLAY: OptimisticOverlay = createOptimisticOverlay([], null)
let overlay = EMPTY_OVERLAY
let version = 0

/** The overlay of the pending mutations; the outbox updates it with each change. */
export function updateOverlay(mutations: readonly Mutation[]): void {
  overlay = mutations.length === 0 ? EMPTY_OVERLAY : createOptimisticOverlay(mutations, overlay)
  version += 1
}

export function currentOverlay(): OptimisticOverlay {
  return overlay
}

/** Rises with each change of the overlay; selectors that use it pass it to memoized functions. */
export function overlayVersion(): number {
  return version
}

/** The message with its pending changes; the same object without any. */
export function withOverlay(message: Message): Message {
  return overlay.message(message)
}

/** The reader's thread state with pending changes; the same object without any. */
export function withThreadOverlay(thread: ThreadState): ThreadState {
  return overlay.thread(thread)
}
