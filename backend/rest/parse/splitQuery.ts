import { readOperator, takesValue } from './parseFilter.ts'
import type { Operator } from './parseFilter.ts'
import type { RowRange } from './query.ts'

/** One parameter of a query string, by kind. */
export type Part =
  | { kind: 'structure'; name: string; value: string }
  | { kind: 'filter'; name: string; operator: Operator; value: string; input: number }
  | { kind: 'argument'; name: string; value: string; input: number }

/**
 * A query string split into its values (`inputs`) and the rest (`shape`), which determines the statement.
 * `id=eq.5` has the shape `id=eq.?` and the input `5`: requests of one shape share one plan.
 */
export interface SplitQuery {
  parts: Part[]
  inputs: string[]
  /** By the name of the parameter ("limit", "items.limit"). */
  ranges: Map<string, RowRange>
  shape: string
}

const STRUCTURE = new Set(['select', 'columns', 'on_conflict'])

/**
 * Splits the query string (without `?`). Parameters without `=` are dropped, like upstream. Must be fast: it runs for each
 * request, while parsing and planning run once for each shape.
 */
export function splitQuery(search: string): SplitQuery {
  const split: SplitQuery = { parts: [], inputs: [], ranges: new Map(), shape: '' }
  const limits = new Map<string, number>()
  const offsets = new Map<string, number>()
  for (const pair of pairsOf(search)) {
    const equals = pair.indexOf('=')
    if (equals < 0) continue
    const name = decode(pair.slice(0, equals))
    const value = decode(pair.slice(equals + 1))
    const last = name.slice(name.lastIndexOf('.') + 1)
    if (last === 'limit') readInteger(value, name, limits)
    else if (last === 'offset') readInteger(value, `${name.slice(0, -'offset'.length)}limit`, offsets)
    else if (STRUCTURE.has(name) || last === 'order' || last === 'and' || last === 'or') {
      split.parts.push({ kind: 'structure', name, value })
      split.shape += shapeOf('s', name, value)
    } else addValue(split, name, value)
  }
  for (const name of new Set([...limits.keys(), ...offsets.keys()])) {
    const range = { offset: offsets.get(name) ?? 0, limit: limits.get(name) ?? null }
    split.ranges.set(name, range)
    split.shape += shapeOf('r', name, `${range.limit},${range.offset}`)
  }
  return split
}

/** Semicolons also separate parameters, like upstream: HTML 4 recommended them. Clients percent-encode them in values. */
function pairsOf(search: string): string[] {
  return search.includes(';') ? search.split(/[&;]/) : search.split('&')
}

function addValue(split: SplitQuery, name: string, value: string): void {
  const operator = readOperator(value)
  const input = split.inputs.length
  if (operator && takesValue(operator)) {
    split.inputs.push(value.slice(operator.end))
    split.shape += shapeOf('f', name, value.slice(0, operator.end))
    split.parts.push({ kind: 'filter', name, operator, value, input })
  } else if (operator) {
    split.shape += shapeOf('i', name, value)
    split.parts.push({ kind: 'filter', name, operator, value, input: -1 })
  } else {
    split.inputs.push(value)
    split.shape += shapeOf('a', name, '')
    split.parts.push({ kind: 'argument', name, value, input })
  }
}

/** Includes lengths, so that different queries never have the same shape and share a plan. */
function shapeOf(kind: string, name: string, text: string): string {
  return `${kind}${name.length},${text.length}:${name}${text}`
}

/** An invalid number is ignored, like upstream; the last of several counts. */
function readInteger(value: string, name: string, into: Map<string, number>): void {
  if (!/^-?\d+$/.test(value)) return
  const limit = Number.MAX_SAFE_INTEGER
  into.set(name, Math.max(-limit, Math.min(limit, Number(value))))
}

/** Percent-decodes without throwing: invalid sequences stay as text, invalid UTF-8 becomes U+FFFD. */
function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text
  const spaced = text.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced.replace(/(?:%[0-9a-fA-F]{2})+/g, (bytes) =>
      Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'),
    )
  }
}
