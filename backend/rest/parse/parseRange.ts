import { errors } from '../errors.ts'
import type { RowRange } from './query.ts'

/**
 * Joins `limit`/`offset` with the `Range` header ("0-9"), which counts for GET alone (RFC 9110).
 * `limit=0` asks for no rows and is fine; any other empty range is refused with PGRST103.
 */
export function parseRange(
  method: string,
  asked: RowRange | undefined,
  header: string | undefined,
): RowRange | null {
  const found = method === 'GET' && header ? /^(\d+)-(\d*)$/.exec(header.trim()) : null
  if (found) {
    const range = { offset: toRow(found[1]!), limit: null as number | null }
    if (found[2] !== '') range.limit = toRow(found[2]!) - range.offset + 1
    if (range.limit !== null && range.limit < 1) {
      throw errors.range(
        'The lower boundary must be lower than or equal to the upper boundary in the Range header.',
      )
    }
    return asked ? intersect(range, asked) : range
  }
  return asked ? fromFirstRow(asked) : null
}

/** Rows before the first are counted and not given: `offset=-2&limit=5` asks for three. */
function fromFirstRow({ offset, limit }: RowRange): RowRange {
  if (limit === 0) return { offset: Math.max(offset, 0), limit }
  const rows = limit === null ? null : limit + Math.min(offset, 0)
  if (rows !== null && rows < 0) throw errors.range('Limit should be greater than or equal to zero.')
  return { offset: Math.max(offset, 0), limit: rows }
}

function toRow(digits: string): number {
  return Math.min(Number(digits), Number.MAX_SAFE_INTEGER)
}

function intersect(header: RowRange, asked: RowRange): RowRange {
  if (asked.limit === 0) return { offset: 0, limit: 0 }
  const offset = Math.max(header.offset, asked.offset)
  const ends = [header, asked].flatMap((range) => (range.limit === null ? [] : [range.offset + range.limit]))
  const limit = ends.length === 0 ? null : Math.min(...ends) - offset
  if (limit !== null && limit < 1) throw errors.range('Limit should be greater than or equal to zero.')
  return { offset, limit }
}
