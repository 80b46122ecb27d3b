import type { UserEvent } from '../../../wire/events.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Store } from '../store/store.ts'
import type { Engine } from '../sync/engine.ts'
import type { Outbox } from '../mutations/outbox.ts'
import type { ReadMarkers } from '../mutations/readMarkers.ts'
import type { TimelineViews } from '../sync/timelineViews.ts'
import type { Typing } from '../messages/typing.ts'
import type { ExpiryTimer } from '../people/expiryTimer.ts'
import type { DeviceStorage } from '../persistence/deviceStorage.ts'

/** Everything that runs for the signed-in account and the shown workspace in this tab. */
export interface ClientSession {
  userId: Uuid
  store: Store
  engine: Engine
  outbox: Outbox
  readMarkers: ReadMarkers
  timelineViews: TimelineViews
  typing: Typing
  expiryTimer: ExpiryTimer
  device: Promise<DeviceStorage>
  /** Channels that were requested and are not visible to the user. */
  missingChannels: Set<Uuid>
  /** The events of the user's topic since the session started, for notifications; empties the list, and ends it. */
  takeEarlierEvents: () => readonly UserEvent[]
  /** Incremented with each change of the optimistic updates. */
  optimisticVersion: () => number
  /** Whether the realtime connection is up. */
  isLive: () => boolean
  /** Makes the other tabs of this account clear their data. */
  signOut: () => void
  /** Whether this tab has the socket of all tabs of the account. */
  isLeader: () => boolean
  /** Stores what is typed, read and cached on this device. */
  flush: () => Promise<void>
  /** `workspace`: another one of the account is shown next. */
  stop: (end: 'account' | 'workspace') => void
}

/** Notifies hooks when anything of the client session has changed. */
export const sessionEmitter = createEmitter()

let current: ClientSession | null = null

export function getClientSession(): ClientSession | null {
  return current
}

/** Replaces the client session; the caller emits the change. */
export function setClientSession(session: ClientSession | null): void {
  current = session
}

let endedWorkspace: Uuid | null = null

/** The workspace that was shown when the membership of the user ended; null once the user opens another one. */
export function getEndedWorkspace(): Uuid | null {
  return endedWorkspace
}

/** Sets the workspace whose end is displayed; the caller emits the change. */
export function setEndedWorkspace(workspace: Uuid | null): void {
  endedWorkspace = workspace
}

interface Emitter {
  emit: () => void
  subscribe: (listener: () => void) => () => void
}

/** Notifies hooks that something may have changed; each compares its result by identity. */
function createEmitter(): Emitter {
  const listeners = new Set<() => void>()
  return {
    emit: () => {
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
