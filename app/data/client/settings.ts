/** Where this installation answers; the same build points at the embedded or a hosted backend. */
export interface Settings {
  /** Origin of the backend, without a slash at its end. */
  url: string
  /** The publishable (anonymous) key: the only one a browser may hold. */
  key: string
  /** Names this installation's cookies and databases, since ports of one host share cookies. */
  installation: string
}

/** Where this browser keeps them: words that are kept here show before the network answers. */
const STORAGE_KEY = 'linnet.settings'

let settings: Promise<Settings> | null = null

/**
 * Reads `/linnet.json` once; what an earlier visit read is believed at once, and the page starts again where it is
 * not true any more. A missing `url` means the page's own origin. Rejects when it can't be read; the next call
 * tries again.
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
        // Once: what could not be kept would be found wrong again and again.
        if (isSame(now, readStoredSettings())) location.reload()
      },
      // Offline, or a server that starts: the next visit asks again.
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
    // A browser that keeps nothing asks each time.
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
