/** Why a browser cannot receive push messages: `no-install` on iOS, where only installed apps receive them. */
export type PushObstacle = 'insecure' | 'no-install' | 'unsupported' | 'denied'

/** What prevents push messages in this browser now; null: nothing that is known before subscribing. */
export function pushObstacle(
  { isSecureContext, navigator, hasPush, permission }: PushSupport = browserSupport(),
): PushObstacle | null {
  if (!isSecureContext) return 'insecure'
  if (!hasPush) {
    // An iPad has the user agent of a Mac.
    const isIos =
      /iPhone|iPad|iPod/.test(navigator.userAgent) ||
      (navigator.userAgent.includes('Macintosh') && navigator.maxTouchPoints > 1)
    return isIos ? 'no-install' : 'unsupported'
  }
  return permission === 'denied' ? 'denied' : null
}

interface PushSupport {
  isSecureContext: boolean
  navigator: Pick<Navigator, 'userAgent' | 'maxTouchPoints'>
  /** Whether the browser has service workers, notifications and push messages. */
  hasPush: boolean
  permission: NotificationPermission
}

function browserSupport(): PushSupport {
  const hasPush = 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis
  const permission = hasPush ? Notification.permission : 'default'
  return { isSecureContext, navigator, hasPush, permission }
}
