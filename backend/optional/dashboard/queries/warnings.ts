import type { Job } from './jobs.ts'
import type { Routine } from './routines.ts'
import type { Policy } from './tableDetails.ts'
import type { TableSummary } from './tables.ts'

/** A warning for the administrator; `urgent` if data may be exposed or lost now. */
export interface Warning {
  urgent: boolean
  /** One sentence. */
  text: string
  /** What to do, or why it may be intended. */
  advice: string
  /** Link to a page with details, relative to the base URL. */
  see?: { path: string; label: string }
}

export interface WarningInput {
  tables: TableSummary[]
  policies: (Policy & { schema: string; table: string })[]
  routines: Routine[]
  /** Schemas that the data API serves. */
  schemas: string[]
  jobs: Job[]
}

const seeTable = (schema: string, name: string): Warning['see'] => ({
  path: `table?${new URLSearchParams({ schema, name })}`,
  label: 'Show the table',
})

const listOf = (label: string[]): string =>
  label.length < 2 ? label.join('') : `${label.slice(0, -1).join(', ')} and ${label.at(-1)}`

const privilegesOf = ({ read, write }: TableSummary['anon']): string[] => [
  ...(read ? ['read'] : []),
  ...write,
]

/** Derives warnings from the facts, urgent ones first. */
export function findWarnings(found: WarningInput): Warning[] {
  const warnings = [
    ...found.tables.filter(({ schema }) => found.schemas.includes(schema)).flatMap(ofTable),
    ...ofPolicies(found),
    ...ofRoutines(found.routines),
    ...ofJobs(found.jobs),
  ]
  return [...warnings.filter(({ urgent }) => urgent), ...warnings.filter(({ urgent }) => !urgent)]
}

function ofTable(table: TableSummary): Warning[] {
  const { schema, name, kind, rowSecurity, anon, authenticated, asCaller } = table
  const qualifiedName = `${schema}.${name}`
  const access = privilegesOf(anon).length > 0 ? anon : authenticated
  const who = access === anon ? 'anyone with the public key' : 'every signed-in user'
  const privileges = privilegesOf(access)
  if (privileges.length === 0) return []
  if (kind === 'table' || kind === 'partitioned table') {
    if (rowSecurity) return []
    return [
      {
        urgent: true,
        text: `Row security is off for ${qualifiedName}, and ${who} can ${listOf(privileges)} every row.`,
        advice: `Enable it (alter table ${qualifiedName} enable row level security) and write policies, or revoke the grants.`,
        see: seeTable(schema, name),
      },
    ]
  }
  if (kind === 'view' && (asCaller || !anon.read)) return []
  return [
    {
      urgent: kind !== 'view' && anon.read,
      text:
        kind === 'view'
          ? `The view ${qualifiedName} reads with its owner’s privileges, without the policies of its tables, and ${who} can read it.`
          : `A ${kind} has no row security, and ${who} can read all rows of ${qualifiedName}.`,
      advice:
        kind === 'view'
          ? 'If that is not intended, alter it to set (security_invoker = on).'
          : 'If that is not intended, revoke the grants and provide a view or a function.',
      see: seeTable(schema, name),
    },
  ]
}

function ofPolicies({ tables, policies, schemas }: WarningInput): Warning[] {
  return policies.flatMap((policy): Warning[] => {
    const { schema, table: name, command, using, check, roles, permissive } = policy
    const table = tables.find((one) => one.schema === schema && one.name === name)
    if (!table?.rowSecurity || !permissive || !schemas.includes(schema)) return []
    if (!roles.some((role) => role === 'anon' || role === 'public')) return []
    const isUnconditional = (condition: string | null): boolean => condition === null || condition === 'true'
    const privileges = table.anon.write.filter((privilege) => {
      if (command !== 'ALL' && command !== privilege.toUpperCase()) return false
      return privilege === 'insert'
        ? isUnconditional(check ?? using)
        : privilege === 'delete'
          ? using === 'true'
          : using === 'true'
    })
    if (privileges.length === 0) return []
    return [
      {
        urgent: false,
        text: `The policy “${policy.name}” allows anyone with the public key to ${listOf(privileges)} any row of ${schema}.${name}.`,
        advice: 'This may be intended, for a public form. If not, add a condition to the policy.',
        see: seeTable(schema, name),
      },
    ]
  })
}

function ofRoutines(routines: Routine[]): Warning[] {
  return routines
    .filter(
      ({ asOwner, hasSearchPath, anon, authenticated }) =>
        asOwner && !hasSearchPath && (anon || authenticated),
    )
    .map(({ schema, name }) => ({
      urgent: false,
      text: `The function ${schema}.${name} runs with its owner’s privileges but does not set search_path.`,
      advice: `Anyone who can create objects can replace those that it uses. Alter it to set search_path = ''.`,
      see: { path: `routines?${new URLSearchParams({ search: name })}`, label: 'Show the function' },
    }))
}

/** The jobs of a project. The checks of the server include Linnet's own jobs. */
function ofJobs(jobs: Job[]): Warning[] {
  return jobs
    .filter(({ name, active, status }) => active && status === 'failed' && !name?.startsWith('linnet: '))
    .map(({ id, name, message }) => ({
      urgent: true,
      text: `The job ${name === null ? id : `“${name}”`} failed in its last run.`,
      advice: message ?? 'There is no error message.',
      see: { path: 'jobs', label: 'Show the jobs' },
    }))
}
