import type { Job } from './jobs.ts'
import type { Routine } from './routines.ts'
import type { Policy } from './tableDetails.ts'
import type { TableFacts } from './tables.ts'

/** Something that the owner should know; `urgent` is what may show or lose data now. */
export interface Warning {
  urgent: boolean
  /** One sentence. */
  text: string
  /** What can be done, or why it may be meant so. */
  advice: string
  /** The page that shows more of it, below the page's own address. */
  see?: { path: string; words: string }
}

export interface Findings {
  tables: TableFacts[]
  policies: (Policy & { schema: string; table: string })[]
  routines: Routine[]
  /** Schemas that the data API serves. */
  schemas: string[]
  pending: number
  jobs: Job[]
  disk: { freeBytes: number; totalBytes: number } | null
  mailbox: boolean
  /** Whether realtime reads what is committed. */
  replicating: boolean
  publicUrl: string
}

const seeTable = (schema: string, name: string): Warning['see'] => ({
  path: `table?${new URLSearchParams({ schema, name })}`,
  words: 'Show the table',
})

const listOf = (words: string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

const deedsOf = ({ read, write }: TableFacts['anon']): string[] => [...(read ? ['read'] : []), ...write]

/** What is wrong, the urgent first. Pure: the reading is done before. */
export function findWarnings(found: Findings): Warning[] {
  const warnings = [
    ...found.tables.filter(({ schema }) => found.schemas.includes(schema)).flatMap(ofTable),
    ...ofPolicies(found),
    ...ofRoutines(found.routines),
    ...ofJobs(found.jobs),
    ...ofHouse(found),
  ]
  return [...warnings.filter(({ urgent }) => urgent), ...warnings.filter(({ urgent }) => !urgent)]
}

function ofTable(table: TableFacts): Warning[] {
  const { schema, name, kind, rowSecurity, anon, authenticated, asCaller } = table
  const called = `${schema}.${name}`
  const whom = deedsOf(anon).length > 0 ? anon : authenticated
  const who = whom === anon ? 'anyone who has the public key' : 'everybody who is signed in'
  const deeds = deedsOf(whom)
  if (deeds.length === 0) return []
  if (kind === 'table' || kind === 'partitioned table') {
    if (rowSecurity) return []
    return [
      {
        urgent: true,
        text: `Row security is off for ${called}, and ${who} may ${listOf(deeds)} every row.`,
        advice: `Turn it on (alter table ${called} enable row level security) and write policies, or revoke the grants.`,
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
          ? `The view ${called} reads with its owner’s rights, past the policies of its tables, and ${who} may read it.`
          : `A ${kind} knows no row security, and ${who} may read all of ${called}.`,
      advice:
        kind === 'view'
          ? 'If that isn’t meant, alter it to set (security_invoker = on).'
          : 'If that isn’t meant, revoke the grants and offer a view or a function.',
      see: seeTable(schema, name),
    },
  ]
}

function ofPolicies({ tables, policies, schemas }: Findings): Warning[] {
  return policies.flatMap((policy): Warning[] => {
    const { schema, table: name, command, using, check, roles, permissive } = policy
    const table = tables.find((one) => one.schema === schema && one.name === name)
    if (!table?.rowSecurity || !permissive || !schemas.includes(schema)) return []
    if (!roles.some((role) => role === 'anon' || role === 'public')) return []
    const open = (condition: string | null): boolean => condition === null || condition === 'true'
    const deeds = table.anon.write.filter((deed) => {
      if (command !== 'ALL' && command !== deed.toUpperCase()) return false
      return deed === 'insert'
        ? open(check ?? using)
        : deed === 'delete'
          ? using === 'true'
          : using === 'true'
    })
    if (deeds.length === 0) return []
    return [
      {
        urgent: false,
        text: `The policy “${policy.name}” lets anyone who has the public key ${listOf(deeds)} any row of ${schema}.${name}.`,
        advice:
          'That can be meant, for a form that strangers fill in. If it isn’t, give the policy a condition.',
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
      text: `The function ${schema}.${name} runs with its owner’s rights, but doesn’t say where names are looked up.`,
      advice: `Whoever can create objects could stand something in their place. Alter it to set search_path = ''.`,
      see: { path: `routines?${new URLSearchParams({ search: name })}`, words: 'Show the function' },
    }))
}

function ofJobs(jobs: Job[]): Warning[] {
  return jobs
    .filter(({ active, status }) => active && status === 'failed')
    .map(({ id, name, message }) => ({
      urgent: true,
      text: `The job ${name === null ? id : `“${name}”`} failed when it last ran.`,
      advice: message ?? 'It did not say why.',
      see: { path: 'jobs', words: 'Show the jobs' },
    }))
}

function ofHouse({ pending, disk, mailbox, replicating, publicUrl }: Findings): Warning[] {
  const { protocol, hostname } = new URL(publicUrl)
  const outside = !/^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
  const warnings: (Warning | false)[] = [
    !replicating && {
      urgent: true,
      text: 'Realtime does not read what is written, so that nobody sees changes until they reload.',
      advice: 'It tries again by itself.',
      see: { path: 'logs?level=warn&part=realtime', words: 'Show what it says' },
    },
    disk !== null &&
      disk.freeBytes < Math.min(1024 ** 3, disk.totalBytes / 20) && {
        urgent: true,
        text: 'The disk that holds the data is almost full.',
        advice:
          'When it is full, nothing can be written any more. Make room, or move the data to a larger one.',
      },
    outside &&
      protocol === 'http:' && {
        urgent: true,
        text: 'The address is plain http: passwords and messages can be read on the way.',
        advice: 'Put a certificate in place (--tls-cert and --tls-key) or a proxy in front.',
      },
    outside &&
      mailbox && {
        urgent: true,
        text: 'No mail server is set up, so nobody gets the mails that sign them in.',
        advice: 'Set [auth.email.smtp] in config.toml. Until then mails wait in the mailbox.',
      },
    pending > 0 && {
      urgent: false,
      text:
        pending === 1 ? 'One migration is not applied yet.' : `${pending} migrations are not applied yet.`,
      advice: 'They are applied at the next start.',
      see: { path: 'migrations', words: 'Show the migrations' },
    },
  ]
  return warnings.filter((warning) => warning !== false)
}
