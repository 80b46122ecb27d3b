import { errors } from '../errors.ts'
import { parseMedia } from '../parse/parseMedia.ts'
import type { Media } from '../parse/parseMedia.ts'
import type { MediaHandler, MediaHandlers } from '../schemaCache/mediaHandlers.ts'
import { keyOf } from '../schemaCache/named.ts'
import type { Routine } from '../schemaCache/schemaCache.ts'
import type { Named } from '../schemaCache/named.ts'
import type { Output, ReadNode, Rendering } from './plan.ts'

/** What there is to be answered with. */
export interface Offer {
  handlers: MediaHandlers
  /** The table, view or row type whose rows they are. */
  target: Named
  /** The function that they come from, if one does. */
  routine: Routine | null
  /** What is selected of them. */
  root: ReadNode
  /** No content is made for HEAD, nor of a write that nothing is asked of. */
  needsBody: boolean
  planEnabled: boolean
}

const JSON_MEDIA: Media = { kind: 'json', mime: 'application/json' }
/** What comes from a handler of everything is named so, if it doesn't name itself. */
const UNNAMED = 'application/octet-stream'

/** Chooses once the rows are planned; `routine` is the function that they come from, if one does. */
export type OutputOf = (target: Named, root: ReadNode, routine: Routine | null) => Output

/** Chooses the first accepted media type that can be made (RFC 9110, 12.5.1). Throws PGRST107. */
export function negotiate(accept: Media[], offer: Offer): Output {
  for (const media of accept) {
    const output = media.plan ? planOutput(media, offer) : outputOf(media, offer)
    if (!output) continue
    return offer.needsBody ? output : { ...output, rendering: { kind: 'none' } }
  }
  throw errors.mediaType(accept.map(({ mime }) => mime))
}

function planOutput(media: Media, offer: Offer): Output | null {
  const { of, explain } = media.plan!
  const output = offer.planEnabled && !of.plan ? outputOf(of, offer) : null
  return output && { ...output, media, isSingular: false, explain }
}

/** The vendored types can't be taken over by a handler, all others can. */
function outputOf(media: Media, offer: Offer): Output | null {
  const as = (rendering: Rendering, named = media): Output => ({
    rendering,
    media: named,
    isSingular: media.kind === 'object' || media.kind === 'object-stripped',
    explain: null,
  })
  const isStripped = media.kind === 'array-stripped' || media.kind === 'object-stripped'
  if (media.kind === 'array-stripped') return as({ kind: 'array', isStripped })
  if (media.kind === 'object' || media.kind === 'object-stripped') return as({ kind: 'object', isStripped })
  const own = ownOutput(media, offer)
  if (own) return as(own.rendering, nameOf(own.mime))
  switch (media.kind) {
    case 'json':
    case 'any':
      return as({ kind: 'array', isStripped }, JSON_MEDIA)
    case 'csv':
      return as({ kind: 'csv' })
    case 'geojson':
      return offer.handlers.feature && as({ kind: 'geojson', feature: offer.handlers.feature })
    default:
      return null
  }
}

/**
 * What the database makes of it: who makes everything before who makes this type, of these rows before of
 * any. Those of these rows want them whole.
 */
function ownOutput(media: Media, offer: Offer): { rendering: Rendering; mime: string } | null {
  const { handlers, routine, target } = offer
  const name = nameWithoutParameters(media)
  if (selectsAll(offer.root)) {
    const value = routine && !routine.isSet && !routine.isComposite ? routine.media : null
    if (value && (value.mime === '*/*' || value.mime.toLowerCase() === name)) {
      return { rendering: { kind: 'value', isBytes: value.isBytes }, mime: value.mime }
    }
    const ofTable =
      routine?.isComposite === false ? undefined : handlers.ofTables.get(keyOf(target.schema, target.name))
    const handler = ofTable?.get('*/*') ?? ofTable?.get(name)
    if (handler) return fromHandler(handler)
  }
  const handler = handlers.ofAnyRow.get(name)
  return handler ? fromHandler(handler) : null
}

function fromHandler(handler: MediaHandler): { rendering: Rendering; mime: string } {
  return { rendering: { kind: 'aggregate', handler }, mime: handler.mime }
}

/** Parameters of a type that we don't know don't keep it from being found. */
function nameWithoutParameters({ mime }: Media): string {
  const end = mime.indexOf(';')
  return (end < 0 ? mime : mime.slice(0, end)).toLowerCase()
}

function nameOf(mime: string): Media {
  return parseMedia(mime === '*/*' ? UNNAMED : mime)
}

function selectsAll({ fields, embeds }: ReadNode): boolean {
  const [only, ...more] = fields
  return embeds.length === 0 && more.length === 0 && only?.field.name === '*'
}
