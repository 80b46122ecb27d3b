import type { Message, ThreadState } from '../../../wire/linnet.ts'
import type { Deed } from './mutation.ts'
import { wishesOf } from './optimisticOverlay.ts'
import type { Wishes } from './optimisticOverlay.ts'

const NOTHING: Wishes = wishesOf([], null)
let wishes = NOTHING
let version = 0

/** What waits now; the outbox says so with each of its changes. */
export function wishDeeds(deeds: readonly Deed[]): void {
  wishes = deeds.length === 0 ? NOTHING : wishesOf(deeds, wishes)
  version += 1
}

export function wishesNow(): Wishes {
  return wishes
}

/** Rises with each change of what waits, so that what is shown is painted again. */
export function wishVersion(): number {
  return version
}

/** The message as it will be once what waits is done; itself where nothing does. */
export function withWishes(message: Message): Message {
  return wishes.message(message)
}

/** One's place in a thread as it will be; itself where nothing waits. */
export function withThreadWishes(thread: ThreadState): ThreadState {
  return wishes.thread(thread)
}
