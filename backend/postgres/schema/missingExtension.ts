import { parseCreateExtension } from './privilegedStatement.ts'
import type { Statement } from './splitStatements.ts'

/**
 * Extensions that hosted projects have although their schema does not use them: preinstalled ones and tools of the
 * operator. Each with the consequence of its absence.
 */
const optionalExtensions: Record<string, string> = {
  hypopg: 'Hypothetical indexes are not available.',
  index_advisor: 'No indexes are recommended.',
  pg_graphql: 'There is no GraphQL.',
  pg_repack: 'Tables can not be repacked online.',
  pg_stat_monitor: 'Statements are not counted.',
  pg_tle: 'No trusted extensions are installed.',
  pgaudit: 'Statements are not logged.',
  pgsodium: 'Move encrypted columns to the vault, which works without it.',
  pgtap: 'Tests that are written with it can not run.',
  plpgsql_check: 'Functions are not checked.',
  xml2: 'The functions xml and xpath of PostgreSQL itself are available.',
}

/** Whether a project starts without the extension. */
export function isOptionalExtension(name: string): boolean {
  return Object.hasOwn(optionalExtensions, name)
}

/** What a schema uses an extension for, and a pattern that finds statements which use it. */
const uses: Record<string, { what: string; pattern: RegExp }> = {
  http: {
    what: 'synchronous HTTP requests (pg_net, which is available, sends them after the commit)',
    pattern: /\bhttp(_\w+)?\s*\(/i,
  },
  pg_hashids: { what: 'short ids made of numbers', pattern: /\bid_(en|de)code\w*\s*\(/i },
  pg_jsonschema: { what: 'JSON schema validation', pattern: /\bjsonb?_matches_schema\b/i },
  pg_partman: {
    what: 'automatic partitioning',
    pattern: /\bpartman\b|\bcreate_parent\s*\(/i,
  },
  pgmq: { what: 'message queues', pattern: /\bpgmq(_public)?\s*\./i },
  pgroonga: { what: 'its full-text indexes', pattern: /\bpgroonga\w*\b|&@/i },
  pgrouting: { what: 'routing in networks', pattern: /\bpgr_\w+/i },
  plv8: { what: 'functions in JavaScript', pattern: /\bplv8\b/i },
  postgis: { what: 'geographic types', pattern: /\b(geometry|geography|box[23]d|st_\w+)\b/i },
  rum: { what: 'its indexes', pattern: /\brum\b/i },
  timescaledb: {
    what: 'hypertables',
    pattern: /\b(create_hypertable|time_bucket|timescaledb\w*)\b/i,
  },
  vector: {
    what: 'vector columns and similarity search',
    pattern: /\b(vector|halfvec|sparsevec|hnsw|ivfflat)\b|<=>|<->|<#>/i,
  },
  wrappers: {
    what: 'foreign tables of external services',
    pattern: /\bwrappers?\b|\bforeign\s+(table|data|schema)\b/i,
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

/**
 * A sentence that names the missing extension, what it is for, which statements use it, and how to install it.
 * @param major version of this PostgreSQL
 * @returns isOptional: the project starts without it
 */
export function describeMissingExtension(
  name: string,
  statements: Statement[],
  major: number,
): { isOptional: boolean; sentence: string } {
  const absent = `the extension ${name} is not part of this PostgreSQL`
  const consequence = optionalExtensions[name]
  if (consequence !== undefined)
    return { isOptional: true, sentence: `${absent} and is skipped. ${consequence}` }
  const use = uses[name] ?? Object.entries(uses).find(([known]) => name.startsWith(`${known}_`))?.[1]
  const known = Object.keys(packages).find((one) => name === one || name.startsWith(`${one}_`))
  const packaged =
    known === undefined ? '' : ` (package postgresql-${major}-${packages[known]} of apt.postgresql.org)`
  const instruction = `Install it for PostgreSQL ${major}${packaged} and start again; "Extensions" in docs/jobs.md lists where Linnet looks for it.`
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
  return `In this file, statements in line ${lines.slice(0, maxLinesNamed).join(', ')}${more} use it. `
}
