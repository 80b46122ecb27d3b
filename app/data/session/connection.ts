/** Where this installation answers; the same build points at the embedded or a hosted home. */
export interface Settings {
  /** Origin of the backend, without a slash at its end. */
  url: string
  /** The publishable (anonymous) key: the only one a browser may hold. */
  key: string
  /** Names this installation's cookies and databases, since ports of one host share cookies. */
  installation: string
}

let settings: Promise<Settings> | null = null

/**
 * Reads `/linnet.json` once. A missing `url` means the page's own origin.
 * Rejects when it can't be read; the next call tries again.
 */
export function loadSettings(): Promise<Settings> {
  settings ??= readSettings().catch((error: unknown) => {
    settings = null
    throw error
  })
  return settings
}

async function readSettings(): Promise<Settings> {
  const response = await fetch('/linnet.json', { cache: 'no-cache' })
  if (!response.ok) throw new Error(`linnet.json: ${response.status}`)
  const raw = (await response.json()) as Partial<Settings>
  if (typeof raw.key !== 'string') throw new Error('linnet.json names no key')
  const url = (raw.url ?? location.origin).replace(/\/+$/, '')
  return { url, key: raw.key, installation: (raw.installation ?? 'linnet').replace(/[^\w-]/g, '') }
}
