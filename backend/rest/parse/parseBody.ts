import { isUtf8 } from 'node:buffer'
import { errors } from '../errors.ts'
import { keysOfRows } from './keysOfRows.ts'
import { parseCsv } from './parseCsv.ts'
import type { Media } from './parseMedia.ts'

/** A parsed body, ready to be a parameter. */
export interface Body {
  /** JSON text; for a function that takes a whole non-JSON body, its bytes. */
  text: string | Buffer
  isObject: boolean
  /** The columns of a write or the arguments of a call, sorted. */
  keys: string[]
  /** The fields of a form that calls a function, with repetitions; else null. */
  form: [name: string, value: string][] | null
}

const NONE: Body = { text: '[]', isObject: false, keys: [], form: null }

/** Media types that a function takes as a whole, without parsing. */
const RAW = new Set(['text', 'xml', 'octets'])

/**
 * Parses a body for a table or a function. With `columns` JSON isn't parsed here, but only by PostgreSQL; else all rows
 * must have the same keys. For CSV and forms `columns` has no effect, like upstream. Throws PGRST102.
 */
export function parseBody(
  rawBody: string | Buffer,
  media: Media,
  o: { isCall: boolean; columns: string[] | null },
): Body {
  if (o.isCall && RAW.has(media.kind)) return { text: rawBody, isObject: false, keys: [], form: null }
  const bytes = typeof rawBody === 'string' ? Buffer.from(rawBody) : rawBody
  // Lenient decoding would silently store invalid UTF-8 as U+FFFD.
  if (!isUtf8(bytes)) throw errors.body('Empty or invalid json')
  if (media.kind === 'csv') {
    const { json, keys } = parseCsv(bytes)
    return { text: json, isObject: false, keys, form: null }
  }
  if (media.kind === 'urlencoded') {
    if (bytes.length > MAX_FORM_BYTES) throw errors.bodyTooLarge(MAX_FORM_BYTES)
    return parseForm(bytes.toString('utf8'), o.isCall)
  }
  const text = bytes.toString('utf8')
  if (media.kind !== 'json') throw errors.body(`Content-Type not acceptable: ${media.mime}`)
  if (o.columns) return { text, isObject: /^[ \t\r\n]*\{/.test(text), keys: o.columns, form: null }
  if (o.isCall && text === '') return { text: '{}', isObject: true, keys: [], form: null }
  const rows = keysOfRows(bytes)
  return rows ? { text, ...rows, form: null } : NONE
}

/** Of a form: creating a string for each of two million fields would block the event loop for seconds. */
const [MAX_FORM_BYTES, MAX_FORM_FIELDS] = [1_048_576, 10_000] as const

/** The parts of a body that affect the statement; with the request's shape, the key of a plan. */
export function shapeOfBody({ isObject, keys, form }: Body): string {
  return JSON.stringify([isObject, keys, form?.map(([name]) => name)])
}

/**
 * `a=1&b=2`: for a table one row of strings, which PostgreSQL converts to the columns' types; for a function arguments,
 * like those in a query string.
 */
function parseForm(text: string, isCall: boolean): Body {
  for (let fields = 1, at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
    if (++fields > MAX_FORM_FIELDS) throw errors.body(`A form has at most ${MAX_FORM_FIELDS} fields`)
  }
  const form = [...new URLSearchParams(text)]
  const row = Object.fromEntries(form)
  const keys = Object.keys(row).sort()
  if (isCall) return { text: '', isObject: true, keys, form }
  return { text: JSON.stringify(row), isObject: true, keys, form: null }
}
