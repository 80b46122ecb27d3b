import type { Reference } from './makeReference.ts'
import type { Catalogue, Fact } from './readCatalogue.ts'
import type { Findings } from './Report.ts'
import { describeDifference, describeMissing, describeSurplus, joinAlike } from './describeFact.ts'

/**
 * Versions of PostgreSQL print one expression with other blanks and parentheses. Two definitions that differ in
 * nothing else are taken for equal.
 */
const plain = (fact: Fact): string =>
  fact.kind === 'grant' ? fact.value : fact.value.replace(/[\s()]+/g, '')

const isEqual = (a: Fact, b: Fact): boolean => plain(a) === plain(b)

/** Of what migrations made themselves, one of these more opens a door, or sends out what nobody asked for. */
const opening = new Set(['trigger', 'grant', 'publication'])

/**
 * Says how a database differs from what its migrations make. Only what they made or changed is asked for, so what
 * the two homes bring along themselves may differ; and of what is missing, its columns, policies and grants are
 * not told as well.
 * @param exposed schemas that the data API serves
 */
export function compareCatalogues(
  { before, after }: Reference,
  target: Catalogue,
  exposed: readonly string[],
  findings: Findings,
): void {
  const made = new Map<string, Fact>()
  /** Objects that the migrations made, or hung something on. */
  const touched = new Set<string>()
  for (const [key, fact] of after) {
    const known = before.get(key)
    if (known && isEqual(known, fact)) continue
    made.set(key, fact)
    touched.add(fact.of ?? key)
  }
  const standsOnMissing = ({ of }: Fact): boolean => of !== null && made.has(of) && !target.has(of)

  const lacking: Fact[] = []
  const surplus: Fact[] = []
  for (const [key, fact] of made) {
    if (standsOnMissing(fact)) continue
    const found = target.get(key)
    if (!found) lacking.push(fact)
    else if (!isEqual(fact, found)) findings.miss(fact.kind, describeDifference(fact, found))
  }
  for (const [key, fact] of target) {
    if (after.has(key)) continue
    // Homes hang triggers and grants of their own on the tables of services; policies they leave to migrations.
    const { kind, of } = fact
    const more = of !== null && (kind === 'policy' ? touched.has(of) : opening.has(kind) && made.has(of))
    const takenAway = before.has(key)
    if (more || takenAway) surplus.push(fact)
  }
  for (const fact of joinAlike(lacking)) findings.miss(fact.kind, describeMissing(fact))
  for (const fact of joinAlike(surplus)) findings.miss(fact.kind, describeSurplus(fact))
  for (const { kind, name, value } of target.values()) {
    if (kind !== 'rows' || !value.startsWith('off') || after.has(`table ${name}`)) continue
    const isOpen = ['anon', 'authenticated', 'everyone'].some((role) =>
      target.has(`grant ${role} on table ${name}`),
    )
    if (!isOpen || !exposed.some((schema) => name.startsWith(`${schema}.`))) continue
    findings.miss('rows', `The table ${name}, which no migration made, is served without row security.`)
  }
}
