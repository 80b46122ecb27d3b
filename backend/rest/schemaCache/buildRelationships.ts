import { keyOf } from './qualifiedName.ts'
import type {
  ColumnPairs,
  ComputedRelationship,
  ForeignRelationship,
  JunctionRelationship,
  Relationship,
  Table,
} from './schemaCache.ts'
import { sortRelationships } from './sortRelationships.ts'

/** A foreign key of the catalogue. `isUnique`: its columns are a key of their own table. */
export interface ForeignKey {
  constraint: string
  schema: string
  table: string
  foreignSchema: string
  foreignTable: string
  columns: ColumnPairs
  isUnique: boolean
}

/**
 * Derives all relationships between exposed tables and views: each foreign key in both directions, and many-to-many if a
 * primary key contains two foreign keys. A computed relationship replaces others with its name. Sorted in upstream's
 * order, in which errors list ambiguous relationships.
 */
export function buildRelationships(
  tables: Map<string, Table>,
  keys: ForeignKey[],
  computed: ComputedRelationship[],
): Map<string, Relationship[]> {
  const exposed = keys.filter(
    (key) =>
      tables.has(keyOf(key.schema, key.table)) && tables.has(keyOf(key.foreignSchema, key.foreignTable)),
  )
  const overridden = new Set(computed.map((own) => pairKey(own, own.routine)))
  const byTable = new Map<string, Relationship[]>()
  for (const relationship of [...exposed.flatMap(toRelationships), ...findJunctions(tables, exposed)]) {
    const { table, foreign } = relationship
    if (!overridden.has(pairKey(relationship, foreign))) {
      addTo(byTable, keyOf(table.schema, table.name), relationship)
    }
  }
  for (const own of computed) {
    const key = keyOf(own.table.schema, own.table.name)
    if (tables.has(key) && tables.has(keyOf(own.foreign.schema, own.foreign.name))) addTo(byTable, key, own)
  }
  for (const [table, list] of byTable) byTable.set(table, sortRelationships(list))
  for (const key of keys) {
    ensureEntry(tables, byTable, keyOf(key.schema, key.table))
    ensureEntry(tables, byTable, keyOf(key.foreignSchema, key.foreignTable))
  }
  return byTable
}

/** Adds an empty list for a table whose keys refer only to hidden tables, so that errors don't suggest another name. */
function ensureEntry(tables: Map<string, Table>, byTable: Map<string, Relationship[]>, key: string): void {
  if (tables.has(key) && !byTable.has(key)) byTable.set(key, [])
}

function pairKey({ table }: Relationship, target: { schema: string; name: string }): string {
  return `${keyOf(table.schema, table.name)}\u0000${keyOf(target.schema, target.name)}`
}

function addTo<T>(map: Map<string, T[]>, key: string, item: T): void {
  const list = map.get(key)
  if (list) list.push(item)
  else map.set(key, [item])
}

function toRelationships(key: ForeignKey): ForeignRelationship[] {
  const referencing = { schema: key.schema, name: key.table }
  const referenced = { schema: key.foreignSchema, name: key.foreignTable }
  const swapped = key.columns.map(([ours, theirs]): [string, string] => [theirs, ours])
  const { constraint, columns } = key
  return [
    {
      kind: key.isUnique ? 'one-to-one' : 'many-to-one',
      table: referencing,
      foreign: referenced,
      constraint,
      columns,
      isParent: false,
    },
    {
      kind: key.isUnique ? 'one-to-one' : 'one-to-many',
      table: referenced,
      foreign: referencing,
      constraint,
      columns: swapped,
      isParent: true,
    },
  ]
}

function findJunctions(tables: Map<string, Table>, keys: ForeignKey[]): JunctionRelationship[] {
  const byTable = new Map<string, ForeignKey[]>()
  for (const key of keys) if (!key.isUnique) addTo(byTable, keyOf(key.schema, key.table), key)
  const found: JunctionRelationship[] = []
  for (const [junction, pair] of byTable) {
    const primary = new Set(tables.get(junction)!.primaryKey)
    const within = pair.filter((key) => key.columns.every(([column]) => primary.has(column)))
    for (const first of within) {
      for (const other of within) {
        // A constraint that refers to a table and its views is one relationship, not a junction.
        if (first.constraint !== other.constraint) found.push(throughJunction(first, other))
      }
    }
  }
  return found
}

function throughJunction(one: ForeignKey, other: ForeignKey): JunctionRelationship {
  const swap = (columns: ColumnPairs): ColumnPairs => columns.map(([junction, end]) => [end, junction])
  return {
    kind: 'many-to-many',
    table: { schema: one.foreignSchema, name: one.foreignTable },
    foreign: { schema: other.foreignSchema, name: other.foreignTable },
    junction: { schema: one.schema, name: one.table },
    constraints: [one.constraint, other.constraint],
    columns: swap(one.columns),
    foreignColumns: swap(other.columns),
  }
}
