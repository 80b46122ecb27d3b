const KEY = 'linnet.last-channel'

/** The conversation of a workspace that was open last on this device. */
export function lastChannel(workspace: string): string | null {
  try {
    return localStorage.getItem(`${KEY}.${workspace}`)
  } catch {
    return null
  }
}

/** Stores the open conversation of a workspace. */
export function rememberChannel(workspace: string, id: string): void {
  try {
    localStorage.setItem(`${KEY}.${workspace}`, id)
  } catch {
    // Then the next start opens the first one.
  }
}
