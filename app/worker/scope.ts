import type { DeclaredNotification } from '../../wire/push.ts'
import type { NotificationRegistry, ShownNotification } from './push/respondToPush.ts'

/**
 * The part of `ServiceWorkerGlobalScope` that the worker uses: TypeScript's library for workers conflicts with that for
 * pages.
 */
export interface WorkerScope {
  clients: {
    get: (id: string) => Promise<WorkerClient | undefined>
    matchAll: (options: { type: 'window'; includeUncontrolled: true }) => Promise<readonly WindowPage[]>
    claim: () => Promise<void>
    openWindow: (path: string) => Promise<unknown>
  }
  registration: NotificationRegistry & { pushManager: PushManager }
  location: Pick<Location, 'origin'>
  navigator: Pick<Navigator, 'locks'>
  skipWaiting: () => Promise<void>
  addEventListener: <Name extends keyof WorkerEvents>(
    name: Name,
    listener: (event: WorkerEvents[Name]) => void,
  ) => void
}

/** A page, or a document in a frame of it. */
export interface WorkerClient {
  url: string
  frameType: 'auxiliary' | 'top-level' | 'nested' | 'none'
  postMessage: (message: unknown, transfer?: Transferable[]) => void
}

/** A page in a window or tab. */
export interface WindowPage extends WorkerClient {
  focus: () => Promise<WindowPage>
  /** Rejects for a page that this worker does not control. */
  navigate: (path: string) => Promise<WindowPage | null>
}

interface ExtendableEvent {
  waitUntil: (promise: Promise<unknown>) => void
}

interface WorkerEvents {
  install: ExtendableEvent & { addRoutes?: (rules: readonly object[]) => Promise<void> }
  activate: ExtendableEvent
  message: ExtendableEvent & { data: unknown }
  fetch: ExtendableEvent & {
    request: Request
    /** Id of the requesting page; empty if a new document is opened. */
    clientId: string
    respondWith: (response: Promise<Response>) => void
  }
  push: ExtendableEvent & {
    data: { text: () => string } | null
    /** Of a declarative message, in browsers that know these. */
    notification?: DeclaredNotification | null
  }
  notificationclick: ExtendableEvent & { action: string; notification: ShownNotification }
  pushsubscriptionchange: ExtendableEvent & { oldSubscription: PushSubscription | null }
}
