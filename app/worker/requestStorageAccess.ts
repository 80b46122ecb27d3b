import type { StorageAccess, StorageAccessRequest } from './messages.ts'
import type { WorkerClient } from './scope.ts'

/** How long a page may take to answer, ms: it may have to renew its token over a slow line. */
const RESPONSE_TIMEOUT_MS = 15_000

/**
 * Asks pages for what a fetch needs; the first that answers counts. Null when none does: nobody is signed in, or no
 * page of ours is open. Nothing is kept, so that nothing has to be forgotten.
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

/** Whether a client is a page of ours, rather than a file in a frame or a window of its own. */
export function isPage({ url, frameType }: WorkerClient): boolean {
  return frameType !== 'nested' && !new URL(url).pathname.startsWith('/attached/')
}
