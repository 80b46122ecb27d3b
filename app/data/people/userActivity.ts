/** Milliseconds without input after which the user counts as away. */
const IDLE_TIMEOUT_MS = 600_000
/** Milliseconds for which a tab's activity counts for the others: longer than the longest heartbeat interval. */
const ACTIVITY_TTL_MS = 75_000
/** Minimum interval (ms) of storing activity. */
const MIN_STORE_INTERVAL_MS = 15_000

const INPUT_EVENTS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart', 'scroll'] as const

export interface UserActivity {
  /** Whether the user is active in any tab of this browser: one is visible and had input in the last 10 minutes. */
  isActive: () => boolean
  stop: () => void
}

interface UserActivityPorts {
  /** Local storage key, shared by the tabs of an account: until when one of them counts as active. */
  key: string
  page: Window
  clock: () => number
  /** Called with the first input after inactivity. */
  onReturn: () => void
}

/**
 * Detects whether the user is active. Each tab sends its own heartbeats, so that a hidden tab would report "away"
 * while another is in use: the tabs share a timestamp in storage.
 */
export function createUserActivity({ key, page, clock, onReturn }: UserActivityPorts): UserActivity {
  const { document, localStorage } = page
  let lastInputAt = clock()
  let storedAt = 0

  const isTabActive = () => document.visibilityState === 'visible' && clock() - lastInputAt < IDLE_TIMEOUT_MS

  function storeActivity() {
    if (!isTabActive()) return
    storedAt = clock()
    writeUntil(String(Math.min(storedAt + ACTIVITY_TTL_MS, lastInputAt + IDLE_TIMEOUT_MS)))
  }

  function writeUntil(until: string | null) {
    try {
      if (until === null) localStorage.removeItem(key)
      else localStorage.setItem(key, until)
    } catch {
      // Without storage each tab reports its own activity.
    }
  }

  function readUntil(): number {
    try {
      return Number(localStorage.getItem(key) ?? 0)
    } catch {
      return 0
    }
  }

  const onInput = () => {
    const before = isActive()
    lastInputAt = clock()
    if (clock() - storedAt > MIN_STORE_INTERVAL_MS) storeActivity()
    if (!before && isTabActive()) onReturn()
  }
  const onVisibility = () => {
    if (document.visibilityState === 'visible') onInput()
    // The storage event of this write makes another visible tab store its time at once.
    else writeUntil(null)
  }
  const onPageHide = () => writeUntil(null)
  const onStorage = (event: StorageEvent) => {
    if (event.key === key && event.newValue === null) storeActivity()
  }
  const isActive = () => isTabActive() || readUntil() > clock()

  for (const name of INPUT_EVENTS) page.addEventListener(name, onInput, { capture: true, passive: true })
  document.addEventListener('visibilitychange', onVisibility)
  page.addEventListener('storage', onStorage)
  page.addEventListener('pagehide', onPageHide)
  storeActivity()
  return {
    isActive: () => {
      storeActivity()
      return isActive()
    },
    stop: () => {
      for (const name of INPUT_EVENTS) page.removeEventListener(name, onInput, { capture: true })
      document.removeEventListener('visibilitychange', onVisibility)
      page.removeEventListener('storage', onStorage)
      page.removeEventListener('pagehide', onPageHide)
    },
  }
}
