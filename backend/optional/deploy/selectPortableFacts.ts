import type { Catalogue, CatalogueEntry, Kind } from '../../postgres/catalogue/readCatalogue.ts'

/** Kinds of facts that are equal on all platforms and versions of PostgreSQL for the same migrations. */
const portableKinds: ReadonlySet<Kind> = new Set<Kind>([
  'extension',
  'schema',
  'type',
  'table',
  'owner',
  'row_security',
  'column',
  'constraint',
  'index',
  'policy',
  'trigger',
  'view',
  'sequence',
  'function',
  'grant',
  'publication',
  'setting',
  'bucket',
  'job',
])

/** Deploy compares the privileges of these roles: the roles of the API, and the role that calls hooks. */
const roles = /^(?:anon|authenticated|service_role|supabase_auth_admin|everyone) on (?!type )/

/** MAINTAIN is new in PostgreSQL 17. Who granted a privilege, and whether it can be passed on, differs between platforms. */
function portablePrivileges(value: string): string {
  const privileges = value
    .split('\n')
    .map((line) => line.replace(/(?: with grant option)?(?: granted by .*)?$/, ''))
    .filter((line) => !/^maintain\b/.test(line))
  return [...new Set(privileges)].join('\n')
}

/**
 * The facts of a catalogue that platforms and versions of PostgreSQL share. NOT NULL has a constraint of its own since
 * PostgreSQL 18; the fact of the column contains it too.
 */
export function selectPortableFacts(catalogue: Catalogue): Map<string, CatalogueEntry> {
  const portable = new Map<string, CatalogueEntry>()
  for (const [key, fact] of catalogue) {
    if (!portableKinds.has(fact.kind)) continue
    if (fact.kind === 'constraint' && fact.value.startsWith('NOT NULL')) continue
    if (fact.kind === 'grant') {
      const value = roles.test(fact.name) ? portablePrivileges(fact.value) : ''
      if (value !== '') portable.set(key, { ...fact, value })
    } else portable.set(key, fact)
  }
  return portable
}
