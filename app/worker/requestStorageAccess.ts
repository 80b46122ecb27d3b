import type { StorageAccess, StorageAccessRequest } from './workerMessages.ts'
import type { WorkerClient } from './scope.ts'

/** Timeout (ms) of a page's response: it may have to refresh its token over a slow connection. */
const RESPONSE_TIMEOUT_MS = 15_000

/**
 * Requests the token and address of storage from the open pages, and returns the first response. Null if there is none:
 * nobody is signed in, or no page of the app is open. The worker stores neither, so it has nothing to clear at sign-out.
 */
export async function requestStorageAccess(
  pages: readonly WorkerClient[],
  refused: string | null,
  timeoutMs = RESPONSE_TIMEOUT_MS,
): Promise<StorageAccess | null> {
  return Promise.any(pages.map((page) => requestFromPage(page, refused, timeoutMs))).catch(() => null)
}

async function requestFromPage(
  page: WorkerClient,
  refused: string | null,
  timeoutMs: number,
): Promise<StorageAccess> {
  const { port1, port2 } = new MessageChannel()
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    return await new Promise((resolve, reject) => {
      const request: StorageAccessRequest = { linnet: 'storage-access', refused }
      timer = setTimeout(() => reject(new Error('no answer')), timeoutMs)
      port1.onmessage = ({ data }: MessageEvent<StorageAccess | null>) => {
        if (data) resolve(data)
        else reject(new Error('signed out'))
      }
      page.postMessage(request, [port2])
    })
  } finally {
    clearTimeout(timer)
    port1.close()
  }
}

/** Whether a client is a page of the app, and not a file in a frame or a window. */
export function isPage({ url, frameType }: WorkerClient): boolean {
  return frameType !== 'nested' && !new URL(url).pathname.startsWith('/attached/')
}
