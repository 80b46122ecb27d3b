const KEY = 'linnet.last-channel'

/** The conversation that was in front last on this device. */
export function lastChannel(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}

/** Remembers the conversation in front. */
export function rememberChannel(id: string): void {
  try {
    localStorage.setItem(KEY, id)
  } catch {
    // Then the first one is shown at the next start.
  }
}
