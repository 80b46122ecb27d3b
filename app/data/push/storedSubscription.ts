import type { Uuid } from '../../../wire/scalars.ts'

/** What this browser knows of its registration with the server. */
export interface StoredSubscription {
  /** Id of the device on the server. */
  id: Uuid
  /** Whose device it is: somebody else who signs in here has not switched it on. */
  profile: Uuid
  /** The address at the push service that was registered last. */
  endpoint: string
}

const KEY = 'linnet.push'

/** The registration of this browser; null if push notifications are off. */
export function readStoredSubscription(): StoredSubscription | null {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? 'null') as StoredSubscription | null
    return typeof stored?.id === 'string' && typeof stored.profile === 'string' ? stored : null
  } catch {
    return null
  }
}

/** Stores the registration, or removes it. */
export function storeSubscription(stored: StoredSubscription | null): void {
  try {
    if (stored) localStorage.setItem(KEY, JSON.stringify(stored))
    else localStorage.removeItem(KEY)
  } catch {
    // Without storage each visit begins without a registration.
  }
}
