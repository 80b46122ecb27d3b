import type { ByteRange } from '../../bytes/OpenBytes.ts'

/**
 * A `Range` header over `size` bytes (RFC 9110, 14.2): the range, null where the header is ignored
 * (another unit, several ranges, bad syntax: then everything is sent),
 * or 'unsatisfiable'.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | null | 'unsatisfiable' {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '')
  if (!match || (match[1] === '' && match[2] === '')) return null
  if (match[1] === '') {
    const length = Number(match[2])
    if (length === 0 || size === 0) return 'unsatisfiable'
    return { first: Math.max(0, size - length), last: size - 1 }
  }
  const first = Number(match[1])
  const last = match[2] === '' ? size - 1 : Number(match[2])
  if (match[2] !== '' && last < first) return null
  if (first >= size) return 'unsatisfiable'
  return { first, last: Math.min(last, size - 1) }
}
