import type { UserEvent } from '../../../wire/events.ts'
import type { Store } from '../store/store.ts'
import type { SyncEvent } from '../store/syncEvents.ts'
import type { Ports } from '../sync/ports.ts'

/** Milliseconds that gather events which arrive together. */
const GATHER_MS = 500
/** Milliseconds between two requests. */
const MIN_INTERVAL_MS = 2_000
/** Milliseconds after which the next heartbeat requests again: events can be lost, and @channel sends none. */
const MAX_AGE_MS = 55_000

interface UnreadWatcher {
  stop: () => void
}

/**
 * Fetches again what is unread in the user's other workspaces: when an event of the user's topic concerns one of them, and
 * about every minute with a heartbeat. A hidden page waits until it sends its next heartbeat.
 */
export function createUnreadWatcher(
  store: Store,
  ports: Pick<Ports, 'after' | 'now' | 'visible'> & {
    refetch: () => void
  },
): UnreadWatcher {
  let requestedAt = ports.now()
  let cancel: (() => void) | null = null
  /** Something may have changed since the last request. */
  let isOutdated = false
  let stopped = false

  function requestSoon() {
    isOutdated = true
    if (stopped || cancel || !ports.visible()) return
    const wait = Math.max(GATHER_MS, requestedAt + MIN_INTERVAL_MS - ports.now())
    cancel = ports.after(wait, () => {
      cancel = null
      isOutdated = false
      requestedAt = ports.now()
      ports.refetch()
    })
  }

  function onEvent(event: SyncEvent) {
    if (event.type === 'userEventReceived') {
      if (concernsOthers(event.event)) requestSoon()
    } else if (event.type === 'heartbeatReceived') {
      if (isOutdated || ports.now() - requestedAt >= MAX_AGE_MS) requestSoon()
    } else if (event.type === 'bootstrapReceived') requestSoon()
  }

  /** Whether what is unread in another workspace may have changed. */
  function concernsOthers({ event, payload }: UserEvent): boolean {
    const { workspace, channels } = store.get()
    switch (event) {
      case 'unread':
        return payload.workspace_id !== workspace?.id
      case 'membership':
        return payload.entry ? payload.entry.channel.workspace_id !== workspace?.id : false
      case 'activity':
      case 'message_deleted':
      case 'message_edited':
      case 'reply':
      case 'state':
      case 'thread':
        return !channels.has(payload.channel_id)
      default:
        return false
    }
  }

  const unwatch = store.watch(onEvent)
  return {
    stop: () => {
      stopped = true
      unwatch()
      cancel?.()
    },
  }
}
