/** What is this device's rather than a person's: where Linnet answers, how it looks, and for which build it reloaded. */
const DEVICE_KEYS = new Set(['linnet.settings', 'linnet.look', 'linnet.language', 'linnet.reloaded'])

/** Forgets the small things that screens remember: where one was, what one rewrote, which signs one likes. */
export function clearLocalData(): void {
  try {
    for (const storage of [localStorage, sessionStorage]) {
      for (const key of Object.keys(storage)) {
        if (key.startsWith('linnet.') && !DEVICE_KEYS.has(key)) storage.removeItem(key)
      }
    }
  } catch {
    // Where the browser refuses storage there is nothing to forget.
  }
}
