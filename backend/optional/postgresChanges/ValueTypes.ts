import type pg from 'pg'

/** How a type's text becomes JSON; `database`: only the database can render it. */
export type Rendering =
  | 'boolean'
  | 'number'
  | 'json'
  | 'timestamp'
  | 'timestamptz'
  | 'bytea'
  | 'text'
  | 'database'
  | { element: Rendering }

export interface ValueType {
  /** For SQL: with its schema, quoted. */
  sqlName: string
  /** For messages, as in the hosted service. */
  label: string
  rendering: Rendering
  /** Values are equal exactly if their texts are. */
  isExact: boolean
  isInteger: boolean
  isBoolean: boolean
}

interface Row {
  id: number
  sql_name: string
  label: string
  kind: string
  element: number
  base: number
  has_json_cast: boolean
}

/** By the OIDs of built-in types, which never change. */
const builtIn = new Map<number, Rendering>([
  [16, 'boolean'],
  [17, 'bytea'],
  [20, 'number'],
  [21, 'number'],
  [23, 'number'],
  [114, 'json'],
  [700, 'number'],
  [701, 'number'],
  [1114, 'timestamp'],
  [1184, 'timestamptz'],
  [1700, 'number'],
  [3802, 'json'],
  // int2vector and oidvector are arrays with another text format.
  [22, 'database'],
  [30, 'database'],
])
const integers = new Set([20, 21, 23])
/** int8, int2, int4, bool, text, name, varchar, oid, uuid, date, timestamp, timestamptz. */
const exact = new Set([20, 21, 23, 16, 25, 19, 1043, 26, 2950, 1082, 1114, 1184])
const firstUserTypeId = 16_384

/** Types by OID. Built-in ones never change; the others are read each time, since they can be renamed or moved. */
export class ValueTypes {
  readonly #types = new Map<number, ValueType>()

  get(id: number): ValueType | undefined {
    return this.#types.get(id)
  }

  /** Reads types that are not cached or may have changed, with their element and base types. */
  async load(client: pg.Client | pg.ClientBase, ids: Iterable<number>): Promise<void> {
    const missing = [...new Set(ids)].filter((id) => id >= firstUserTypeId || !this.#types.has(id))
    if (missing.length === 0) return
    const { rows } = await client.query<Row>({
      name: 'realtime_types',
      text: `with recursive wanted (id) as (
               select unnest($1::oid[])
               union
               select case when t.typtype = 'd' then t.typbasetype else t.typelem end
               from wanted join pg_catalog.pg_type t on t.oid = wanted.id
               where t.typtype = 'd' or t.typsubscript = 'pg_catalog.array_subscript_handler'::regproc
             )
             select t.oid::int8::float8 as id, quote_ident(n.nspname) || '.' || quote_ident(t.typname) as sql_name,
               format_type(t.oid, null) as label,
               case when t.typtype = 'd' then 'domain'
                 when t.typtype = 'c' then 'composite'
                 when t.typtype = 'e' then 'enum'
                 when t.typsubscript = 'pg_catalog.array_subscript_handler'::regproc
                   then case when t.typdelim = ',' then 'array' else 'odd' end
                 else 'base' end as kind,
               t.typelem::int8::float8 as element, t.typbasetype::int8::float8 as base,
               exists (select from pg_catalog.pg_cast
                 where castsource = t.oid and casttarget = 'json'::regtype and castmethod = 'f') as has_json_cast
             from wanted
             join pg_catalog.pg_type t on t.oid = wanted.id
             join pg_catalog.pg_namespace n on n.oid = t.typnamespace`,
      values: [missing],
    })
    const byId = new Map(rows.map((row) => [row.id, row]))
    for (const row of rows) {
      this.#types.set(row.id, {
        sqlName: row.sql_name,
        label: row.label,
        rendering: renderingOf(row, byId),
        isExact: exact.has(row.id) || row.kind === 'enum',
        isInteger: integers.has(row.id),
        isBoolean: row.id === 16,
      })
    }
  }
}

function renderingOf(row: Row, byId: Map<number, Row>): Rendering {
  const rendering = builtIn.get(row.id)
  if (rendering) return rendering
  if (row.kind === 'composite' || row.kind === 'odd') return 'database'
  if (row.kind === 'domain' || row.kind === 'array') {
    const inner = byId.get(row.kind === 'domain' ? row.base : row.element)
    const rendering = inner ? renderingOf(inner, byId) : 'database'
    if (row.kind === 'domain' || rendering === 'database') return rendering
    return { element: rendering }
  }
  return row.has_json_cast && row.id >= firstUserTypeId ? 'database' : 'text'
}
