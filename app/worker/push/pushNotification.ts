import { conversationPath, pathTo } from '../../paths.ts'
import type { PushPayload } from '../../../wire/push.ts'
import { pushText } from '../../../wire/pushText.ts'
import { pushWording } from '../../../wire/pushWording.ts'

/** What a notification of the worker stores for the click on it. */
export interface PushNotificationData {
  /** A path of the app. */
  path: string
  /** Of the conversation; null: of none. */
  channel: string | null
  thread: string | null
  /** Of a reminder: which one, and when it was due; null: of something else. */
  reminder: { id: string; at: string } | null
  /** The messages that it displays. */
  messages: readonly string[]
  /** The last message that it displays, and how to report that it was read; null: of no message. */
  read: { message: string; report: string; token: string } | null
  /** The number of that message in its channel, or in its thread; null: of no message. */
  seq: number | null
  /** When it was displayed, in milliseconds of this device's clock. */
  shownAt: number
}

export interface PushNotification {
  title: string
  /** TypeScript's `NotificationOptions` lacks what only service workers have. */
  options: NotificationOptions & {
    tag: string
    renotify: boolean
    actions: { action: string; title: string }[]
    data: PushNotificationData
  }
}

/** What a notification stores that displays nothing of a conversation. */
export const dataWithoutMessage = (path: string, shownAt: number): PushNotificationData => ({
  path,
  channel: null,
  thread: null,
  reminder: null,
  messages: [],
  read: null,
  seq: null,
  shownAt,
})

/** The action with which a notification marks its conversation as read. */
export const MARK_READ = 'mark-read'

/**
 * The notification of a push message. One replaces another of the same conversation by its tag, and notifies again.
 * @param shownAt in milliseconds
 */
export function pushNotification(payload: PushPayload, shownAt: number): PushNotification {
  const {
    kind,
    tag,
    language,
    report,
    token,
    message = null,
    seq = null,
    channel = null,
    thread = null,
  } = payload
  const { title, body } = pushText(payload)
  const common = { body, tag, lang: language, icon: '/icon-192.png', badge: '/icon-192.png', renotify: true }
  if (kind === 'test') {
    const data = dataWithoutMessage(pathTo('notificationSettings'), shownAt)
    return { title, options: { ...common, actions: [], data } }
  }
  if (kind === 'reminder') {
    const { reminder: id = '', at = '' } = payload
    const data = { ...dataWithoutMessage(pathTo('saved'), shownAt), reminder: { id, at } }
    return { title, options: { ...common, actions: [], data } }
  }
  const path = channel === null ? pathTo('home') : conversationPath(channel, thread)
  return {
    title,
    options: {
      ...common,
      actions: message === null ? [] : [{ action: MARK_READ, title: pushWording(language).markRead }],
      data: {
        ...dataWithoutMessage(path, shownAt),
        channel,
        thread,
        messages: payload.messages ?? [],
        read: message === null ? null : { message, report, token },
        seq,
      },
    },
  }
}
