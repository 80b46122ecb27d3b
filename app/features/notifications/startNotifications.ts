import type { MessageNotification } from '../../../wire/notifications.ts'
import { callCommand } from '../../data/client/callCommand.ts'
import { createMessageWatcher, type CheckedMessage } from '../../data/notifications/createMessageWatcher.ts'
import {
  currentNotificationPreferences,
  watchNotificationPreferences,
} from '../../data/notifications/preferences.ts'
import {
  createViewedConversations,
  type Viewed,
  type ViewedMessage,
} from '../../data/notifications/viewedConversations.ts'
import type { ClientSession } from '../../data/session/clientSession.ts'
import { createDesktopNotifications } from './createDesktopNotifications.ts'

export interface Notifications {
  /** This tab shows something else, or became visible or hidden. */
  setViewed: (viewed: Viewed) => void
  stop: () => void
}

/** Notifies the reader of messages while a page is open, by one of its tabs. `openPath` shows a message. */
export function startNotifications(session: ClientSession, openPath: (path: string) => void): Notifications {
  const channel = new BroadcastChannel(`linnet-notifications-${session.userId}`)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel has none
  const post = (message: CheckedMessage | ViewedMessage) => channel.postMessage(message)
  const viewed = createViewedConversations(crypto.randomUUID(), post)
  const desktop = createDesktopNotifications(session, openPath)
  watchNotificationPreferences(session)
  const isNotViewed = ({ channel_id, thread_root }: MessageNotification) =>
    !viewed.has(channel_id, thread_root)
  const watcher = createMessageWatcher(session.store, {
    isLeader: session.isLeader,
    request: (channels, revs) => callCommand('my_notifications', { channels, revs }),
    preferences: () => currentNotificationPreferences(session),
    post,
    onNotifications: (notifications) => desktop.show(notifications.filter(isNotViewed)),
    after: (ms, run) => {
      const timer = setTimeout(run, ms)
      return () => clearTimeout(timer)
    },
    now: () => performance.now(),
    openedAt: performance.timeOrigin,
    random: Math.random,
  })
  channel.addEventListener('message', ({ data }: MessageEvent<CheckedMessage | ViewedMessage>) => {
    if (data.kind === 'checked') watcher.receive(data)
    else viewed.receive(data)
  })
  return {
    setViewed: viewed.set,
    stop: () => {
      watcher.stop()
      viewed.stop()
      desktop.stop()
      channel.close()
    },
  }
}
