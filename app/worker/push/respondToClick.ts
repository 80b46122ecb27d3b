import { pathTo } from '../../paths.ts'
import type { OpenPath } from '../workerMessages.ts'
import type { WindowPage } from '../scope.ts'
import { MARK_READ, type PushNotificationData } from './pushNotification.ts'
import { sendReport } from './respondToPush.ts'

/** Timeout (ms) of a page that opens a path: a suspended one, or one of an older build, does not respond. */
const RESPONSE_TIMEOUT_MS = 2_000

/**
 * What a click on a notification does: it opens the conversation in a page that is open, else in a new one. The action
 * "Mark as read" opens it only if the server did not accept that it was read.
 * @param o.pages open pages of the app, the one used last first
 */
export async function respondToClick(
  { action, data }: { action: string; data: PushNotificationData | null },
  o: {
    pages: () => Promise<readonly WindowPage[]>
    openWindow: (path: string) => Promise<unknown>
    fetch: typeof fetch
    timeoutMs?: number
  },
): Promise<void> {
  const read = action === MARK_READ ? data?.read : null
  if (read && (await sendReport(read.report, read.token, read.message, o.fetch))) return
  const path = data?.path ?? pathTo('home')
  const [page] = await o.pages()
  // Focus first: browsers permit it for a short time after the click only.
  await page?.focus().catch(() => {})
  if (page && (await openInPage(page, path, o.timeoutMs ?? RESPONSE_TIMEOUT_MS))) return
  const navigated = await page?.navigate(path).catch(() => null)
  if (!navigated) await o.openWindow(path)
}

/** Whether the page has opened the path, without loading the app again. */
async function openInPage(page: WindowPage, path: string, timeoutMs: number): Promise<boolean> {
  const { port1, port2 } = new MessageChannel()
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    return await new Promise<boolean>((resolve) => {
      const request: OpenPath = { linnet: 'open-path', path }
      timer = setTimeout(() => resolve(false), timeoutMs)
      port1.onmessage = () => resolve(true)
      page.postMessage(request, [port2])
    })
  } finally {
    clearTimeout(timer)
    port1.close()
  }
}
