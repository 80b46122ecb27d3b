import { errors } from '../errors.ts'
import type { RowRange } from './query.ts'

/**
 * Combines `limit`/`offset` with the `Range` header ("0-9"), which applies to GET only (RFC 9110).
 * `limit=0` is valid and returns no rows; any other empty range is refused with PGRST103.
 */
export function parseRange(
  method: string,
  requested: RowRange | undefined,
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
    return requested ? intersect(range, requested) : range
  }
  return requested ? fromFirstRow(requested) : null
}

/** Rows before the first count, but do not exist: `offset=-2&limit=5` returns three. */
function fromFirstRow({ offset, limit }: RowRange): RowRange {
  if (limit === 0) return { offset: Math.max(offset, 0), limit }
  const rows = limit === null ? null : limit + Math.min(offset, 0)
  if (rows !== null && rows < 0) throw errors.range('Limit should be greater than or equal to zero.')
  return { offset: Math.max(offset, 0), limit: rows }
}

function toRow(digits: string): number {
  return Math.min(Number(digits), Number.MAX_SAFE_INTEGER)
}

function intersect(header: RowRange, requested: RowRange): RowRange {
  if (requested.limit === 0) return { offset: 0, limit: 0 }
  const offset = Math.max(header.offset, requested.offset)
  const ends = [header, requested].flatMap((range) =>
    range.limit === null ? [] : [range.offset + range.limit],
  )
  const limit = ends.length === 0 ? null : Math.min(...ends) - offset
  if (limit !== null && limit < 1) throw errors.range('Limit should be greater than or equal to zero.')
  return { offset, limit }
}
