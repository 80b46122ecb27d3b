import { errors } from './errors.ts'

const decimal: Record<string, number> = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9 }

/**
 * The bytes of a limit in the bucket API: a whole number, or "20MB" in powers of ten.
 * Throws where it is neither.
 */
export function parseFileSize(limit: number | string): number {
  if (typeof limit === 'number') {
    if (Number.isSafeInteger(limit) && limit >= 0) return limit
    throw errors.invalidFileSizeLimit()
  }
  const match = /^(\d+(?:\.\d+)?)(gb|mb|kb|b)$/i.exec(limit)
  const bytes = match ? Number(match[1]) * decimal[match[2]!.toLowerCase()]! : Number.NaN
  if (!Number.isSafeInteger(Math.round(bytes))) throw errors.invalidFileSizeLimit()
  return Math.round(bytes)
}
