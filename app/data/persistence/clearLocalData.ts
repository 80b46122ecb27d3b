import { SHARE_CACHE } from '../../worker/shareCache.ts'
import { PREFERENCES } from '../../devicePreferences.ts'

/** Keys of the device instead of an account: settings, theme, language, and the build for which the page was reloaded. */
const DEVICE_KEYS = new Set([
  'linnet.settings',
  PREFERENCES.appearance.key,
  PREFERENCES.language.key,
  'linnet.reloaded',
])

/** Clears what screens store: scroll positions, edits, recent reactions, and what another application has shared. */
export function clearLocalData(): void {
  try {
    for (const storage of [localStorage, sessionStorage]) {
      for (const key of Object.keys(storage)) {
        if (key.startsWith('linnet.') && !DEVICE_KEYS.has(key)) storage.removeItem(key)
      }
    }
  } catch {
    // The browser refuses storage.
  }
  if ('caches' in globalThis) caches.delete(SHARE_CACHE).catch(() => {})
}
