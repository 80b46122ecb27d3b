import { randomUUID } from 'node:crypto'

/** Values of the names in a matrix row; `me` is the caller. */
export type Names = Record<string, string>

/** `name=value` pairs, in order; a value in quotes keeps its spaces. */
function pairsOf(text: string): [string, string][] {
  return [...text.matchAll(/([\w.]+)=("[^"]*"|\[[^\]]*\]|\S+)/g)].map((match) => [match[1]!, match[2]!])
}

/**
 * The value of a token: quoted text, numbers, true, false, null, lists, `new` (a fresh id), `nowhere` (an id that does
 * not exist), or a name of the fixture. Throws on any other token, which would be a typing error.
 */
function valueOf(written: string, names: Names): unknown {
  if (written.startsWith('"')) return written.slice(1, -1)
  if (/^-?\d+$/.test(written)) return Number(written)
  if (['true', 'false', 'null'].includes(written)) return JSON.parse(written)
  if (written.startsWith('[')) {
    const inside = written.slice(1, -1)
    return inside === '' ? [] : inside.split(',').map((part) => valueOf(part.trim(), names))
  }
  if (written === 'new' || written === 'nowhere') return randomUUID()
  const named = names[written]
  if (named === undefined) throw new Error(`No fixture is called ${written}.`)
  return named
}

/** `channel=lobby seq=1 extras.quote.message_id=old` as arguments of a function or columns of a row; a dot nests objects. */
export function argumentsOf(text: string, names: Names): Record<string, unknown> {
  const all: Record<string, unknown> = {}
  for (const [path, written] of pairsOf(text)) {
    const keys = path.split('.')
    const last = keys.pop() as string
    let object = all
    for (const key of keys) object = (object[key] ??= {}) as Record<string, unknown>
    object[last] = valueOf(written, names)
  }
  return all
}

/** `channel_id=lobby profile_id=me` as filters of a query. */
export function filtersOf(text: string, names: Names): string {
  return pairsOf(text)
    .map(([name, written]) => {
      const value = valueOf(written, names)
      return value === null ? `&${name}=is.null` : `&${name}=eq.${encodeURIComponent(String(value))}`
    })
    .join('')
}
