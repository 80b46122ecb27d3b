import { errors } from '../errors.ts'
import type { Answer } from './readAnswer.ts'
import type { Rendered } from './rendered.ts'
import { isHeader } from './renderHeaders.ts'

/**
 * What SQL has set in `response.status` and `response.headers` goes above what we would say; a header that is
 * named several times is sent several times. Throws PGRST111 and PGRST112.
 */
export function overrideAnswer(rendered: Rendered, { headers, status }: Answer): Rendered {
  if (headers === null && status === null) return rendered
  return {
    ...rendered,
    headers: headers === null ? rendered.headers : { ...rendered.headers, ...above(rendered, headers) },
    status: status === null ? rendered.status : parseStatus(status),
  }
}

/** As upstream reads it: digits at the start. */
function parseStatus(text: string): number {
  const status = Number(/^\d{1,9}/.exec(text)?.[0])
  if (!(status >= 200 && status <= 599)) throw errors.responseStatus()
  return status
}

/** By our own spelling of a name where we say it too, so that ours gives way. */
function above({ headers: ours }: Rendered, text: string): Rendered['headers'] {
  const spellings = new Map(Object.keys(ours).map((name) => [name.toLowerCase(), name]))
  const headers: Record<string, string | string[]> = {}
  for (const [name, value] of parseHeaders(text)) {
    const key = name.toLowerCase()
    if (!spellings.has(key)) spellings.set(key, name)
    const spelling = spellings.get(key)!
    const before = headers[spelling]
    headers[spelling] = before === undefined ? value : [before, value].flat()
  }
  return headers
}

/** `[{"Set-Cookie": "a=1"}, {"Set-Cookie": "b=2"}, …]` */
function parseHeaders(text: string): [name: string, value: string][] {
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch {
    throw errors.responseHeaders()
  }
  if (!Array.isArray(list)) throw errors.responseHeaders()
  return (list as unknown[]).map((item) => {
    const [pair, ...more] =
      item && typeof item === 'object' && !Array.isArray(item) ? Object.entries(item) : []
    if (!pair || more.length > 0 || !isHeader(pair[0], pair[1])) throw errors.responseHeaders()
    return pair
  })
}
