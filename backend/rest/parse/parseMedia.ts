/** The media types of PostgREST; all others are `other`. */
export type MediaKind =
  | 'json'
  | 'array-stripped'
  | 'object'
  | 'object-stripped'
  | 'geojson'
  | 'csv'
  | 'urlencoded'
  | 'text'
  | 'xml'
  | 'octets'
  | 'openapi'
  | 'plan'
  | 'any'
  | 'other'

export interface Media {
  kind: MediaKind
  /** The name in responses. */
  mime: string
  /** For a plan: the media type of the planned request, and the options of EXPLAIN. */
  plan?: { of: Media; explain: Explain }
}

/** Options of EXPLAIN. */
export interface Explain {
  format: 'json' | 'text'
  options: PlanOption[]
}

const PLAN_OPTIONS = ['analyze', 'verbose', 'settings', 'buffers', 'wal'] as const

type PlanOption = (typeof PLAN_OPTIONS)[number]

const MEDIA_KINDS: Record<string, MediaKind> = {
  'application/json': 'json',
  'application/geo+json': 'geojson',
  'text/csv': 'csv',
  'text/plain': 'text',
  'text/xml': 'xml',
  'application/openapi+json': 'openapi',
  'application/x-www-form-urlencoded': 'urlencoded',
  'application/octet-stream': 'octets',
  '*/*': 'any',
}

const PLAN = /^application\/vnd\.pgrst\.plan(?:\+(json|text))?$/
const TYPE = /^[a-z0-9.*]+\/[a-z0-9.*+-]+/i
const PARAMETER = /\s*;\s*([a-z0-9-]+)\s*=\s*(?:"([^"]*)"|([a-z0-9|-]+))/iy

/**
 * Parses the media type of one header element, without weight: `application/vnd.pgrst.object+json;nulls=stripped`.
 * Parameters are parsed up to the first invalid one; text without a type is `other`.
 */
export function parseMedia(text: string): Media {
  const written = TYPE.exec(text.trim())?.[0] ?? ''
  const name = written.toLowerCase()
  const kind = Object.hasOwn(MEDIA_KINDS, name) ? MEDIA_KINDS[name]! : 'other'
  if (kind !== 'other') return { kind, mime: name }
  if (!name.startsWith('application/vnd.pgrst.')) return { kind, mime: text }
  return parseVendor(name, parseParameters(text.trim(), written.length)) ?? { kind, mime: text }
}

function parseVendor(name: string, parameters: Map<string, string>): Media | null {
  const isStripped = parameters.get('nulls') === 'stripped'
  const plan = PLAN.exec(name)
  if (plan) return parsePlan(plan[1] === 'json' ? 'json' : 'text', parameters)
  switch (name.replace(/\+json$/, '')) {
    case 'application/vnd.pgrst.object':
      return isStripped
        ? { kind: 'object-stripped', mime: 'application/vnd.pgrst.object+json;nulls=stripped' }
        : { kind: 'object', mime: 'application/vnd.pgrst.object+json' }
    case 'application/vnd.pgrst.array':
      return isStripped
        ? { kind: 'array-stripped', mime: 'application/vnd.pgrst.array+json;nulls=stripped' }
        : { kind: 'json', mime: 'application/json' }
    default:
      return null
  }
}

/** `…plan+json; for="text/csv"; options=analyze|buffers`. */
function parsePlan(format: Explain['format'], parameters: Map<string, string>): Media {
  const of = parseMedia(parameters.get('for') ?? 'application/json')
  const requested = (parameters.get('options') ?? '').split('|')
  const options = PLAN_OPTIONS.filter((option) => requested.includes(option))
  const mime =
    `application/vnd.pgrst.plan+${format}; for="${of.mime}"` +
    (options.length === 0 ? '' : `; options=${options.join('|')}`)
  return { kind: 'plan', mime, plan: { of, explain: { format, options } } }
}

/** Parameters by their lower-case names, from `at` on; of repeated ones the last counts. */
function parseParameters(text: string, at: number): Map<string, string> {
  const parameters = new Map<string, string>()
  PARAMETER.lastIndex = at
  for (let found = PARAMETER.exec(text); found; found = PARAMETER.exec(text)) {
    parameters.set(found[1]!.toLowerCase(), found[2] ?? found[3] ?? '')
  }
  return parameters
}

/**
 * Parses the `Accept` header, sorted by weight, then by more parameters and fewer wildcards; equal ones keep their order.
 * An invalid weight is ignored.
 */
export function parseAccept(header: string | undefined): Media[] {
  if (!header) return [{ kind: 'any', mime: '*/*' }]
  const ranked = header.split(',').map((element) => {
    const text = element.replaceAll(' ', '')
    const at = text.search(/;q=/i)
    const media = at < 0 ? text : text.slice(0, at)
    const weight = at < 0 ? null : /^\d+(?:\.\d+)?/.exec(text.slice(at + ';q='.length))
    const precision = media.split(';').length - media.split('*').length
    return { media: parseMedia(media), weight: weight ? Number(weight[0]) : 1, precision }
  })
  return ranked.sort((a, b) => b.weight - a.weight || b.precision - a.precision).map(({ media }) => media)
}
