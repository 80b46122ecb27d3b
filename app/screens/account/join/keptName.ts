const KEY = 'linnet.name'

/** The name typed on the way in: signing in may lead through a mail, and back in another tab. */
export function keptName(): string {
  try {
    return localStorage.getItem(KEY) ?? ''
  } catch {
    return ''
  }
}

/** Keeps the name until one is in. */
export function keepName(name: string): void {
  try {
    localStorage.setItem(KEY, name)
  } catch {
    // Then it is asked for again.
  }
}
