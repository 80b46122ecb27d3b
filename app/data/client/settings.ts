/** Settings of this installation; the same build runs with the embedded or a hosted backend. */
export interface Settings {
  /** Origin of the backend, without a trailing slash. */
  url: string
  /** The publishable (anonymous) key, the only one that browsers may have. */
  key: string
  /** Part of the names of this installation's cookies and databases, since ports of one host share cookies. */
  installation: string
}

/** Local storage key: cached messages are displayed before the server responds. */
const STORAGE_KEY = 'linnet.settings'

let settings: Promise<Settings> | null = null

/**
 * Fetches `/linnet.json` once. The settings of an earlier visit are used at once, and the page is reloaded if they have
 * changed. Without `url` the backend is the page's origin. Rejects if it can't be read; the next call tries again.
 */
export function loadSettings(): Promise<Settings> {
  settings ??= (async () => {
    const stored = readStoredSettings()
    const read = fetchSettings()
    if (!stored) return storeSettings(await read)
    void read.then(
      (now) => {
        if (isSame(now, stored)) return
        storeSettings(now)
        // Only if they are stored: otherwise each start would reload.
        if (isSame(now, readStoredSettings())) location.reload()
      },
      // Offline, or the server is starting: the next visit fetches again.
      () => {},
    )
    return stored
  })().catch((error: unknown) => {
    settings = null
    throw error
  })
  return settings
}

function isSame(one: Settings, other: Settings | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function readStoredSettings(): Settings | null {
  try {
    const stored = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? 'null') as Settings | null
    return typeof stored?.url === 'string' && typeof stored.key === 'string' ? stored : null
  } catch {
    return null
  }
}

function storeSettings(read: Settings): Settings {
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(read))
  } catch {
    // Without storage each visit fetches.
  }
  return read
}

async function fetchSettings(): Promise<Settings> {
  const response = await fetch('/linnet.json', { cache: 'no-cache' })
  if (!response.ok) throw new Error(`linnet.json: ${response.status}`)
  const raw = (await response.json()) as Partial<Settings>
  if (typeof raw.key !== 'string') throw new Error('linnet.json names no key')
  const url = (raw.url ?? location.origin).replace(/\/+$/, '')
  return { url, key: raw.key, installation: (raw.installation ?? 'linnet').replace(/[^\w-]/g, '') }
}
