import type { Catalogue, CatalogueEntry } from '../../postgres/catalogue/readCatalogue.ts'
import type { ExpectedCatalogue } from './createReference.ts'
import type { Findings } from './Report.ts'
import { describeDifference, describeMissing, describeSurplus, mergeGrants } from './describeFact.ts'

/**
 * Ignores blanks and parentheses, which differ between versions of PostgreSQL for the same expression.
 */
const normalize = (fact: CatalogueEntry): string =>
  fact.kind === 'grant' ? fact.value : fact.value.replace(/[\s()]+/g, '')

const isEqual = (a: CatalogueEntry, b: CatalogueEntry): boolean => normalize(a) === normalize(b)

/** Additional objects of these kinds on objects of the migrations give access or publish data. */
const exposingKinds = new Set(['trigger', 'grant', 'publication'])

/**
 * Reports how a database differs from the result of its migrations. Compares only what they created or changed, as the
 * platforms' own objects may differ. Does not report the columns, policies and grants of a missing object.
 * @param exposed schemas that the data API serves
 */
export function compareCatalogues(
  { before, after }: ExpectedCatalogue,
  target: Catalogue,
  exposed: readonly string[],
  findings: Findings,
): void {
  const expected = new Map<string, CatalogueEntry>()
  /** Objects that the migrations created, or to which they added something. */
  const touched = new Set<string>()
  for (const [key, fact] of after) {
    const known = before.get(key)
    if (known && isEqual(known, fact)) continue
    expected.set(key, fact)
    touched.add(fact.of ?? key)
  }
  const hasMissingParent = ({ of }: CatalogueEntry): boolean =>
    of !== null && expected.has(of) && !target.has(of)

  const missing: CatalogueEntry[] = []
  const surplus: CatalogueEntry[] = []
  for (const [key, fact] of expected) {
    if (hasMissingParent(fact)) continue
    const found = target.get(key)
    if (!found) missing.push(fact)
    else if (!isEqual(fact, found)) findings.reportMissing(fact.kind, describeDifference(fact, found))
  }
  for (const [key, fact] of target) {
    if (after.has(key)) continue
    // The platform adds its own triggers and grants to tables of services, but no policies.
    const { kind, of } = fact
    const isAdditional =
      of !== null && (kind === 'policy' ? touched.has(of) : exposingKinds.has(kind) && expected.has(of))
    const wasDropped = before.has(key)
    if (isAdditional || wasDropped) surplus.push(fact)
  }
  for (const fact of mergeGrants(missing)) findings.reportMissing(fact.kind, describeMissing(fact))
  for (const fact of mergeGrants(surplus)) findings.reportMissing(fact.kind, describeSurplus(fact))
  for (const { kind, name, value } of target.values()) {
    if (kind !== 'row_security' || !value.startsWith('off') || after.has(`table ${name}`)) continue
    const isOpen = ['anon', 'authenticated', 'everyone'].some((role) =>
      target.has(`grant ${role} on table ${name}`),
    )
    if (!isOpen || !exposed.some((schema) => name.startsWith(`${schema}.`))) continue
    findings.reportMissing(
      'row_security',
      `The table ${name}, which is not in any migration, is served without row security.`,
    )
  }
}
