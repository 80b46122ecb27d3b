import { errors } from '../errors.ts'
import type { Media } from '../parse/parseMedia.ts'
import type { Output, Rendering } from './plan.ts'

const JSON_MEDIA: Media = { kind: 'json', mime: 'application/json' }

/**
 * Chooses the first accepted media type that can be made (RFC 9110, 12.5.1). `needsBody` false: no rows
 * are aggregated, as for HEAD and `return=minimal`. Throws PGRST107.
 */
export function negotiate(accept: Media[], needsBody: boolean): Output {
  for (const media of accept) {
    const rendering = renderingOf(media)
    if (!rendering) continue
    const isSingular = media.kind === 'object' || media.kind === 'object-stripped'
    return {
      rendering: needsBody ? rendering : 'none',
      isStripped: media.kind === 'object-stripped' || media.kind === 'array-stripped',
      media: media.kind === 'any' ? JSON_MEDIA : media,
      isSingular,
    }
  }
  throw errors.mediaType(accept.map(({ mime }) => mime))
}

function renderingOf({ kind }: Media): Rendering | null {
  if (kind === 'json' || kind === 'any' || kind === 'array-stripped') return 'array'
  if (kind === 'object' || kind === 'object-stripped') return 'object'
  return kind === 'csv' ? 'csv' : null
}
