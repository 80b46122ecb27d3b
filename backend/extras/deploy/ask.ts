/** What an address answered, read whole; null where it did not. */
export interface Answer {
  status: number
  headers: Headers
  text: string
  /** The body as JSON, or null where it is none. */
  json: Record<string, unknown> | null
}

const patienceMs = 15_000

/** Fetches an address; an answer of any status is one. */
export async function ask(url: string, init: RequestInit = {}): Promise<Answer | null> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(patienceMs) })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, json: parse(text) }
  } catch {
    return null
  }
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
