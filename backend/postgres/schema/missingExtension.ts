import { parseCreateExtension } from './privilegedStatement.ts'
import type { Statement } from './splitStatements.ts'

/**
 * Extensions that hosted projects have without their schema using them: they came with the project, or serve its
 * operator. Each with what is then missing.
 */
const optionalExtensions: Record<string, string> = {
  hypopg: 'Indexes can not be tried out before they are made.',
  index_advisor: 'Nobody advises on indexes.',
  pg_graphql: 'There is no GraphQL.',
  pg_repack: 'Tables are not packed while they are used.',
  pg_stat_monitor: 'Statements are not counted.',
  pg_tle: 'No trusted extensions are installed.',
  pgaudit: 'Statements are not logged.',
  pgsodium: 'What it encrypts has to move to the vault, which is here without it.',
  pgtap: 'Tests that are written with it can not run.',
  plpgsql_check: 'Functions are not checked.',
}

/** What a schema uses of an extension: in words, and as its statements write it. */
const uses: Record<string, { what: string; pattern: RegExp }> = {
  http: {
    what: 'requests that wait for their answer (pg_net, which is here, sends them after the commit)',
    pattern: /\bhttp(_\w+)?\s*\(/i,
  },
  pg_hashids: { what: 'short ids made of numbers', pattern: /\bid_(en|de)code\w*\s*\(/i },
  pg_jsonschema: { what: 'checks of JSON against a schema', pattern: /\bjsonb?_matches_schema\b/i },
  pg_partman: {
    what: 'partitions that are made by themselves',
    pattern: /\bpartman\b|\bcreate_parent\s*\(/i,
  },
  pgmq: { what: 'message queues', pattern: /\bpgmq(_public)?\s*\./i },
  pgroonga: { what: 'its full-text indexes', pattern: /\bpgroonga\w*\b|&@/i },
  pgrouting: { what: 'ways through networks', pattern: /\bpgr_\w+/i },
  plv8: { what: 'functions in JavaScript', pattern: /\bplv8\b/i },
  postgis: { what: 'places and shapes', pattern: /\b(geometry|geography|box[23]d|st_\w+)\b/i },
  rum: { what: 'its indexes', pattern: /\brum\b/i },
  timescaledb: {
    what: 'tables in slices of time',
    pattern: /\b(create_hypertable|time_bucket|timescaledb\w*)\b/i,
  },
  vector: {
    what: 'columns of vectors and the search for what is alike',
    pattern: /\b(vector|halfvec|sparsevec|hnsw|ivfflat)\b|<=>|<->|<#>/i,
  },
  wrappers: {
    what: 'tables of foreign services',
    pattern: /\bwrappers?\b|\bforeign\s+(table|data|schema)\b/i,
  },
}

/** What the packages of apt.postgresql.org are called by, where it is not the extension. */
const packages: Record<string, string> = {
  address_standardizer: 'postgis-3',
  http: 'http',
  pg_partman: 'partman',
  pgrouting: 'pgrouting',
  postgis: 'postgis-3',
  rum: 'rum',
  vector: 'pgvector',
}

/** Places that a sentence names. */
const maxLinesNamed = 5

/**
 * Says which extension is not here, what it is for, which statements of the file use it, and how to provide it.
 * @param major version of this PostgreSQL
 * @returns isNeedless: the project starts without it
 */
export function describeMissingExtension(
  name: string,
  statements: Statement[],
  major: number,
): { isOptional: boolean; sentence: string } {
  const absent = `the extension ${name} is not part of this PostgreSQL`
  const consequence = optionalExtensions[name]
  if (consequence !== undefined)
    return { isOptional: true, sentence: `${absent} and is left out. ${consequence}` }
  const use = uses[name] ?? Object.entries(uses).find(([known]) => name.startsWith(`${known}_`))?.[1]
  const known = Object.keys(packages).find((one) => name === one || name.startsWith(`${one}_`))
  const packaged =
    known === undefined ? '' : ` (package postgresql-${major}-${packages[known]} of apt.postgresql.org)`
  const instruction = `Install it for PostgreSQL ${major}${packaged} and start again; "Extensions" in docs/jobs.md says where it is looked for.`
  const purpose = use ? `: ${use.what} need it` : ''
  return {
    isOptional: false,
    sentence: `T${absent.slice(1)}${purpose}. ${describeUses(use?.pattern, statements)}${instruction}`,
  }
}

function describeUses(pattern: RegExp | undefined, statements: Statement[]): string {
  const lines = statements
    .filter((statement) => pattern?.test(statement.text) && parseCreateExtension(statement) === null)
    .map(({ line }) => line)
    .filter((line, i, lines) => lines.indexOf(line) === i)
  if (lines.length === 0) return ''
  const more = lines.length > maxLinesNamed ? ` and ${lines.length - maxLinesNamed} more` : ''
  return `In this file the statements of line ${lines.slice(0, maxLinesNamed).join(', ')}${more} use it. `
}
