import { TextServiceError } from './TextService.ts'

/** How long a service may take to answer, in ms, as on hosted. */
const patience = 10_000
/** Bytes that an answer is read to; those of all services are far shorter. */
const longestAnswer = 65_536

/** What a service answered; an empty object where it is no JSON object. */
export interface FormAnswer {
  status: number
  body: Record<string, unknown>
}

/**
 * Posts fields as a form to one of the services.
 * @param o.authorization a whole `Authorization` header
 * @throws TextServiceError where no answer comes
 */
export async function postForm(
  fetchIt: typeof fetch,
  url: string,
  o: { fields: Record<string, string>; authorization?: string },
): Promise<FormAnswer> {
  try {
    const response = await fetchIt(url, {
      method: 'POST',
      body: new URLSearchParams(o.fields),
      headers: o.authorization ? { Authorization: o.authorization } : {},
      // The secrets stand in the request, and belong to this address alone.
      redirect: 'error',
      signal: AbortSignal.timeout(patience),
    })
    return { status: response.status, body: parseObject(await readShort(response)) }
  } catch (error) {
    throw new TextServiceError('the service could not be reached', { cause: error })
  }
}

async function readShort(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > longestAnswer) break
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

/** A field of an answer as text; empty where it is none. */
export function textOf(body: unknown, field: string): string {
  const value = (body as Record<string, unknown> | null | undefined)?.[field]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** The first of a list in an answer; undefined where there is none. */
export function firstOf(body: Record<string, unknown>, field: string): unknown {
  const list = body[field]
  return Array.isArray(list) ? list[0] : undefined
}
