import { respondWithFile } from './respondWithFile.ts'
import { requestStorageAccess, isPage } from './requestStorageAccess.ts'
import { respondToNavigation, isPageRequest } from './respondToNavigation.ts'
import { requestedFile } from './requestedFile.ts'
import type { RequestedFile } from './requestedFile.ts'
import { findAsset, storeBuild } from './builds.ts'
import type { Build, BuildStorage } from './builds.ts'
import {
  NOTIFICATION_LOCK,
  type FileFailed,
  type PageMessage,
  type PushSubscriptionChanged,
} from './workerMessages.ts'
import { respondToClick } from './push/respondToClick.ts'
import { pushTextOf, respondToPush } from './push/respondToPush.ts'
import { isShare, respondToShare } from './shares.ts'
import type { WindowPage, WorkerClient, WorkerScope } from './scope.ts'

/*
 * The service worker. It fetches attached files with the reader's token, so that videos can be seeked and large files
 * are saved without the page's memory. It starts the app without a network from the files of its build. It displays
 * push messages. It stores no token and no message. README.md in this directory describes the rules.
 */

declare const __BUILD__: Build

const scope = self as unknown as WorkerScope
let transfers = new AbortController()

const storage: BuildStorage = {
  caches,
  fetch,
  used: async () => {
    const { held = [] } = await scope.navigator.locks.query()
    return new Set(held.map(({ name }) => name ?? ''))
  },
  use: (name, work) => scope.navigator.locks.request(name, { mode: 'shared' }, work),
}

scope.addEventListener('install', (event) => {
  // With static routing, browsers don't start this worker for requests to which it does not respond.
  const mine = [
    { requestMode: 'navigate' },
    { urlPattern: { pathname: '/attached/*' } },
    { urlPattern: { pathname: '/assets/*' } },
  ]
  const routed = event.addRoutes?.([{ condition: { not: { or: mine } }, source: 'network' }])
  if (routed) event.waitUntil(routed.catch(() => {}))
  // Pages of the previous build find their files in its cache, so a new worker takes over at once; the old one completes
  // its requests. The build is stored later, so that a failed download leaves no page without a worker.
  event.waitUntil(scope.skipWaiting())
})

// Navigation preload stays off, because it would request single-use links twice. This worker does not handle such
// links.
scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()))

scope.addEventListener('message', (event) => {
  const { linnet } = (event.data ?? {}) as Partial<PageMessage>
  if (linnet === 'activate') event.waitUntil(scope.skipWaiting())
  if (linnet === 'claim') event.waitUntil(scope.clients.claim())
  // Missing files are fetched at the next start of a page.
  if (linnet === 'store') event.waitUntil(storeOnce().catch(() => {}))
  if (linnet !== 'end-transfers') return
  transfers.abort()
  transfers = new AbortController()
})

let storing: Promise<void> | null = null

function storeOnce(): Promise<void> {
  storing ??= storeBuild(__BUILD__, storage).finally(() => {
    storing = null
  })
  return storing
}

scope.addEventListener('fetch', (event) => {
  const { request, clientId } = event
  if (isShare(request, scope.location.origin)) return event.respondWith(respondToShare(request, caches))
  if (isPageRequest(request, scope.location.origin)) {
    const later = (work: Promise<unknown>) => event.waitUntil(work)
    event.respondWith(respondToNavigation({ request: () => fetch(request), caches, later }))
    return
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') return
  const url = new URL(request.url)
  const file = requestedFile(url, scope.location.origin)
  if (file) event.respondWith(respondFile(file, request, clientId))
  else if (url.origin === scope.location.origin && url.pathname.startsWith('/assets/')) {
    event.respondWith(respondAsset(url.pathname, request))
  }
})

scope.addEventListener('push', (event) => {
  const text = pushTextOf(event.data, event.notification ?? null)
  const lock = (work: () => Promise<void>) => scope.navigator.locks.request(NOTIFICATION_LOCK, work)
  event.waitUntil(respondToPush(text, { registration: scope.registration, lock, fetch }))
})

scope.addEventListener('notificationclick', (event) => {
  const { action, notification } = event
  notification.close()
  event.waitUntil(
    respondToClick(
      { action, data: notification.data },
      { pages: openPages, openWindow: (path) => scope.clients.openWindow(path), fetch },
    ),
  )
})

scope.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(replaceSubscription(event.oldSubscription).catch(() => {}))
})

/**
 * Subscribes again. An open page registers the subscription with the server at once, otherwise the next page does.
 */
async function replaceSubscription(old: PushSubscription | null): Promise<void> {
  if (old) await scope.registration.pushManager.subscribe(old.options)
  const changed: PushSubscriptionChanged = { linnet: 'push-subscription-changed' }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a client has none
  for (const page of await openPages()) page.postMessage(changed)
}

async function respondAsset(path: string, request: Request): Promise<Response> {
  const stored = await findAsset(path, caches).catch(() => undefined)
  return stored ?? fetch(request)
}

async function respondFile(file: RequestedFile, request: Request, clientId: string): Promise<Response> {
  const response = await respondWithFile(file, request, {
    storageAccess: async (refused) => requestStorageAccess(await pagesFor(clientId), refused),
    fetch,
    signal: transfers.signal,
  })
  if (response.status >= 400 && !request.signal.aborted) {
    const failed: FileFailed = { linnet: 'file-failed', path: file.path }
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a client has none
    for (const page of await openPages()) page.postMessage(failed)
  }
  return response
}

/**
 * Returns the requesting page. For a file in a frame or window it returns all pages, since all have the same user.
 */
async function pagesFor(clientId: string): Promise<readonly WorkerClient[]> {
  const own = clientId === '' ? undefined : await scope.clients.get(clientId)
  return own && isPage(own) ? [own] : openPages()
}

async function openPages(): Promise<readonly WindowPage[]> {
  return (await scope.clients.matchAll({ type: 'window', includeUncontrolled: true })).filter(isPage)
}
