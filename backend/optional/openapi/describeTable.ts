import { keyOf } from '../../rest/schemaCache/qualifiedName.ts'
import type { Column, ForeignRelationship, SchemaCache, Table } from '../../rest/schemaCache/schemaCache.ts'
import { describeDefault, describeType } from './describeType.ts'
import {
  type BodyParameter,
  type Operation,
  type Parameter,
  type PathItem,
  type PlainParameter,
  type Schema,
  createReference,
} from './document.ts'
import { type ColumnDetails, type TableDetails, splitComment } from './schemaDetails.ts'
import { sharedParameters } from './sharedParameters.ts'

/** Query parameters with a meaning: columns with these names can't be filtered. */
const RESERVED = new Set(
  Object.values(sharedParameters).flatMap((each) => (each.in === 'query' ? [each.name] : [])),
)

/** A table or view with its details; columns in order. */
export interface DescribedTable {
  table: Table
  comment: string | null
  columns: { column: Column; details: ColumnDetails }[]
}

/** Joins the cache with the details, which are read later. Columns missing in one of them are omitted. */
export function withDetails(table: Table, details: TableDetails): DescribedTable {
  const columns = [...table.columns.values()].flatMap((column) => {
    const columnDetails = details.columns.get(column.name)
    return columnDetails ? [{ column, details: columnDetails }] : []
  })
  return { table, comment: details.comment, columns }
}

/** The definition of a table's rows. */
export function tableDefinition({ table, comment, columns }: DescribedTable, cache: SchemaCache): Schema {
  const required = columns.filter(({ details }) => !details.isNullable).map(({ column }) => column.name)
  const properties = columns.map(({ column, details }) => {
    const description = describeColumn(table, column, details, cache)
    const value = describeDefault(details.type, column.default)
    const property: Schema = {
      ...describeType(details.type),
      ...(description !== null && { description }),
      ...(value !== undefined && { default: value }),
      ...(details.labels.length > 0 && { enum: details.labels }),
      ...(details.maxLength !== null && { maxLength: details.maxLength }),
    }
    return [column.name, property] as const
  })
  return {
    type: 'object',
    ...(comment !== null && { description: comment }),
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
  }
}

/** The comment, followed by the keys of the column in a machine-readable form. */
function describeColumn(
  table: Table,
  { name }: Column,
  { comment }: ColumnDetails,
  cache: SchemaCache,
): string | null {
  const notes = []
  if (table.primaryKey.includes(name)) notes.push('This is a Primary Key.<pk/>')
  const key = referenceOf(table, name, cache)
  if (key) {
    const [[, column]] = key.columns as [[string, string]]
    const target = key.foreign.name
    notes.push(`This is a Foreign Key to \`${target}.${column}\`.<fk table='${target}' column='${column}'/>`)
  }
  if (notes.length === 0) return comment
  return `${comment === null ? '' : `${comment}\n\n`}Note:\n${notes.join('\n')}`
}

/** The foreign key of this single column, preferably to a table rather than a view of it. */
function referenceOf(table: Table, column: string, cache: SchemaCache): ForeignRelationship | undefined {
  const keys = (cache.relationships.get(keyOf(table.schema, table.name)) ?? []).filter(
    (each): each is ForeignRelationship =>
      (each.kind === 'many-to-one' || (each.kind === 'one-to-one' && !each.isParent)) &&
      each.foreign.schema === table.schema &&
      each.columns.length === 1 &&
      each.columns[0]![0] === column,
  )
  const isView = ({ foreign }: ForeignRelationship): boolean =>
    cache.tables.get(keyOf(foreign.schema, foreign.name))?.isView ?? false
  return keys.find((key) => !isView(key)) ?? keys[0]
}

/** Parameters of all operations on the table: the body, and a filter for each column. */
export function tableParameters({ table, columns }: DescribedTable): [string, Parameter][] {
  const body: BodyParameter = {
    name: table.name,
    in: 'body',
    description: table.name,
    required: false,
    schema: createReference('definitions', table.name),
  }
  const filters = columns.filter(isFilterable).map(({ column, details }): [string, PlainParameter] => [
    filterName(table, column),
    {
      name: column.name,
      in: 'query',
      ...(details.comment !== null && { description: details.comment }),
      required: false,
      type: 'string',
    },
  ])
  return [[bodyName(table), body], ...filters]
}

const isFilterable = ({ column }: DescribedTable['columns'][number]): boolean => !RESERVED.has(column.name)
const bodyName = ({ name }: Table): string => `body.${name}`
const filterName = ({ name }: Table, column: Column): string => `rowFilter.${name}.${column.name}`

/** The operations on a table. */
export function tablePath({ table, comment, columns }: DescribedTable): PathItem {
  const { first: summary, rest: description } = splitComment(comment)
  const filters = columns.filter(isFilterable).map(({ column }) => filterName(table, column))
  const body = bodyName(table)
  const operation = (parameters: string[], responses: Operation['responses']): Operation => ({
    tags: [table.name],
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    parameters: parameters.map((name) => createReference('parameters', name)),
    responses,
  })
  const rows: Schema = { type: 'array', items: createReference('definitions', table.name) }
  const noContent = { 204: { description: 'No Content' } }
  return {
    get: operation([...filters, 'select', 'order', 'range', 'rangeUnit', 'offset', 'limit', 'preferCount'], {
      200: { description: 'OK', schema: rows },
      206: { description: 'Partial Content' },
    }),
    ...(table.insertable && {
      post: operation([body, 'select', 'preferPost'], { 201: { description: 'Created' } }),
    }),
    ...(table.updatable && { patch: operation([...filters, body, 'preferReturn'], noContent) }),
    ...(table.deletable && { delete: operation([...filters, 'preferReturn'], noContent) }),
  }
}
