import { errors } from '../errors.ts'
import { type Media, parseMedia } from '../parse/parseMedia.ts'
import type { MediaHandler, MediaHandlers } from '../schemaCache/mediaHandlers.ts'
import { type QualifiedName, keyOf } from '../schemaCache/qualifiedName.ts'
import type { Routine } from '../schemaCache/schemaCache.ts'
import type { Output, ReadNode, Rendering } from './plan.ts'

/** The available renderings of a response. */
export interface Offer {
  handlers: MediaHandlers
  /** The table, view or row type of the rows. */
  target: QualifiedName
  /** The function that returns the rows, if any. */
  routine: Routine | null
  /** The SELECT of the rows. */
  root: ReadNode
  /** False for HEAD, and for writes that return no rows. */
  needsBody: boolean
  planEnabled: boolean
}

const JSON_MEDIA: Media = { kind: 'json', mime: 'application/json' }
/** The media type of a handler for all types. */
const UNNAMED = 'application/octet-stream'

/** Chooses the output once the rows are planned; `routine` is the function that returns them, if any. */
export type ChooseOutput = (target: QualifiedName, root: ReadNode, routine: Routine | null) => Output

/** Chooses the first accepted media type that is available (RFC 9110, 12.5.1). Throws PGRST107. */
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

/** Handlers can override all types except the vendor types. */
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
  const fromDatabase = handlerOutput(media, offer)
  if (fromDatabase) return as(fromDatabase.rendering, nameOf(fromDatabase.mime))
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
 * The output of a handler in the database. A handler for all types precedes one for this type; a handler for these rows,
 * which needs whole rows, precedes one for any rows.
 */
function handlerOutput(media: Media, offer: Offer): { rendering: Rendering; mime: string } | null {
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

/** Handlers are found regardless of the type's parameters. */
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
