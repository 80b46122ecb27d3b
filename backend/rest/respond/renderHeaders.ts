import type { Rendered } from './rendered.ts'

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** No control characters but the tab: they would break the answer open. */
const VALUE = /^[\t\x20-\x7e\u0080-\uffff]*$/
const BEYOND_ASCII = /[\u0080-\uffff]/

/** What says where an answer ends is node's: by another's word, a client would take half of it for the next. */
const FRAMING = /^(?:content-length|transfer-encoding|connection|keep-alive|trailer|upgrade)$/i

/** A header that can be sent: what SQL made up must not break the answer open. */
export function isHeader(name: string, value: unknown): value is string {
  return TOKEN.test(name) && !FRAMING.test(name) && typeof value === 'string' && VALUE.test(value)
}

/** Headers as `Response` takes them: a list becomes so many headers of its name. */
export function renderHeaders(headers: Rendered['headers']): Headers | Record<string, string> {
  const values = Object.values(headers)
  if (!values.some((value) => typeof value !== 'string' || BEYOND_ASCII.test(value))) {
    return headers as Record<string, string>
  }
  const rendered = new Headers()
  for (const name in headers) {
    for (const value of [headers[name]!].flat()) rendered.append(name, inBytes(value))
  }
  return rendered
}

/** Node sends one byte for each character: those of UTF-8 (as upstream sends them), one by one. */
export function inBytes(text: string): string {
  return BEYOND_ASCII.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text
}
