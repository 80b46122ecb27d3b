import { pathTo } from '../../paths.ts'
import type { DeclaredNotification, PushPayload } from '../../../wire/push.ts'
import { dataWithoutMessage, pushNotification, type PushNotificationData } from './pushNotification.ts'
import { pushWording } from '../../../wire/pushWording.ts'

/** The part of a service worker's registration that notifications need. */
export interface NotificationRegistry {
  showNotification: (title: string, options: NotificationOptions) => Promise<void>
  getNotifications: (filter?: { tag: string }) => Promise<readonly ShownNotification[]>
}

export interface ShownNotification {
  tag: string
  data: PushNotificationData | null
  close: () => void
}

/**
 * Displays a push message, closes the notifications that are no longer current, and reports to the server that it was
 * shown. An unreadable message is displayed too, because browsers end subscriptions whose messages display nothing.
 */
export async function respondToPush(
  text: string | null,
  ports: {
    registration: NotificationRegistry
    /** Does some work while no page lists notifications. */
    lock: (work: () => Promise<void>) => Promise<void>
    fetch: typeof fetch
  },
): Promise<void> {
  const { registration, lock } = ports
  const payload = parsePayload(text)
  if (!payload) {
    const { unreadableTitle, unreadableBody } = pushWording('en')
    const data = dataWithoutMessage(pathTo('home'), Date.now())
    return lock(() =>
      registration.showNotification(unreadableTitle, { body: unreadableBody, tag: 'linnet', data }),
    )
  }
  const { title, options } = pushNotification(payload, Date.now())
  const closed = new Set(payload.close)
  await lock(async () => {
    await registration.showNotification(title, options)
    if (closed.size === 0) return
    for (const shown of await registration.getNotifications())
      if (closed.has(shown.tag) && shown.tag !== payload.tag) shown.close()
  })
  await sendReport(payload.report, payload.token, null, ports.fetch)
}

/**
 * Reports that a notification was shown, or that everything up to `message` was read. The token of the notification
 * permits this, since the worker has no session. Returns whether the server accepted it.
 */
export async function sendReport(
  report: string,
  token: string,
  message: string | null,
  fetch: typeof globalThis.fetch,
): Promise<boolean> {
  const query = new URLSearchParams(message === null ? { token } : { token, message })
  const response = await fetch(`${report}?${query}`, { method: 'POST', credentials: 'omit' }).catch(
    () => null,
  )
  return response?.ok === true
}

/**
 * The text of a push message. Safari parses a declarative one itself, and passes the worker its notification instead.
 * @param notification null: the browser does not know declarative messages, or this is none
 */
export function pushTextOf(
  data: { text: () => string } | null,
  notification: Pick<DeclaredNotification, 'title' | 'body' | 'data'> | null,
): string | null {
  if (notification === null) return data?.text() ?? null
  const { title, body, data: declared } = notification
  return JSON.stringify({ notification: { title, body, data: declared } })
}

/** The content of a declarative push message, whose notification has the texts. */
function readDeclared(message: { notification?: Partial<DeclaredNotification> } | null): object | null {
  const declared = message?.notification
  if (!declared?.data) return message
  const { title, body, data } = declared
  return { ...data, title, lines: [{ author: null, text: body }] }
}

function parsePayload(text: string | null): PushPayload | null {
  try {
    const payload = readDeclared(JSON.parse(text ?? '')) as Partial<PushPayload> | null
    const isComplete =
      ['message', 'reminder', 'test'].includes(payload?.kind ?? '') &&
      payload &&
      [payload.tag, payload.language, payload.report, payload.token].every((one) => typeof one === 'string')
    return isComplete ? (payload as PushPayload) : null
  } catch {
    return null
  }
}
