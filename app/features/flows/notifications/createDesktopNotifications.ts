import { i18n } from '@lingui/core'
import { messageAddress, pathTo } from '../../../paths.ts'
import type { UserEvent } from '../../../../wire/events.ts'
import type { Uuid } from '../../../../wire/scalars.ts'
import type { Reminder } from '../../../../wire/messages.ts'
import type { MessageNotification } from '../../../../wire/notifications.ts'
import { isReminderDue } from '../../../data/messages/isReminderDue.ts'
import { readPreference } from '../../../devicePreferences.ts'
import { presenceChoice } from '../../../data/people/presence.ts'
import { sessionEmitter, type ClientSession } from '../../../data/session/clientSession.ts'
import { plainText } from '../../parts/body/plainText.ts'
import { playTone } from './playTone.ts'

/** Messages that a notification has the text of; it states how many there are. */
const MAX_LINES = 3
/** Messages of a notification. */
const MAX_MESSAGES = 100
/** Notifications that are displayed at once; the oldest are closed first. */
const MAX_OPEN = 20
/** Read markers of other workspaces, and withdrawn messages, that are kept. */
const MAX_ELSEWHERE = 1_000

interface Displayed {
  notification: Notification
  /** Unread messages, ascending; none of a reminder. */
  messages: readonly MessageNotification[]
  isOutdated: () => boolean
}

interface Content {
  title: string
  body: string
  /** What a click opens. */
  path: string
}

export interface DesktopNotifications {
  show: (notifications: readonly MessageNotification[]) => void
  /** Shows a reminder that has become due, until it is completed. */
  remind: (reminder: Reminder) => void
  stop: () => void
}

/**
 * Displays notifications of the operating system: one for each conversation and each thread, closed as soon as its
 * messages are read on any device, deleted, or no longer readable.
 * @param earlier events of the user's topic that arrived before
 */
export function createDesktopNotifications(
  session: ClientSession,
  openPath: (path: string) => void,
  earlier: readonly UserEvent[],
): DesktopNotifications {
  const displayed = new Map<string, Displayed>()
  /** The read markers of conversations and threads of other workspaces, which the store does not have, newest last. */
  const readElsewhere = new Map<Uuid, number>()

  /** Messages that were deleted, or whose edit withdrew the notification, newest last. The page may not have them. */
  const withdrawn = new Set<Uuid>()

  function markReadElsewhere(id: Uuid, seq: number) {
    readElsewhere.delete(id)
    readElsewhere.set(id, seq)
    const [oldest] = readElsewhere.keys()
    if (readElsewhere.size > MAX_ELSEWHERE) readElsewhere.delete(oldest!)
  }

  function withdraw(id: Uuid) {
    withdrawn.add(id)
    const [oldest] = withdrawn
    if (withdrawn.size > MAX_ELSEWHERE) withdrawn.delete(oldest!)
  }

  function isWithdrawn({ id, channel_id }: MessageNotification): boolean {
    const message = session.store.get().channels.get(channel_id)?.messages.get(id)
    return typeof message?.deleted_at === 'string' || withdrawn.has(id)
  }

  function close(tag: string) {
    const one = displayed.get(tag)
    displayed.delete(tag)
    one?.notification.close()
  }

  function isCurrent(message: MessageNotification): boolean {
    const { workspace_id, channel_id, seq, thread_root, thread_seq } = message
    const { workspace, channels, threads } = session.store.get()
    if (isWithdrawn(message)) return false
    // A reply that was also sent to the channel has both numbers.
    const id = seq === null ? (thread_root ?? channel_id) : channel_id
    const isAfter = (...markers: number[]) =>
      (seq ?? thread_seq ?? 0) > Math.max(storedMarker(id), ...markers)
    if (workspace_id !== workspace?.id) return isAfter(readElsewhere.get(id) ?? 0)
    const rows = channels.get(channel_id)
    if (!rows) return false
    return seq === null
      ? isAfter(threads.get(id)?.last_read_thread_seq ?? 0)
      : isAfter(rows.entry.state.last_read_seq, session.readMarkers.pendingReadSeq(id))
  }

  /** What was read on this device, in any workspace, and is not sent to the server yet; 0: nothing. */
  function storedMarker(id: Uuid): number {
    const markers = session.outbox.storedMutations().flatMap((one) => {
      if (one.kind === 'read') return one.channel === id ? [one.seq] : []
      return one.kind === 'readThread' && one.root === id ? [one.seq] : []
    })
    return Math.max(0, ...markers)
  }

  function closeOutdated() {
    for (const [tag, { isOutdated }] of displayed) if (isOutdated()) close(tag)
  }

  function displayMessages(tag: string, added: readonly MessageNotification[]): boolean {
    const before = displayed.get(tag)?.messages ?? []
    const messages = [...before, ...added].filter(isCurrent).slice(-MAX_MESSAGES)
    const content = contentOf(session, messages)
    // The text of a message that was withdrawn disappears with the others; these are still counted in the page.
    const isOutdated = () => !messages.some(isCurrent) || messages.some(isWithdrawn)
    return content !== null && display(tag, content, { messages, isOutdated })
  }

  function display(
    tag: string,
    { title, body, path }: Content,
    more: Pick<Displayed, 'messages' | 'isOutdated'>,
  ): boolean {
    let notification: Notification
    try {
      // `renotify`: the one with the same tag is replaced, and the reader is notified again.
      const options: NotificationOptions & { renotify: boolean } = {
        body,
        tag,
        renotify: true,
        // The page plays the sound, by its own setting.
        silent: true,
        icon: '/icon-192.png',
      }
      notification = new Notification(title, options)
    } catch {
      // Chrome on Android permits notifications to service workers only.
      return false
    }
    displayed.set(tag, { notification, ...more })
    notification.addEventListener('click', () => {
      window.focus()
      openPath(path)
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
  const receive = ({ event: name, payload }: UserEvent) => {
    if (name === 'state') markReadElsewhere(payload.channel_id, payload.state.last_read_seq)
    else if (name === 'thread') markReadElsewhere(payload.root_id, payload.last_read_thread_seq)
    else if (name === 'message_deleted') withdraw(payload.message_id)
    else if (name === 'message_edited') {
      // A later edit may mention the reader again.
      if (payload.notifies) withdrawn.delete(payload.message_id)
      else withdraw(payload.message_id)
    } else if (name === 'membership' && !payload.entry)
      markReadElsewhere(payload.channel_id, Number.POSITIVE_INFINITY)
    else return
    closeOutdated()
  }
  earlier.forEach(receive)
  const unwatch = session.store.watch((event) => {
    if (event.type === 'userEventReceived') receive(event.event)
  })
  const unsubscribe = sessionEmitter.subscribe(closeOutdated)
  // Without the page nothing would close them, or open the message.
  addEventListener('pagehide', closeAll)
  return {
    show: (notifications) => {
      if (!mayNotify()) return
      const tags = new Set(notifications.map(tagOf))
      const results = [...tags].map((tag) =>
        displayMessages(
          tag,
          notifications.filter((one) => tagOf(one) === tag),
        ),
      )
      if (results.includes(true)) sound()
    },
    remind: (reminder) => {
      const { id, text, reminded_at: at } = reminder
      const { me } = session.store.get()
      if (at === null || !me || presenceChoice(me.profile, Date.now()) === 'dnd' || !mayNotify()) return
      const { hidesContent } = readPreference('notifications')
      const body = hidesContent
        ? i18n._('A reminder is due.')
        : text || i18n._('A reminder of a message is due.')
      const isOutdated = () => !isReminderDue(session.store.get(), { id, at })
      const content = { title: i18n._('Reminder'), body, path: pathTo('saved') }
      if (display(`reminder:${id}`, content, { messages: [], isOutdated })) sound()
    },
    stop: () => {
      unwatch()
      unsubscribe()
      removeEventListener('pagehide', closeAll)
      closeAll()
    },
  }
}

function mayNotify(): boolean {
  return (
    !readPreference('notifications').paused &&
    'Notification' in globalThis &&
    Notification.permission === 'granted'
  )
}

function sound(): void {
  if (readPreference('notifications').sound) void playTone().catch(() => {})
}

/** The thread, or the conversation; push messages have the same tags. */
function tagOf({ thread_root, channel_id }: MessageNotification): string {
  return thread_root ?? channel_id
}

/** Null without messages. Of another workspace than the shown one its name is displayed too. */
function contentOf(session: ClientSession, messages: readonly MessageNotification[]): Content | null {
  const last = messages.at(-1)
  if (!last) return null
  const path = messageAddress(last)
  if (readPreference('notifications').hidesContent) {
    return { title: 'Linnet', body: i18n._('You have new messages.'), path }
  }
  const { workspace, workspaces } = session.store.get()
  const other =
    last.workspace_id === workspace?.id ? undefined : workspaces.find(({ id }) => id === last.workspace_id)
  const place = other ? `${last.title} · ${other.name}` : last.title
  const title = last.thread_root ? i18n._('Thread in {channel}', { channel: place }) : place
  const lines = messages.slice(-MAX_LINES).map(({ author, body }) => {
    const text = plainText(body) || '…'
    return author === null ? text : `${author}: ${text}`
  })
  return {
    title: messages.length > 1 ? `${title} (${messages.length})` : title,
    body: lines.join('\n'),
    path,
  }
}
