import type { Fact, Kind } from './readCatalogue.ts'

const list = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

/** "anon on table public.messages" as who and what. */
function holder(name: string): { who: string; what: string } {
  const at = name.indexOf(' on ')
  return { who: name.slice(0, at), what: name.slice(at + 4) }
}

/** "select of id", "select of name" as "select (id and name)". */
function renderPrivileges(privileges: readonly string[]): string {
  const columns = new Map<string, string[]>()
  for (const privilege of privileges) {
    const [what = '', column] = privilege.split(' of ')
    columns.set(what, [...(columns.get(what) ?? []), ...(column === undefined ? [] : [column])])
  }
  return list([...columns].map(([what, of]) => (of.length > 0 ? `${what} (${of.join(', ')})` : what)))
}

/**
 * What one role may do to many objects alike is one thing to say: where a project opens new tables by itself, it
 * would be a sentence for each table otherwise.
 */
export function joinAlike(facts: readonly Fact[]): Fact[] {
  const joined = new Map<string, Fact>()
  for (const fact of facts) {
    const { who, what } = holder(fact.name)
    const key = fact.kind === 'grant' ? `grant ${who} ${fact.value}` : `${fact.kind} ${fact.name}`
    const known = joined.get(key)
    joined.set(key, known ? { ...known, name: `${known.name}, ${what}` } : fact)
  }
  return [...joined.values()]
}

const words: Record<Kind, string> = {
  extension: 'extension',
  schema: 'schema',
  type: 'type',
  table: 'table',
  owner: 'owner',
  rows: 'row security',
  column: 'column',
  constraint: 'constraint',
  index: 'index',
  policy: 'policy',
  trigger: 'trigger',
  view: 'view',
  sequence: 'sequence',
  function: 'function',
  grant: 'grant',
  publication: 'publication',
  bucket: 'bucket',
  job: 'cron job',
}

/** The sentence for something that migrations make and a database lacks. */
export function describeMissing({ kind, name, value }: Fact): string {
  if (kind === 'grant') {
    const { who, what } = holder(name)
    return `${who} lacks ${renderPrivileges(value.split('\n'))} on ${what}.`
  }
  if (kind === 'publication') {
    return `The publication supabase_realtime lacks ${name}: its changes are told to nobody.`
  }
  if (kind === 'extension') return `The extension ${name} is not installed: create extension ${name};`
  if (kind === 'bucket') return `The bucket ${name} is missing: nothing can be uploaded to it.`
  if (kind === 'job') return `The cron job ${name} is missing.`
  return `The ${words[kind]} ${name} is missing.`
}

/** The sentence for something that is there, but not as migrations make it. */
export function describeDifference(wanted: Fact, found: Fact): string {
  const { kind, name } = wanted
  switch (kind) {
    case 'grant':
      return describeGrants(wanted, found)
    case 'rows':
      return found.value.startsWith('off')
        ? `Row security is off for ${name}: whoever may select it sees every row.`
        : `Row security of ${name} is ${found.value}, where it should be ${wanted.value}.`
    case 'owner':
      return `The ${name} belongs to ${found.value}, where it should belong to ${wanted.value}.`
    case 'column':
      return `The column ${name} is ${found.value}, where it should be ${wanted.value}.`
    case 'bucket':
      return describeBucket(wanted, found)
    case 'job':
      return found.value.startsWith('off') && !wanted.value.startsWith('off')
        ? `The cron job ${name} is switched off.`
        : `The cron job ${name} is not the one of the migrations.`
    case 'trigger':
      return found.value.startsWith('off ') && !wanted.value.startsWith('off ')
        ? `The trigger ${name} is switched off.`
        : `The trigger ${name} is not the one of the migrations.`
    default:
      return `The ${words[kind]} ${name} is not the one of the migrations.`
  }
}

function describeGrants(wanted: Fact, found: Fact): string {
  const { who, what } = holder(wanted.name)
  const [should, does] = [wanted.value.split('\n'), found.value.split('\n')]
  const less = should.filter((one) => !does.includes(one))
  const more = does.filter((one) => !should.includes(one))
  const parts = [
    ...(less.length > 0 ? [`lacks ${renderPrivileges(less)} on ${what}`] : []),
    ...(more.length > 0 ? [`has ${renderPrivileges(more)} on ${what}, which no migration gives`] : []),
  ]
  return `${who} ${parts.join(', and ')}.`
}

function describeBucket(wanted: Fact, found: Fact): string {
  const [access, limit, types] = wanted.value.split('\n')
  const [isAccess, isLimit, isTypes] = found.value.split('\n')
  if (access === 'private' && isAccess === 'public') {
    return `The bucket ${wanted.name} is public: whoever has an address reads what is in it.`
  }
  if (access !== isAccess) return `The bucket ${wanted.name} is ${isAccess}, where it should be ${access}.`
  if (limit !== isLimit) {
    return `The bucket ${wanted.name} takes files of ${isLimit || 'any number of'} bytes, where it should take ${limit || 'any'}.`
  }
  return `The bucket ${wanted.name} takes ${isTypes || 'every type'}, where it should take ${types || 'every type'}.`
}

/** The sentence for something that migrations did not make, or took away. */
export function describeSurplus({ kind, name, value }: Fact): string {
  if (kind === 'grant') {
    const { who, what } = holder(name)
    return `${who} has ${renderPrivileges(value.split('\n'))} on ${what}, which no migration gives.`
  }
  if (kind === 'policy') return `The policy ${name} is in no migration: it may let in whom they keep out.`
  if (kind === 'trigger') return `The trigger ${name} is in no migration.`
  if (kind === 'publication')
    return `The publication supabase_realtime tells of ${name}, which no migration asks for.`
  return `The ${words[kind]} ${name} is still there, which the migrations take away.`
}
