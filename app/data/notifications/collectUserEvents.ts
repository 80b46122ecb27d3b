import type { UserEvent } from '../../../wire/events.ts'
import type { Store } from '../store/store.ts'

/** Events that are kept; the oldest are dropped first. */
const MAX_EVENTS = 100

/**
 * Collects the events of the user's topic until notifications start, whose code is loaded after the first messages: the
 * store has nothing of other workspaces. Returns the function that ends this and returns them.
 */
export function collectUserEvents(store: Store): () => readonly UserEvent[] {
  const events: UserEvent[] = []
  const unwatch = store.watch((event) => {
    if (event.type !== 'userEventReceived') return
    events.push(event.event)
    if (events.length > MAX_EVENTS) events.shift()
  })
  return () => {
    unwatch()
    return events.splice(0)
  }
}
