import { Suspense, useEffect, useEffectEvent, useRef, useState } from 'react'
import { navigate } from '../../../historyState.ts'
import { useClientSession } from '../../../data/hooks/useClientSession.ts'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'
import { PHONE, useMedia } from '../../../ui/useMedia.ts'
import { startNotifications, type Notifications } from './startNotifications.ts'

const NotificationOffer = lazyComponent(() => import('./NotificationOffer.tsx'))

interface Props {
  /** The open conversation and thread. */
  channelId: string | null
  rootId: string | null
  /** Unread items, as in the title of the page. */
  unreadCount: number
}

/** Notifies of messages while this page is open, offers that once where it needs a permission, and shows the number of unread ones on the icon of the app. */
export default function NotificationHost({ channelId, rootId, unreadCount }: Props) {
  const session = useClientSession((current) => current)
  const notifications = useRef<Notifications | null>(null)
  const [isOffered, setOffered] = useState(false)
  const openPath = useEffectEvent((path: string) => navigate(path))
  const isPhone = useMedia(PHONE)
  const announceViewed = useEffectEvent(() => {
    const isVisible = document.visibilityState === 'visible'
    // On a phone a thread covers its conversation.
    const isTimelineVisible = isVisible && !(isPhone && rootId)
    notifications.current?.setViewed({
      channel: isTimelineVisible ? channelId : null,
      root: isVisible ? rootId : null,
    })
  })
  useEffect(() => {
    if (!session) return
    const started = startNotifications(session, {
      openPath: (path) => openPath(path),
      onMissed: () => setOffered(true),
    })
    notifications.current = started
    const onChange = () => announceViewed()
    document.addEventListener('visibilitychange', onChange)
    return () => {
      document.removeEventListener('visibilitychange', onChange)
      notifications.current = null
      started.stop()
    }
  }, [session])
  // oxlint-disable-next-line react/exhaustive-effect-dependencies -- they are what is announced
  useEffect(() => announceViewed(), [session, channelId, rootId, isPhone])

  useEffect(() => {
    const app = navigator as Partial<Pick<Navigator, 'setAppBadge' | 'clearAppBadge'>>
    const changed = unreadCount > 0 ? app.setAppBadge?.(unreadCount) : app.clearAppBadge?.()
    // Only installed apps have a badge.
    changed?.catch(() => {})
  }, [unreadCount])
  return <Suspense>{isOffered ? <NotificationOffer onClose={() => setOffered(false)} /> : null}</Suspense>
}
