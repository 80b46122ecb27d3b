import { errors } from '../errors.ts'
import type { Media } from './parseMedia.ts'

/** A body ready to be a parameter: its text, what it looks like, and the keys it fills. */
export interface Body {
  text: string
  isObject: boolean
  /** Sorted; the columns of a write, the arguments of a call. */
  keys: string[]
}

const NONE: Body = { text: '[]', isObject: false, keys: [] }

/**
 * Reads a body for a table or a function. With `columns` the body isn't looked into (PostgreSQL parses
 * it, once), else its keys are needed, and all rows must have the same. Throws PGRST102.
 */
export function parseBody(
  text: string,
  media: Media,
  o: { isCall: boolean; columns: string[] | null },
): Body {
  if (media.kind === 'urlencoded') return parseForm(text)
  if (o.isCall && (media.kind === 'text' || media.kind === 'xml')) return { text, isObject: false, keys: [] }
  if (media.kind !== 'json') throw errors.body(`Content-Type not acceptable: ${media.mime}`)
  if (o.columns) return { text, isObject: /^[ \t\r\n]*\{/.test(text), keys: o.columns }
  if (o.isCall && text === '') return { text: '{}', isObject: true, keys: [] }
  return withKeys(text)
}

function withKeys(text: string): Body {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw errors.body('Empty or invalid json')
  }
  if (!Array.isArray(json)) {
    return json && typeof json === 'object' ? { text, isObject: true, keys: keysOf(json) } : NONE
  }
  if (json.length === 0) return NONE
  const first = keysOf(json[0])
  for (const row of json as unknown[]) {
    if (!row || typeof row !== 'object' || Array.isArray(row) || !hasExactly(row, first)) {
      throw errors.body('All object keys must match')
    }
  }
  return { text, isObject: false, keys: first }
}

function keysOf(row: unknown): string[] {
  return row && typeof row === 'object' ? Object.keys(row).sort() : []
}

function hasExactly(row: object, keys: string[]): boolean {
  return Object.keys(row).length === keys.length && keys.every((key) => Object.hasOwn(row, key))
}

/** `a=1&b=2`: one row of texts, which PostgreSQL reads as the columns' types. */
function parseForm(text: string): Body {
  const row = Object.fromEntries(new URLSearchParams(text))
  return { text: JSON.stringify(row), isObject: true, keys: Object.keys(row).sort() }
}
