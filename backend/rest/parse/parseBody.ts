import { isUtf8 } from 'node:buffer'
import { errors } from '../errors.ts'
import { keysOfRows } from './keysOfRows.ts'
import { parseCsv } from './parseCsv.ts'
import type { Media } from './parseMedia.ts'

/** A body ready to be a parameter: what is sent, what it looks like, and the keys it fills. */
export interface Body {
  /** JSON text; where a function takes the whole body and it is no JSON, its bytes as they came. */
  text: string | Buffer
  isObject: boolean
  /** Sorted; the columns of a write, the arguments of a call. */
  keys: string[]
  /** The fields of a form that calls a function, each as often as it was given; else null. */
  form: [name: string, value: string][] | null
}

const NONE: Body = { text: '[]', isObject: false, keys: [], form: null }

/** What a function may take whole, without anyone having looked into it. */
const RAW = new Set(['text', 'xml', 'octets'])

/**
 * Reads a body for a table or a function. With `columns` JSON isn't looked into (PostgreSQL parses it, once),
 * else its keys are needed, and all rows must have the same. CSV and forms bring their keys along: `columns`
 * has no say there, as upstream. Throws PGRST102.
 */
export function parseBody(
  sent: string | Buffer,
  media: Media,
  o: { isCall: boolean; columns: string[] | null },
): Body {
  if (o.isCall && RAW.has(media.kind)) return { text: sent, isObject: false, keys: [], form: null }
  const bytes = typeof sent === 'string' ? Buffer.from(sent) : sent
  // Read leniently, broken UTF-8 would be stored as U+FFFD without a word.
  if (!isUtf8(bytes)) throw errors.body('Empty or invalid json')
  if (media.kind === 'csv') {
    const { json, keys } = parseCsv(bytes)
    return { text: json, isObject: false, keys, form: null }
  }
  const text = bytes.toString('utf8')
  if (media.kind === 'urlencoded') return parseForm(text, o.isCall)
  if (media.kind !== 'json') throw errors.body(`Content-Type not acceptable: ${media.mime}`)
  if (o.columns) return { text, isObject: /^[ \t\r\n]*\{/.test(text), keys: o.columns, form: null }
  if (o.isCall && text === '') return { text: '{}', isObject: true, keys: [], form: null }
  const rows = keysOfRows(bytes)
  return rows ? { text, ...rows, form: null } : NONE
}

/** What of a body decides the statement: behind the request's shape, the key of a plan. */
export function shapeOfBody({ isObject, keys, form }: Body): string {
  return JSON.stringify([isObject, keys, form?.map(([name]) => name)])
}

/**
 * `a=1&b=2`: for a table one row of texts, which PostgreSQL reads as the columns' types; for a function
 * arguments as a query string would bring them.
 */
function parseForm(text: string, isCall: boolean): Body {
  const form = [...new URLSearchParams(text)]
  const row = Object.fromEntries(form)
  const keys = Object.keys(row).sort()
  if (isCall) return { text: '', isObject: true, keys, form }
  return { text: JSON.stringify(row), isObject: true, keys, form: null }
}
