const KEY = 'linnet.last-channel'

/** The conversation that was open last on this device. */
export function lastChannel(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}

/** Stores the open conversation. */
export function rememberChannel(id: string): void {
  try {
    localStorage.setItem(KEY, id)
  } catch {
    // Then the next start opens the first one.
  }
}
