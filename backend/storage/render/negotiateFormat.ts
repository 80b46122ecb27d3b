import type { Transform } from './Transform.ts'

/** The format to send where the transformation names none: what the client's `Accept` leaves open. */
export type FormatPreference = 'webp' | 'avif' | 'origin'

/** Whether a list of `Accept` names a type and does not weigh it 0. */
function accepts(list: string, type: string): boolean {
  return list.split(',').some((entry) => {
    const [name, ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
    return name === type && !parameters.some((one) => /^q=0(\.0*)?$/.test(one))
  })
}

/**
 * WebP for whoever reads it, as upstream's renderer detects it; AVIF for whoever reads that alone, since it
 * takes six times as long to write. A format that was asked for by name needs no `Accept`.
 */
export function negotiateFormat(transform: Transform, accept: string | undefined): FormatPreference {
  if (transform.format !== undefined) return transform.format
  const list = (accept ?? '').slice(0, 1000)
  if (accepts(list, 'image/webp')) return 'webp'
  return accepts(list, 'image/avif') ? 'avif' : 'origin'
}
