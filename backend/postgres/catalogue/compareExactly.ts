import type { Catalogue, CatalogueEntry } from './readCatalogue.ts'
import { kindNames } from './kindNames.ts'

/** A fact that two catalogues don't share; undefined where a catalogue lacks it. */
export interface Difference {
  key: string
  expected: CatalogueEntry | undefined
  found: CatalogueEntry | undefined
}

/**
 * Compares two catalogues of one version of PostgreSQL byte for byte: `(a or b) and c` differs from `a or (b and c)`. Facts
 * of an object that only one catalogue has are omitted, except the object itself.
 */
export function compareExactly(expected: Catalogue, found: Catalogue): Difference[] {
  const differences: Difference[] = []
  for (const [key, fact] of expected) {
    const other = found.get(key)
    if (other?.value !== fact.value || other.of !== fact.of)
      differences.push({ key, expected: fact, found: other })
  }
  for (const [key, fact] of found)
    if (!expected.has(key)) differences.push({ key, expected: undefined, found: fact })
  const keys = new Set(differences.filter((one) => !one.expected || !one.found).map(({ key }) => key))
  return differences.filter((one) => {
    const of = (one.expected ?? one.found)?.of ?? null
    return of === null || !keys.has(of) || (one.expected !== undefined && one.found !== undefined)
  })
}

/** At most this many characters of a value are shown. */
const maxShown = 60

/** The first place at which two definitions differ, with what is before it. */
function shown(value: string, at: number): string {
  const start = Math.max(0, at - 20)
  const text = value.slice(start, start + maxShown).replaceAll(/\s+/g, ' ')
  return `"${start > 0 ? '…' : ''}${text}${start + maxShown < value.length ? '…' : ''}"`
}

/** One sentence: what the expected catalogue has, and what was found instead. */
export function describeDifference({ expected, found }: Difference): string {
  const { kind, name } = (expected ?? found)!
  const title = `${kindNames[kind]} ${name}`
  if (!found) return `The ${title} is missing.`
  if (!expected) return `The ${title} is not expected.`
  const [a, b] = [expected.value, found.value]
  if (a === b)
    return `The ${title} belongs to ${found.of ?? 'nothing'} instead of ${expected.of ?? 'nothing'}.`
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return `The ${title} differs: ${shown(b, at)} instead of ${shown(a, at)}.`
}
