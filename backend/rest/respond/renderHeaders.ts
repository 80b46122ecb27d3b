import type { RestResponse } from './restResponse.ts'

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** No control characters except tabs: they would allow response splitting. */
const VALUE = /^[\t\x20-\x7e\u0080-\uffff]*$/
const BEYOND_ASCII = /[\u0080-\uffff]/

/** Headers of message framing, which only Node sets: others would allow response splitting. */
const FRAMING = /^(?:content-length|transfer-encoding|connection|keep-alive|trailer|upgrade)$/i

/** Whether a header that SQL has set can be sent. */
export function isValidHeader(name: string, value: unknown): value is string {
  return TOKEN.test(name) && !FRAMING.test(name) && typeof value === 'string' && VALUE.test(value)
}

/** Converts headers for `Response`; a list becomes repeated headers. */
export function renderHeaders(headers: RestResponse['headers']): Headers | Record<string, string> {
  const values = Object.values(headers)
  if (!values.some((value) => typeof value !== 'string' || BEYOND_ASCII.test(value))) {
    return headers as Record<string, string>
  }
  const rendered = new Headers()
  for (const name in headers) {
    for (const value of [headers[name]!].flat()) rendered.append(name, encodeHeader(value))
  }
  return rendered
}

/** Encodes a header as UTF-8, like upstream: Node sends one byte for each character. */
export function encodeHeader(text: string): string {
  return BEYOND_ASCII.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text
}
