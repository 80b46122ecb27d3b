import { compareExactly, describeDifference } from '../catalogue/compareExactly.ts'
import { kindNames } from '../catalogue/kindNames.ts'
import type { Catalogue, CatalogueEntry, Kind } from '../catalogue/readCatalogue.ts'

/** These are rows or settings, which the move copies. */
const copied: ReadonlySet<Kind> = new Set(['setting', 'role_setting', 'bucket', 'job', 'job_owner', 'rows'])

/** Facts outside of schemas. Comments on such objects are not compared. */
const ofDatabase: ReadonlySet<Kind> = new Set([
  'extension',
  'role',
  'event_trigger',
  'publication_details',
  'other_object',
  'security_label',
  'default_privileges',
])

/**
 * Compares the schema of a database with the schema that its migrations create on a server of another major version. Returns
 * a sentence or a name for each object that the migrations do not create or that differs from theirs. Objects of the
 * platform are not compared, since another version of the platform may have changed them. Policies and triggers on its
 * tables that the migrations do not create are included.
 * @param o.platform the new server with the platform alone
 * @param o.created the new server with the platform and the migrations
 * @param o.source the database that is moved
 */
export function selectDifferences(o: {
  platform: Catalogue
  created: Catalogue
  source: Catalogue
}): string[] {
  const platformSchemas = new Set(
    [...o.platform.values()]
      .filter(({ kind, name }) => kind === 'schema' && name !== 'public')
      .map(({ name }) => name),
  )
  const callsPlatform = new RegExp(`EXECUTE FUNCTION (?:${[...platformSchemas].join('|')})\\.`)
  const isAdded = (key: string, { kind, value }: CatalogueEntry): boolean =>
    !o.platform.has(key) && (kind === 'policy' || (kind === 'trigger' && !callsPlatform.test(value)))
  const isCompared = (key: string, entry: CatalogueEntry): boolean => {
    const { kind, schema, value } = entry
    // Since PostgreSQL 18 NOT NULL is a constraint of its own. The column has the same fact in all versions.
    if (copied.has(kind) || (kind === 'constraint' && value.startsWith('NOT NULL'))) return false
    if (schema !== null && !platformSchemas.has(schema)) return true
    if (isAdded(key, entry)) return true
    const ofPlatform = o.platform.get(key)
    if (schema === null && ofDatabase.has(kind) && ofPlatform === undefined) return true
    // What a migration creates or changes inside the platform.
    return ofPlatform?.value !== o.created.get(key)?.value
  }
  const select = (catalogue: Catalogue): Catalogue =>
    new Map([...catalogue].filter(([key, entry]) => isCompared(key, entry)))
  return compareExactly(select(o.created), select(o.source)).flatMap((difference) => {
    const { expected, found } = difference
    if (expected !== undefined) return [describeDifference(difference)]
    // An index of a constraint, which is named or belongs to a named table.
    return found!.kind === 'index_details' ? [] : [`${kindNames[found!.kind]} ${found!.name}`]
  })
}
