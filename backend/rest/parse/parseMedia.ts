/** The media types of the contract; any other is `other` with its own name. */
export type MediaKind =
  | 'json'
  | 'array-stripped'
  | 'object'
  | 'object-stripped'
  | 'csv'
  | 'urlencoded'
  | 'text'
  | 'xml'
  | 'octets'
  | 'openapi'
  | 'any'
  | 'other'

export interface Media {
  kind: MediaKind
  /** As it is named in answers. */
  mime: string
}

const KNOWN: Record<string, MediaKind> = {
  'application/json': 'json',
  'text/csv': 'csv',
  'text/plain': 'text',
  'text/xml': 'xml',
  'application/openapi+json': 'openapi',
  'application/x-www-form-urlencoded': 'urlencoded',
  'application/octet-stream': 'octets',
  '*/*': 'any',
}

/** The media type of one header element, without its weight: `application/vnd.pgrst.object+json;nulls=stripped`. */
export function parseMedia(text: string): Media {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim())
  const name = type.toLowerCase()
  const isStripped = parameters.some((parameter) => /^nulls\s*=\s*"?stripped"?$/i.test(parameter))
  if (name === 'application/vnd.pgrst.object+json' || name === 'application/vnd.pgrst.object') {
    return isStripped
      ? { kind: 'object-stripped', mime: 'application/vnd.pgrst.object+json;nulls=stripped' }
      : { kind: 'object', mime: 'application/vnd.pgrst.object+json' }
  }
  if (name === 'application/vnd.pgrst.array+json' || name === 'application/vnd.pgrst.array') {
    return isStripped
      ? { kind: 'array-stripped', mime: 'application/vnd.pgrst.array+json;nulls=stripped' }
      : { kind: 'json', mime: 'application/json' }
  }
  const kind = Object.hasOwn(KNOWN, name) ? KNOWN[name]! : 'other'
  return { kind, mime: kind === 'other' ? text : name }
}

/** The `Accept` header, the most wanted first (RFC 9110 weights; equals keep their order). */
export function parseAccept(header: string | undefined): Media[] {
  if (!header) return [{ kind: 'any', mime: '*/*' }]
  const weighted = header.split(',').map((element) => {
    const weight = /;\s*q\s*=\s*([\d.]+)/i.exec(element)
    const q = weight ? Number(weight[1]) : 1
    return {
      media: parseMedia(element.replace(/;\s*q\s*=\s*[\d.]+/i, '').trim()),
      q: Number.isNaN(q) ? 0 : q,
    }
  })
  return weighted.sort((a, b) => b.q - a.q).map(({ media }) => media)
}
