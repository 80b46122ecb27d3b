import type { Reference } from './document.ts'

const ESCAPES: Record<string, string> = { '~': '~0', '/': '~1', '%': '%25' }

/** A JSON reference to a part of the document; names may hold what a pointer means otherwise (RFC 6901). */
export function refer(part: 'definitions' | 'parameters', name: string): Reference {
  return { $ref: `#/${part}/${name.replace(/[~/%]/g, (sign) => ESCAPES[sign]!)}` }
}
