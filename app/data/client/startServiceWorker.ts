import { buildName } from '../../worker/builds.ts'
import type {
  FileFailed,
  StorageAccess,
  StorageAccessRequest,
  PageMessage,
} from '../../worker/workerMessages.ts'
import { getClient } from './getClient.ts'
import { loadSettings } from './settings.ts'

/** A build of its own with this path, since the path determines which pages a worker may control. */
const SCRIPT = '/service-worker.js'

/** Milliseconds to wait for a worker that is being installed; without a worker the page itself fetches. */
const CONTROLLER_TIMEOUT_MS = 3_000

/** Milliseconds until a worker that still waits is asked again to take over. */
const ACTIVATION_RETRY_MS = 5_000

/** Minimum interval of token refreshes after a refused request: a fresh token that is refused stays refused. */
const MIN_REFRESH_INTERVAL_MS = 60_000

let started: Promise<void> | null = null
let setControlled: () => void
/** Resolves when the worker controls this page. */
const controlled = new Promise<void>((resolve) => {
  setControlled = resolve
})
let refreshedAt = Number.NEGATIVE_INFINITY
const listeners = new Map<string, Set<() => void>>()

/**
 * Starts the worker that fetches files with this page's token and starts the app without a network, once. Returns whether
 * it controls this page: not on plain http, nor in private windows of some browsers, nor before it is installed, which is
 * waited for only briefly.
 */
export async function startServiceWorker(): Promise<boolean> {
  started ??= start().catch(() => {})
  await started
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer }
  return serviceWorker !== undefined && isController(serviceWorker)
}

/** Starts the worker and resolves when it controls this page, however long its installation takes; never without one. */
export async function waitForServiceWorker(): Promise<void> {
  void startServiceWorker()
  await controlled
}

/** Resolves once the worker controls this page, or has been waited for. */
async function start(): Promise<void> {
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer }
  if (!serviceWorker) return
  serviceWorker.addEventListener('message', onMessage)
  const checkControl = () => {
    if (isController(serviceWorker)) setControlled()
  }
  serviceWorker.addEventListener('controllerchange', checkControl)
  checkControl()
  const registered = serviceWorker.register(SCRIPT, { updateViaCache: 'none' })
  // An installed worker is used, also if it can't be updated now, or registration is blocked and resolves to nothing.
  registered.then(watchUpdates).catch(() => {})
  if (isController(serviceWorker)) return
  const timeout = new Promise((resolve) => {
    setTimeout(resolve, CONTROLLER_TIMEOUT_MS)
  })
  // After a forced reload, an installed worker does not control the page.
  post((await registered).active, { linnet: 'claim' })
  await Promise.race([controlled, timeout])
}

/**
 * A new worker takes over by itself. But if a request reaches the previous one in that moment, Chromium abandons the
 * activation, and the new one would wait until all pages are closed: until then nothing of its build would be stored.
 */
function watchUpdates(registration: ServiceWorkerRegistration): void {
  let isChecking = false
  const check = () => {
    if (isChecking) return
    isChecking = true
    setTimeout(() => {
      isChecking = false
      if (!registration.waiting) return
      post(registration.waiting, { linnet: 'activate' })
      check()
    }, ACTIVATION_RETRY_MS)
  }
  registration.addEventListener('updatefound', () => {
    registration.installing?.addEventListener('statechange', check)
  })
  check()
}

let storing = false

/**
 * Lets the worker store its build, so that the app starts without a network. Called when the first messages are
 * displayed, which it would delay.
 */
export async function storeApp(): Promise<void> {
  if (storing) return
  storing = true
  const { serviceWorker, locks } = navigator as {
    serviceWorker?: ServiceWorkerContainer
    locks?: LockManager
  }
  const scripts = document.querySelectorAll<HTMLScriptElement>('script[type="module"][src^="/assets/"]')
  const entry = [...scripts].at(-1)
  if (!serviceWorker || !entry) return
  // Held until this page closes, so that the files of its build stay stored.
  void locks?.request(buildName(new URL(entry.src).pathname), { mode: 'shared' }, () => new Promise(() => {}))
  const store = () => {
    if (isController(serviceWorker)) post(serviceWorker.controller, { linnet: 'store' })
  }
  // The worker of a newer build stores that one.
  serviceWorker.addEventListener('controllerchange', store)
  if (await startServiceWorker()) store()
}

/** Another application on this origin may have installed a worker. */
function isController({ controller }: ServiceWorkerContainer): boolean {
  return controller !== null && new URL(controller.scriptURL).pathname === SCRIPT
}

function post(worker: ServiceWorker | null, message: PageMessage): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
  worker?.postMessage(message)
}

function onMessage({ data, ports }: MessageEvent<StorageAccessRequest | FileFailed | null>): void {
  if (data?.linnet === 'storage-access') {
    void storageAccess(data.refused)
      .catch(() => null)
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port has none
      .then((pass) => ports[0]?.postMessage(pass))
  }
  if (data?.linnet === 'file-failed') for (const onFailed of listeners.get(data.path) ?? []) onFailed()
}

async function storageAccess(refused: string | null): Promise<StorageAccess | null> {
  const [client, { url, key }] = await Promise.all([getClient(), loadSettings()])
  let { session } = (await client.auth.getSession()).data
  if (session && session.access_token === refused) {
    if (performance.now() - refreshedAt < MIN_REFRESH_INTERVAL_MS) return null
    refreshedAt = performance.now()
    session = (await client.auth.refreshSession()).data.session
  }
  return session && { url, key, token: session.access_token }
}

/** Calls `failed` each time the worker could not fetch the file at a path. Returns a function that unsubscribes. */
export function onFileFailed(path: string, failed: () => void): () => void {
  const others = listeners.get(path) ?? new Set()
  listeners.set(path, others.add(failed))
  return () => {
    others.delete(failed)
    if (others.size === 0 && listeners.get(path) === others) listeners.delete(path)
  }
}

/** Aborts all transfers of the worker, for all pages of this browser. */
export function endTransfers(): void {
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer }
  if (serviceWorker && isController(serviceWorker))
    post(serviceWorker.controller, { linnet: 'end-transfers' })
}
