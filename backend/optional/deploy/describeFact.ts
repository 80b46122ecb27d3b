import { kindNames } from '../../postgres/catalogue/kindNames.ts'
import type { CatalogueEntry } from '../../postgres/catalogue/readCatalogue.ts'

const list = (kindNames: readonly string[]): string =>
  kindNames.length < 2 ? kindNames.join('') : `${kindNames.slice(0, -1).join(', ')} and ${kindNames.at(-1)}`

/** Splits "anon on table public.messages" into role and object. */
function splitGrant(name: string): { who: string; what: string } {
  const at = name.indexOf(' on ')
  return { who: name.slice(0, at), what: name.slice(at + 4) }
}

/** Renders "select of id", "select of name" as "select (id, name)". */
function renderPrivileges(privileges: readonly string[]): string {
  const columns = new Map<string, string[]>()
  for (const privilege of privileges) {
    const [what = '', column] = privilege.split(' of ')
    columns.set(what, [...(columns.get(what) ?? []), ...(column === undefined ? [] : [column])])
  }
  return list([...columns].map(([what, of]) => (of.length > 0 ? `${what} (${of.join(', ')})` : what)))
}

/**
 * Merges equal grants of one role on several objects into one finding. Projects that grant access to new tables by
 * default would otherwise get one for each table.
 */
export function mergeGrants(facts: readonly CatalogueEntry[]): CatalogueEntry[] {
  const joined = new Map<string, CatalogueEntry>()
  for (const fact of facts) {
    const { who, what } = splitGrant(fact.name)
    const key = fact.kind === 'grant' ? `grant ${who} ${fact.value}` : `${fact.kind} ${fact.name}`
    const known = joined.get(key)
    joined.set(key, known ? { ...known, name: `${known.name}, ${what}` } : fact)
  }
  return [...joined.values()]
}

/** Describes an object of the migrations that the database lacks. */
export function describeMissing({ kind, name, value }: CatalogueEntry): string {
  if (kind === 'grant') {
    const { who, what } = splitGrant(name)
    return `${who} lacks ${renderPrivileges(value.split('\n'))} on ${what}.`
  }
  if (kind === 'publication') {
    return `The publication supabase_realtime lacks ${name}: its changes are not published.`
  }
  if (kind === 'setting') {
    return `The role authenticator lacks the setting ${name}: alter role authenticator set ${name} = '${value}'; notify pgrst, 'reload config';`
  }
  if (kind === 'extension') return `The extension ${name} is not installed: create extension ${name};`
  if (kind === 'bucket') return `The bucket ${name} is missing: nothing can be uploaded to it.`
  if (kind === 'job') return `The cron job ${name} is missing.`
  return `The ${kindNames[kind]} ${name} is missing.`
}

/** Describes an object that differs from the migrations. */
export function describeDifference(expected: CatalogueEntry, found: CatalogueEntry): string {
  const { kind, name } = expected
  switch (kind) {
    case 'grant':
      return describeGrants(expected, found)
    case 'row_security':
      return found.value.startsWith('off')
        ? `Row security is off for ${name}: anyone who can select from it sees every row.`
        : `Row security of ${name} is ${found.value}, but should be ${expected.value}.`
    case 'owner':
      return `The ${name} belongs to ${found.value}, but should belong to ${expected.value}.`
    case 'column':
      return `The column ${name} is ${found.value}, but should be ${expected.value}.`
    case 'setting':
      return `The setting ${name} of the role authenticator is ${found.value}, but should be ${expected.value}.`
    case 'bucket':
      return describeBucket(expected, found)
    case 'job':
      return found.value.startsWith('off') && !expected.value.startsWith('off')
        ? `The cron job ${name} is disabled.`
        : `The cron job ${name} differs from the migrations.`
    case 'trigger':
      return found.value.startsWith('off ') && !expected.value.startsWith('off ')
        ? `The trigger ${name} is disabled.`
        : `The trigger ${name} differs from the migrations.`
    default:
      return `The ${kindNames[kind]} ${name} differs from the migrations.`
  }
}

function describeGrants(expected: CatalogueEntry, found: CatalogueEntry): string {
  const { who, what } = splitGrant(expected.name)
  const [should, does] = [expected.value.split('\n'), found.value.split('\n')]
  const less = should.filter((one) => !does.includes(one))
  const more = does.filter((one) => !should.includes(one))
  const parts = [
    ...(less.length > 0 ? [`lacks ${renderPrivileges(less)} on ${what}`] : []),
    ...(more.length > 0 ? [`has ${renderPrivileges(more)} on ${what}, which no migration grants`] : []),
  ]
  return `${who} ${parts.join(', and ')}.`
}

function describeBucket(expected: CatalogueEntry, found: CatalogueEntry): string {
  const [access, limit, types] = expected.value.split('\n')
  const [isAccess, isLimit, isTypes] = found.value.split('\n')
  if (access === 'private' && isAccess === 'public') {
    return `The bucket ${expected.name} is public: anyone with a URL can read its files.`
  }
  if (access !== isAccess) return `The bucket ${expected.name} is ${isAccess}, but should be ${access}.`
  if (limit !== isLimit) {
    return `The bucket ${expected.name} accepts files of ${isLimit || 'any number of'} bytes, but should accept ${limit || 'any'}.`
  }
  return `The bucket ${expected.name} accepts ${isTypes || 'every type'}, but should accept ${types || 'every type'}.`
}

/** Describes an object that the migrations do not create, or drop. */
export function describeSurplus({ kind, name, value }: CatalogueEntry): string {
  if (kind === 'grant') {
    const { who, what } = splitGrant(name)
    return `${who} has ${renderPrivileges(value.split('\n'))} on ${what}, which no migration grants.`
  }
  if (kind === 'policy') return `The policy ${name} is not in any migration: it may allow what they forbid.`
  if (kind === 'trigger') return `The trigger ${name} is not in any migration.`
  if (kind === 'publication')
    return `The publication supabase_realtime contains ${name}, which no migration adds.`
  return `The ${kindNames[kind]} ${name} still exists, although a migration drops it.`
}
