import { answerAttached } from './answerAttached.ts'
import { askForPass, isPage } from './askForPass.ts'
import { attachedFile } from './attachedFile.ts'
import type { AttachedFile } from './attachedFile.ts'
import type { FileMissed, ToWorker } from './messages.ts'
import type { WorkerClient, WorkerScope } from './scope.ts'

/*
 * Fetches attached files with the reader's own token, so that a film can be sought in, a large file saved, and
 * nothing of either be held in the page's memory. Everything else passes it by.
 */

const scope = self as unknown as WorkerScope
let transfers = new AbortController()

scope.addEventListener('install', (event) => {
  // A browser that knows routes doesn't even start this worker for anything but files.
  const routed = event.addRoutes?.([
    { condition: { not: { urlPattern: { pathname: '/attached/*' } } }, source: 'network' },
  ])
  if (routed) event.waitUntil(routed.catch(() => {}))
  // It knows nothing that a page could lose: a new one takes over at once, an old one ends what it has begun.
  event.waitUntil(scope.skipWaiting())
})

scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()))

scope.addEventListener('message', (event) => {
  const { linnet } = (event.data ?? {}) as Partial<ToWorker>
  if (linnet === 'claim') event.waitUntil(scope.clients.claim())
  if (linnet !== 'forget') return
  transfers.abort()
  transfers = new AbortController()
})

scope.addEventListener('fetch', (event) => {
  const { request, clientId } = event
  if (request.method !== 'GET' && request.method !== 'HEAD') return
  const file = attachedFile(new URL(request.url), scope.location.origin)
  if (file) event.respondWith(answer(file, request, clientId))
})

async function answer(file: AttachedFile, request: Request, clientId: string): Promise<Response> {
  const response = await answerAttached(file, request, {
    pass: async (refused) => askForPass(await pagesFor(clientId), refused),
    fetch,
    signal: transfers.signal,
  })
  if (response.status >= 400 && !request.signal.aborted) {
    const missed: FileMissed = { linnet: 'missed', path: file.path }
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a client has none
    for (const page of await openPages()) page.postMessage(missed)
  }
  return response
}

/** The page that asks, or any when a frame or a window of its own does: all are of one person. */
async function pagesFor(clientId: string): Promise<readonly WorkerClient[]> {
  const own = clientId === '' ? undefined : await scope.clients.get(clientId)
  return own && isPage(own) ? [own] : openPages()
}

async function openPages(): Promise<readonly WorkerClient[]> {
  return (await scope.clients.matchAll({ type: 'window', includeUncontrolled: true })).filter(isPage)
}
