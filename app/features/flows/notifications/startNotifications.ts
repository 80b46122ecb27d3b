import { customEmojiSource } from '../../../data/emoji/customEmojiSource.ts'
import { watchVersionedList } from '../../../data/sync/watchVersionedList.ts'
import { userGroupSource } from '../../../data/userGroups/userGroupSource.ts'
import type { MessageNotification } from '../../../../wire/notifications.ts'
import { callCommand } from '../../../data/client/callCommand.ts'
import { readPreference } from '../../../devicePreferences.ts'
import {
  createMessageWatcher,
  type CheckedMessage,
} from '../../../data/notifications/createMessageWatcher.ts'
import {
  currentNotificationPreferences,
  watchNotificationPreferences,
} from '../../../data/notifications/preferences.ts'
import {
  createViewedConversations,
  type Viewed,
  type ViewedMessage,
} from '../../../data/notifications/viewedConversations.ts'
import type { ClientSession } from '../../../data/session/clientSession.ts'
import { createDesktopNotifications } from './createDesktopNotifications.ts'

export interface Notifications {
  /** Call it when this tab shows another conversation, or becomes visible or hidden. */
  setViewed: (viewed: Viewed) => void
  stop: () => void
}

/**
 * Notifies the reader of messages while a page is open. One of the open tabs displays the notifications.
 * @param o.openPath shows a message
 * @param o.onMissed is called if the reader was away and this browser had no permission to notify them of a message
 */
export function startNotifications(
  session: ClientSession,
  { openPath, onMissed }: { openPath: (path: string) => void; onMissed: () => void },
): Notifications {
  const channel = new BroadcastChannel(`linnet-notifications-${session.userId}`)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel has none
  const post = (message: CheckedMessage | ViewedMessage) => channel.postMessage(message)
  const viewed = createViewedConversations(crypto.randomUUID(), post)
  const earlier = session.takeEarlierEvents()
  const desktop = createDesktopNotifications(session, openPath, earlier)
  const unwatchPreferences = watchNotificationPreferences()
  const unwatchUserGroups = watchVersionedList(session.store, userGroupSource)
  const unwatchEmoji = watchVersionedList(session.store, customEmojiSource)
  const isNotViewed = ({ channel_id, thread_root }: MessageNotification) =>
    !viewed.has(channel_id, thread_root)
  const watcher = createMessageWatcher(session.store, {
    isLeader: session.isLeader,
    request: (channels, revs) => callCommand('my_notifications', { channels, revs }),
    preferences: () => currentNotificationPreferences() ?? null,
    post,
    onNotifications: (notifications) => {
      const notViewed = notifications.filter(isNotViewed)
      desktop.show(notViewed)
      if (notViewed.length > 0 && mayOffer()) onMissed()
    },
    after: (ms, run) => {
      const timer = setTimeout(run, ms)
      return () => clearTimeout(timer)
    },
    now: () => performance.now(),
    openedAt: performance.timeOrigin,
    earlier,
    random: Math.random,
  })
  const unwatchReminders = session.store.watch((event) => {
    if (event.type !== 'userEventReceived' || event.event.event !== 'reminders') return
    const reminder = session.store.get().reminders.get(event.event.payload.id)
    // A page that is looked at shows it itself.
    if (reminder?.reminded_at && session.isLeader() && !document.hasFocus()) desktop.remind(reminder)
  })
  channel.addEventListener('message', ({ data }: MessageEvent<CheckedMessage | ViewedMessage>) => {
    if (data.kind === 'checked') watcher.receive(data)
    else viewed.receive(data)
  })
  return {
    setViewed: viewed.set,
    stop: () => {
      unwatchReminders()
      unwatchPreferences()
      unwatchUserGroups()
      unwatchEmoji()
      watcher.stop()
      viewed.stop()
      desktop.stop()
      channel.close()
    },
  }
}

/** Whether the reader is away and has not decided about notifications in this browser. */
function mayOffer(): boolean {
  return (
    'Notification' in globalThis &&
    Notification.permission === 'default' &&
    !readPreference('notifications').isOfferClosed &&
    !document.hasFocus()
  )
}
