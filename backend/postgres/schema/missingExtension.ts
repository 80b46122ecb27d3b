import { readFileSync } from 'node:fs'
import type { Client, DatabaseError } from 'pg'
import { parseCreateExtension } from './privilegedStatement.ts'
import { splitStatements, type Statement } from './splitStatements.ts'

interface KnownExtension {
  /** What the extension is for, in the plural. */
  what?: string
  /** Finds uses in statements, and names of its objects in error messages. */
  pattern?: RegExp
  /** For an extension that is skipped although statements may use it: the consequence of its absence. */
  skipped?: string
}

/**
 * Extensions that the server may lack. Projects on hosted Supabase have some of them although their schema does not use
 * them: preinstalled ones and tools of the operator.
 */
const knownExtensions: Record<string, KnownExtension> = {
  amcheck: { skipped: 'Indexes are not checked.', pattern: /\b(bt|gin)_index_\w*check\b|\bverify_heapam\b/i },
  http: {
    what: 'synchronous HTTP requests (pg_net, which is available, sends them after the commit)',
    // Not the functions of pg_net and of database webhooks.
    pattern:
      /(?<!\b(?:net|supabase_functions)"?\."?)\b(http\s*\(|http_(get|post|put|patch|delete|head|headers?|request|response|method|(re)?set_curlopt|list_curlopt)\b)/i,
  },
  hypopg: { skipped: 'Hypothetical indexes are not available.', pattern: /\bhypopg\w*/i },
  index_advisor: { skipped: 'No indexes are recommended.', pattern: /\bindex_advisor\b/i },
  pg_buffercache: {
    skipped: 'The contents of the buffer cache are not shown.',
    pattern: /\bpg_buffercache\w*/i,
  },
  pg_freespacemap: { skipped: 'Free space of tables is not shown.', pattern: /\bpg_freespace\w*/i },
  pg_graphql: { skipped: 'There is no GraphQL.', pattern: /\bgraphql\b/i },
  pg_hashids: { what: 'short ids made of numbers', pattern: /\bid_(en|de)code\w*/i },
  pg_jsonschema: { what: 'checks of JSON against a schema', pattern: /\bjsonb?_matches_schema\b/i },
  pg_partman: { what: 'automatic partitions', pattern: /\bpartman\b|\bcreate_parent\b/i },
  pg_repack: { skipped: 'Tables cannot be repacked online.', pattern: /\brepack(_\w+)?\b/i },
  pg_stat_monitor: { skipped: 'Statements are not counted.', pattern: /\bpg_stat_monitor\w*/i },
  pg_tle: { skipped: 'No trusted extensions are installed.', pattern: /\b(pgtle|dbdev)\b/i },
  pg_visibility: {
    skipped: 'The visibility map is not shown.',
    pattern: /\bpg_(visibility|check_frozen|check_visible|truncate_visibility)\w*/i,
  },
  pgaudit: { skipped: 'Statements are not logged.', pattern: /\bpgaudit\w*/i },
  pgmq: { what: 'message queues', pattern: /\bpgmq(_public)?\b/i },
  pgroonga: { what: 'its full-text indexes', pattern: /\bpgroonga\w*\b|&@/i },
  pgrouting: { what: 'routes in networks', pattern: /\bpgr_\w+/i },
  pgsodium: {
    skipped: 'Move encrypted columns to the vault, which works without it.',
    pattern: /\bpgsodium\w*/i,
  },
  pgtap: { skipped: 'Tests that use it cannot run.' },
  plpgsql_check: { skipped: 'Functions are not checked.', pattern: /\bplpgsql_check\w*/i },
  plv8: { what: 'functions in JavaScript', pattern: /\bplv8\b/i },
  postgis: { what: 'geographic types', pattern: /\b(geometry|geography|box[23]d|st_\w+)\b/i },
  rum: { what: 'its indexes', pattern: /\brum\b/i },
  timescaledb: { what: 'hypertables', pattern: /\b(create_hypertable|time_bucket|timescaledb\w*)\b/i },
  vector: {
    what: 'vector columns and similarity search',
    pattern: /\b(vector|halfvec|sparsevec|hnsw|ivfflat)\b|<=>|<->|<#>/i,
  },
  wrappers: {
    what: 'foreign tables of external services',
    pattern: /\bwrappers?\b|\bforeign\s+(table|data|schema)\b/i,
  },
  xml2: {
    skipped: 'The functions xml and xpath of PostgreSQL itself are available.',
    pattern: /\b(xpath_\w+|xml_valid|xslt_process)\b/i,
  },
}

/** Names of packages at apt.postgresql.org by extension. */
const packages: Record<string, string> = {
  address_standardizer: 'postgis-3',
  http: 'http',
  pg_partman: 'partman',
  pgrouting: 'pgrouting',
  postgis: 'postgis-3',
  rum: 'rum',
  vector: 'pgvector',
}

/** Line numbers listed in a sentence. */
const maxLinesNamed = 5

/** A file, as far as it decides whether the project needs an extension. */
export interface Script {
  /** The whole file. */
  statements: Statement[]
  /** Paths of the files that run after it; absent if they are not known. */
  following?: string[]
}

/** Whether a project starts without the extension. */
export function isOptionalExtension(name: string): boolean {
  return knownExtension(name)?.skipped !== undefined
}

/** The entry of an extension, or of the extension that it is a part of, such as postgis for postgis_topology. */
function knownExtension(name: string): KnownExtension | undefined {
  if (Object.hasOwn(knownExtensions, name)) return knownExtensions[name]
  return Object.entries(knownExtensions).find(([known]) => name.startsWith(`${known}_`))?.[1]
}

/**
 * Describes an extension that is not created: why it is skipped, or what needs it, which statements use it, and how to
 * install it. An extension that no later statement uses is skipped too.
 * @param isInstalled the server has the extension, but hosted Supabase does not allow it
 */
export async function describeMissingExtension(
  client: Client,
  name: string,
  script: Script,
  isInstalled: boolean,
): Promise<{ isOptional: boolean; sentence: string }> {
  const absent = isInstalled
    ? `hosted Supabase does not allow the extension ${name}, which`
    : `the extension ${name} is not part of this PostgreSQL and`
  const known = knownExtension(name)
  if (known?.skipped !== undefined)
    return { isOptional: true, sentence: `${absent} is skipped. ${known.skipped}` }
  const following = readFollowing(script)
  const isUnused = known?.pattern && following && ![...script.statements, ...following].some(usedBy(known))
  if (isUnused)
    return {
      isOptional: true,
      sentence: `${absent} is skipped, as no later statement of a migration or seed uses it.`,
    }
  const others = await findMissing(client, [...script.statements, ...(following ?? [])])
  const major = await majorVersion(client)
  return {
    isOptional: false,
    sentence: [
      `The extension ${name} is not part of this PostgreSQL${known?.what ? `: ${known.what} need it` : ''}.`,
      describeUses(known, script.statements),
      instruction(name, major),
      describeOthers(
        others.filter((other) => other !== name),
        major,
      ),
    ]
      .filter((part) => part !== '')
      .join(' '),
  }
}

/**
 * For an error about an object that does not exist: a sentence that names the extension to which the object belongs, or null.
 * @param client outside of a failed transaction
 */
export async function describeMissingObject(
  client: Client,
  { code, message }: Partial<DatabaseError>,
): Promise<string | null> {
  // Undefined schema, function, table, object.
  if (!message || !['3F000', '42883', '42P01', '42704'].includes(code ?? '')) return null
  const name = await findUncreatedExtension(client, message)
  if (name === null) return null
  const { rowCount } = await client.query('select from pg_available_extensions where name = $1', [name])
  if (rowCount === 1) return `It belongs to the extension ${name}. Create the extension first.`
  return `It belongs to the extension ${name}, which is not part of this PostgreSQL. ${instruction(name, await majorVersion(client))}`
}

/** Whether a text names objects of an extension. */
export function namesObjectsOf(extension: string, text: string): boolean {
  return knownExtensions[extension]?.pattern?.test(text) === true
}

/** The extension whose objects a text names, if the database does not have it; else null. */
export async function findUncreatedExtension(client: Client, text: string): Promise<string | null> {
  const names = Object.keys(knownExtensions).filter((known) => namesObjectsOf(known, text))
  if (names.length === 0) return null
  const { rows } = await client.query<{ name: string }>(
    'select name from unnest($1::text[]) as name where name not in (select extname from pg_extension) limit 1',
    [names],
  )
  return rows[0]?.name ?? null
}

const usedBy =
  (known: KnownExtension | undefined) =>
  (statement: Statement): boolean =>
    known?.pattern?.test(statement.text) === true &&
    parseCreateExtension(statement) === null &&
    // A grant on a function of a missing extension is skipped.
    !['grant', 'revoke'].includes(statement.tokens[0]?.value ?? '')

function readFollowing({ following }: Script): Statement[] | null {
  return following?.flatMap((path) => splitStatements(readFileSync(path, 'utf8'))) ?? null
}

/** Names of the extensions that the statements create, that the server lacks, and that a statement uses. */
async function findMissing(client: Client, statements: Statement[]): Promise<string[]> {
  const created = statements.flatMap((statement) => parseCreateExtension(statement)?.name ?? [])
  const needed = [...new Set(created)].filter((name) => {
    const known = knownExtension(name)
    return known?.skipped === undefined && (!known?.pattern || statements.some(usedBy(known)))
  })
  const { rows } = await client.query<{ name: string }>(
    `select name from unnest($1::text[]) as name
     where linnet_platform.is_privileged_extension(name)
       and name not in (select available.name from pg_available_extensions available)`,
    [needed],
  )
  return rows.map((row) => row.name)
}

async function majorVersion(client: Client): Promise<number> {
  const { rows } = await client.query<{ major: number }>(
    `select current_setting('server_version_num')::int / 10000 as major`,
  )
  return rows[0]!.major
}

/** ` (package NAME)`, or nothing where apt.postgresql.org has none. */
function packageOf(name: string, major: number): string {
  const known = Object.keys(packages).find((one) => name === one || name.startsWith(`${one}_`))
  return known === undefined ? '' : ` (package postgresql-${major}-${packages[known]} of apt.postgresql.org)`
}

function instruction(name: string, major: number): string {
  return `Install it for PostgreSQL ${major}${packageOf(name, major)} and start again; "Extensions" in docs/jobs.md lists where Linnet looks for it.`
}

function describeOthers(names: string[], major: number): string {
  if (names.length === 0) return ''
  return `The project also needs ${names.map((name) => `${name}${packageOf(name, major)}`).join(', ')}.`
}

function describeUses(known: KnownExtension | undefined, statements: Statement[]): string {
  const lines = statements
    .filter(usedBy(known))
    .map(({ line }) => line)
    .filter((line, i, lines) => lines.indexOf(line) === i)
  if (lines.length === 0) return ''
  const more = lines.length > maxLinesNamed ? ` and ${lines.length - maxLinesNamed} more` : ''
  const named = lines.slice(0, maxLinesNamed).join(', ')
  return `In this file, ${lines.length === 1 ? `line ${named} uses` : `lines ${named}${more} use`} it.`
}
