import { SmsProviderError } from '../../auth/sms/SmsProvider.ts'

/** The timeout of an SMS provider, in ms, as on hosted Supabase. */
const timeoutMs = 10_000
/** The maximum size of a response; those of all providers are far smaller. */
const maxResponseBytes = 65_536

/** A provider's response; `body` is empty if it is not a JSON object. */
export interface FormResponse {
  status: number
  body: Record<string, unknown>
}

/**
 * Posts form fields to an SMS provider.
 * @param o.authorization the value of the `Authorization` header
 * @throws SmsProviderError if there is no response
 */
export async function postForm(
  fetchFn: typeof fetch,
  url: string,
  o: { fields: Record<string, string>; authorization?: string },
): Promise<FormResponse> {
  try {
    const response = await fetchFn(url, {
      method: 'POST',
      body: new URLSearchParams(o.fields),
      headers: o.authorization ? { Authorization: o.authorization } : {},
      // The request contains secrets, which must not be sent to the target of a redirect.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { status: response.status, body: parseObject(await readLimited(response)) }
  } catch (error) {
    throw new SmsProviderError('the service could not be reached', { cause: error })
  }
}

async function readLimited(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > maxResponseBytes) break
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** A field of a response as text; empty if there is none. */
export function textOf(body: unknown, field: string): string {
  const value = (body as Record<string, unknown> | null | undefined)?.[field]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** The first element of a list in a response; undefined if there is none. */
export function firstOf(body: Record<string, unknown>, field: string): unknown {
  const list = body[field]
  return Array.isArray(list) ? list[0] : undefined
}
