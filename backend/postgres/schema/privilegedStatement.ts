import type { QueryConfig } from 'pg'
import type { Statement } from './splitStatements.ts'

/**
 * Statements for which hosted Supabase lets `postgres` act as superuser (its extension supautils): extensions of
 * a fixed list, event triggers, foreign data wrappers, and publications of all tables or of the tables in a schema. Here
 * functions of the platform run them, within the same transaction. Null for other statements and for unknown syntax, which
 * the server then handles.
 */
export function rewritePrivilegedStatement(statement: Statement): QueryConfig | null {
  const reader = new Reader(statement)
  const parsed = parseCreateExtension(statement)
  if (parsed !== null) return createExtensionQuery(parsed)
  if (reader.take('drop', 'extension')) return dropExtension(reader)
  if (reader.take('alter', 'extension')) return alterExtension(reader)
  if (reader.take('comment', 'on', 'extension'))
    return comment(reader, 'comment_on_extension($1::text, $2::text)')
  if (reader.take('comment', 'on', 'event', 'trigger')) {
    return comment(reader, `change_event_trigger($1::text, 'comment', $2::text)`)
  }
  if (reader.take('create', 'event', 'trigger')) return createEventTrigger(reader)
  if (reader.take('alter', 'event', 'trigger')) return alterEventTrigger(reader)
  if (reader.take('drop', 'event', 'trigger')) return dropEventTrigger(reader)
  if (reader.take('create', 'foreign', 'data', 'wrapper')) return createForeignDataWrapper(reader)
  if (reader.take('create', 'publication')) return createPublication(reader)
  if (reader.take('alter', 'publication')) return alterPublication(reader)
  return null
}

/** A parsed `create extension`. */
export interface CreateExtension {
  name: string
  ifMissing: boolean
  schema: string | null
  version: string | null
  cascade: boolean
}

/** Parses a `create extension`; null for other statements and for unknown syntax. */
export function parseCreateExtension(statement: Statement): CreateExtension | null {
  const reader = new Reader(statement)
  if (!reader.take('create', 'extension')) return null
  const ifMissing = reader.take('if', 'not', 'exists')
  const name = reader.identifier()
  reader.take('with')
  const parsed = { ifMissing, schema: null as string | null, version: null as string | null, cascade: false }
  while (!reader.atEnd) {
    if (reader.take('schema')) parsed.schema = reader.identifier()
    else if (reader.take('version')) parsed.version = reader.string() ?? reader.identifier()
    else if (reader.take('cascade')) parsed.cascade = true
    else return null
  }
  return name === null ? null : { name, ...parsed }
}

export function createExtensionQuery({
  name,
  ifMissing,
  schema,
  version,
  cascade,
}: CreateExtension): QueryConfig {
  return {
    // Without a schema: the one in its control file, else the current schema.
    text: `select linnet_platform.create_extension($1::text, coalesce($2::text,
        (select schema::text from pg_available_extension_versions where name = $1::text and schema is not null limit 1),
        current_schema()::text), $3::text, $4::boolean)
      ${ifMissing ? 'where not exists (select from pg_extension where extname = $1::text)' : ''}`,
    values: [name, schema, version, cascade],
  }
}

/** Walks the tokens of one statement. */
class Reader {
  readonly #statement: Statement
  #at = 0

  constructor(statement: Statement) {
    this.#statement = statement
  }

  /** Consumes these words if they come next. */
  take(...words: string[]): boolean {
    const { tokens } = this.#statement
    const fits = words.every((word, i) => {
      const token = tokens[this.#at + i]
      return token !== undefined && (token.kind === 'word' || token.kind === 'symbol') && token.value === word
    })
    if (fits) this.#at += words.length
    return fits
  }

  identifier(): string | null {
    return this.#value('word', 'name')
  }

  string(): string | null {
    return this.#value('string')
  }

  #value(...kinds: string[]): string | null {
    const token = this.#statement.tokens[this.#at]
    if (!token || !kinds.includes(token.kind)) return null
    this.#at++
    return token.value
  }

  /** `('a', 'b')`; stops at what it can't parse. */
  strings(): string[] {
    const values: string[] = []
    if (!this.take('(')) return values
    for (let value = this.string(); value !== null; value = this.take(',') ? this.string() : null)
      values.push(value)
    this.take(')')
    return values
  }

  /** `schema.name` as SQL that names the same. */
  qualifiedName(): string | null {
    const parts: string[] = []
    do {
      const part = this.identifier()
      if (part === null) return null
      parts.push(`"${part.replaceAll('"', '""')}"`)
    } while (this.take('.'))
    return parts.join('.')
  }

  /** `(name 'value')` or `(name = value)`, as a list of names and values; stops at what it can't parse. */
  options(): string[] {
    const values: string[] = []
    if (!this.take('(')) return values
    do {
      const name = this.identifier()
      this.take('=')
      const value = this.string() ?? this.identifier()
      if (name === null || value === null) return values
      values.push(name, value)
    } while (this.take(','))
    this.take(')')
    return values
  }

  get atEnd(): boolean {
    return this.#at === this.#statement.tokens.length
  }
}

function alterExtension(reader: Reader): QueryConfig | null {
  const name = reader.identifier()
  let schema: string | null = null
  let version: string | null = null
  if (reader.take('set', 'schema')) schema = reader.identifier()
  else if (!reader.take('update')) return null
  else if (reader.take('to')) version = reader.string() ?? reader.identifier()
  if (name === null || !reader.atEnd) return null
  return {
    // An unavailable version is replaced by the available one.
    text: `select linnet_platform.alter_extension($1::text, $2::text, (
      select version from pg_available_extension_versions where name = $1::text and version = $3::text))`,
    values: [name, schema, version],
  }
}

function dropExtension(reader: Reader): QueryConfig | null {
  const ifExists = reader.take('if', 'exists')
  const name = reader.identifier()
  const cascade = reader.take('cascade')
  reader.take('restrict')
  if (name === null || !reader.atEnd) return null
  return {
    text: `select linnet_platform.drop_extension($1::text, $2::boolean)
      ${ifExists ? 'where exists (select from pg_extension where extname = $1::text)' : ''}`,
    values: [name, cascade],
  }
}

function comment(reader: Reader, call: string): QueryConfig | null {
  const name = reader.identifier()
  if (name === null || !reader.take('is')) return null
  const text = reader.take('null') ? null : reader.string()
  return reader.atEnd ? { text: `select linnet_platform.${call}`, values: [name, text] } : null
}

function createEventTrigger(reader: Reader): QueryConfig | null {
  const name = reader.identifier()
  if (name === null || !reader.take('on')) return null
  const event = reader.identifier()
  const tags = reader.take('when', 'tag', 'in') ? reader.strings() : null
  if (!reader.take('execute') || !(reader.take('function') || reader.take('procedure'))) return null
  const called = reader.qualifiedName()
  if (called === null || !reader.take('(', ')') || !reader.atEnd) return null
  return {
    text: `select linnet_platform.create_event_trigger($1::text, $2::text, $3::text[], format('%I.%I', n.nspname, p.proname))
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace where p.oid = $4::text::regproc`,
    values: [name, event, tags, called],
  }
}

function alterEventTrigger(reader: Reader): QueryConfig | null {
  const name = reader.identifier()
  let change: string | null = null
  let value: string | null = null
  if (reader.take('disable')) change = 'disable'
  else if (reader.take('enable', 'replica')) change = 'enable replica'
  else if (reader.take('enable', 'always')) change = 'enable always'
  else if (reader.take('enable')) change = 'enable'
  else if (reader.take('rename', 'to')) {
    change = 'rename'
    value = reader.identifier()
  }
  if (name === null || change === null || !reader.atEnd) return null
  return {
    text: 'select linnet_platform.change_event_trigger($1::text, $2::text, $3::text)',
    values: [name, change, value],
  }
}

function dropEventTrigger(reader: Reader): QueryConfig | null {
  const ifExists = reader.take('if', 'exists')
  const name = reader.identifier()
  if (!reader.take('cascade')) reader.take('restrict')
  if (name === null || !reader.atEnd) return null
  return {
    text: `select linnet_platform.change_event_trigger($1::text, 'drop', null)
      ${ifExists ? 'where exists (select from pg_event_trigger where evtname = $1::text)' : ''}`,
    values: [name],
  }
}

function createForeignDataWrapper(reader: Reader): QueryConfig | null {
  const name = reader.identifier()
  let handler: string | null = null
  let validator: string | null = null
  let options: string[] = []
  while (!reader.atEnd) {
    if (reader.take('no', 'handler')) handler = null
    else if (reader.take('no', 'validator')) validator = null
    else if (reader.take('handler')) handler = reader.qualifiedName()
    else if (reader.take('validator')) validator = reader.qualifiedName()
    else if (reader.take('options')) options = reader.options()
    else return null
  }
  if (name === null) return null
  return {
    text: `select linnet_platform.create_foreign_data_wrapper(
      $1::text, $2::text::regproc, $3::text::regproc, $4::text[])`,
    values: [name, handler, validator, options],
  }
}

/** Only publications for which PostgreSQL requires a superuser. */
function createPublication(reader: Reader): QueryConfig | null {
  const name = reader.identifier()
  const isForAll = reader.take('for', 'all', 'tables')
  const schemas = isForAll ? null : reader.take('for') ? schemaList(reader) : []
  const options = reader.take('with') ? reader.options() : []
  if (name === null || schemas?.length === 0 || !reader.atEnd) return null
  return {
    text: 'select linnet_platform.create_publication($1::text, $2::text[], $3::text[])',
    values: [name, schemas, options],
  }
}

function alterPublication(reader: Reader): QueryConfig | null {
  const name = reader.identifier()
  const action = ['add', 'set', 'drop'].find((word) => reader.take(word))
  const schemas = schemaList(reader)
  if (name === null || action === undefined || schemas.length === 0 || !reader.atEnd) return null
  return {
    text: 'select linnet_platform.alter_publication_schemas($1::text, $2::text, $3::text[])',
    values: [name, action, schemas],
  }
}

/** `tables in schema a, b`; empty for other objects, or where they are mixed. */
function schemaList(reader: Reader): string[] {
  const schemas: string[] = []
  if (!reader.take('tables', 'in', 'schema')) return []
  do {
    reader.take('tables', 'in', 'schema')
    const schema = reader.identifier()
    if (schema === null) return []
    schemas.push(schema)
  } while (reader.take(','))
  return schemas
}
