import type { Transform } from './Transform.ts'

/** The format to send where the transformation names none, by the client's `Accept`. */
export type FormatPreference = 'webp' | 'avif' | 'origin'

/** Whether an `Accept` header lists a type with a weight above 0. */
function accepts(list: string, type: string): boolean {
  return list.split(',').some((entry) => {
    const [name, ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
    return name === type && !parameters.some((one) => /^q=0(\.0*)?$/.test(one))
  })
}

/**
 * WebP for clients that accept it, as in upstream's renderer; AVIF only for clients that don't accept WebP, since it
 * takes six times as long to encode. An explicitly requested format needs no `Accept`.
 */
export function negotiateFormat(transform: Transform, accept: string | undefined): FormatPreference {
  if (transform.format !== undefined) return transform.format
  const list = (accept ?? '').slice(0, 1000)
  if (accepts(list, 'image/webp')) return 'webp'
  return accepts(list, 'image/avif') ? 'avif' : 'origin'
}
