import type { Pass, PassWanted } from './messages.ts'
import type { WorkerClient } from './scope.ts'

/** How long a page may take to answer, ms: it may have to renew its token over a slow line. */
const PATIENCE = 15_000

/**
 * Asks pages for what a fetch needs; the first that answers counts. Null when none does: nobody is signed in, or no
 * page of ours is open. Nothing is kept, so that nothing has to be forgotten.
 */
export async function askForPass(
  pages: readonly WorkerClient[],
  refused: string | null,
  patience = PATIENCE,
): Promise<Pass | null> {
  return Promise.any(pages.map((page) => askPage(page, refused, patience))).catch(() => null)
}

async function askPage(page: WorkerClient, refused: string | null, patience: number): Promise<Pass> {
  const { port1, port2 } = new MessageChannel()
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    return await new Promise((resolve, reject) => {
      const wanted: PassWanted = { linnet: 'pass', refused }
      timer = setTimeout(() => reject(new Error('no answer')), patience)
      port1.onmessage = ({ data }: MessageEvent<Pass | null>) => {
        if (data) resolve(data)
        else reject(new Error('signed out'))
      }
      page.postMessage(wanted, [port2])
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
