import { i18n } from '@lingui/core'
import type { MessageNotification } from '../../../wire/notifications.ts'
import { sidebarItems } from '../../data/channels/channels.ts'
import { readDeviceSettings } from '../../data/notifications/deviceSettings.ts'
import { sessionEmitter, type ClientSession } from '../../data/session/clientSession.ts'
import { titleOf } from '../channels/titleOf.ts'
import { plainText } from '../message/body/plainText.ts'
import { playTone } from './playTone.ts'

/** Messages that a notification has the text of; it states how many there are. */
const MAX_LINES = 3
/** Messages of a notification. */
const MAX_MESSAGES = 100
/** Notifications that are displayed at once; the oldest are closed first. */
const MAX_OPEN = 20

interface Displayed {
  notification: Notification
  /** Unread messages, ascending. */
  messages: readonly MessageNotification[]
}

export interface DesktopNotifications {
  show: (notifications: readonly MessageNotification[]) => void
  stop: () => void
}

/**
 * Displays notifications of the operating system: one for each conversation and each thread, closed as soon as its
 * messages are read on any device, deleted, or no longer readable.
 */
export function createDesktopNotifications(
  session: ClientSession,
  openPath: (path: string) => void,
): DesktopNotifications {
  const displayed = new Map<string, Displayed>()

  function close(tag: string) {
    const one = displayed.get(tag)
    displayed.delete(tag)
    one?.notification.close()
  }

  function isCurrent({ id, channel_id, seq, thread_root, thread_seq }: MessageNotification): boolean {
    const { channels, threads } = session.store.get()
    const rows = channels.get(channel_id)
    if (!rows || rows.messages.get(id)?.deleted_at) return false
    if (seq !== null) {
      return seq > Math.max(rows.entry.state.last_read_seq, session.readMarkers.pendingReadSeq(channel_id))
    }
    return (thread_seq ?? 0) > (threads.get(thread_root ?? '')?.last_read_thread_seq ?? 0)
  }

  function closeOutdated() {
    for (const [tag, { messages }] of displayed) {
      // The text of a message that was deleted disappears with the others; these are still counted in the page.
      const isOutdated = !messages.some(isCurrent) || messages.some((one) => isDeleted(session, one))
      if (isOutdated) close(tag)
    }
  }

  function display(tag: string, added: readonly MessageNotification[]): boolean {
    const before = displayed.get(tag)?.messages ?? []
    const messages = [...before, ...added].filter(isCurrent).slice(-MAX_MESSAGES)
    const last = messages.at(-1)
    const content = last && contentOf(session, messages)
    if (!last || !content) return false
    let notification: Notification
    try {
      // `renotify`: the one with the same tag is replaced, and the reader is notified again.
      const options: NotificationOptions & { renotify: boolean } = {
        body: content.body,
        tag,
        renotify: true,
        // The page plays the sound, by its own setting.
        silent: true,
        icon: '/icon-192.png',
      }
      notification = new Notification(content.title, options)
    } catch {
      // Chrome on Android permits notifications to service workers only.
      return false
    }
    displayed.set(tag, { notification, messages })
    notification.addEventListener('click', () => {
      window.focus()
      openPath(`/c/${last.channel_id}/m/${last.id}`)
      close(tag)
    })
    notification.addEventListener('close', () => {
      if (displayed.get(tag)?.notification === notification) displayed.delete(tag)
    })
    for (const oldest of displayed.keys()) {
      if (displayed.size <= MAX_OPEN) break
      close(oldest)
    }
    return true
  }

  const closeAll = () => {
    for (const tag of displayed.keys()) close(tag)
  }
  const unsubscribe = sessionEmitter.subscribe(closeOutdated)
  // Without the page nothing would close them, or open the message.
  addEventListener('pagehide', closeAll)
  return {
    show: (notifications) => {
      const { paused, sound } = readDeviceSettings()
      if (paused || !('Notification' in globalThis) || Notification.permission !== 'granted') return
      const tags = new Set(notifications.map(tagOf))
      const results = [...tags].map((tag) =>
        display(
          tag,
          notifications.filter((one) => tagOf(one) === tag),
        ),
      )
      if (sound && results.includes(true)) void playTone().catch(() => {})
    },
    stop: () => {
      unsubscribe()
      removeEventListener('pagehide', closeAll)
      closeAll()
    },
  }
}

/** The thread, or the conversation; push messages have the same tags. */
function tagOf({ thread_root, channel_id }: MessageNotification): string {
  return thread_root ?? channel_id
}

function isDeleted(session: ClientSession, { id, channel_id }: MessageNotification): boolean {
  const message = session.store.get().channels.get(channel_id)?.messages.get(id)
  return typeof message?.deleted_at === 'string'
}

/** Title and text; null if the reader is no longer in the conversation. */
function contentOf(
  session: ClientSession,
  messages: readonly MessageNotification[],
): { title: string; body: string } | null {
  const [first] = messages
  const item = sidebarItems(session).find(({ id }) => id === first?.channel_id)
  if (!first || !item) return null
  const { members } = session.store.get()
  const place = titleOf(item)
  const title = first.thread_root ? i18n._('Thread in {channel}', { channel: place }) : place
  const lines = messages.slice(-MAX_LINES).map(({ author_id, body }) => {
    const text = plainText(body) || i18n._('Attached files')
    const author = members.get(author_id)?.profile.name
    return item.kind === 'direct' || !author ? text : `${author}: ${text}`
  })
  return {
    title: messages.length > 1 ? `${title} (${messages.length})` : title,
    body: lines.join('\n'),
  }
}
