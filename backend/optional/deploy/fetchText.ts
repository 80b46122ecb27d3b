/** A complete HTTP response. */
export interface TextResponse {
  status: number
  headers: Headers
  text: string
  /** The parsed body, or null if it is not a JSON object or array. */
  json: Record<string, unknown> | null
}

const timeoutMs = 15_000

/** Fetches a URL. Returns responses of any status, and null if there is none. */
export async function fetchText(url: string, init: RequestInit = {}): Promise<TextResponse | null> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) })
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
