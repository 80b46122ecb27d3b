import type { Relation } from '../wal/pgoutput.ts'
import type { Channel } from '../sockets/channel.ts'
import type { ChangeEvent, ChangeRequest } from './changeRequest.ts'
import type { CheckedRequest } from './checkRequest.ts'
import { matchesPattern } from './tablePattern.ts'
import { testFilter, type CheckedFilter } from './testFilter.ts'

/** One entry of a join's `postgres_changes`, for as long as its topic lasts. */
export interface Subscription {
  channel: Channel
  /** As the join's reply told it. */
  id: number
  request: ChangeRequest
  /** By the oid of each table that it means. */
  filters: Map<number, CheckedFilter[]>
  /** Changes of the log before this one were not asked for. */
  from: number
}

/** A row as text, by the places of its columns; see `LoggedValue`. */
export type Row = (string | null | undefined)[]

/** Those who ask for changes of one table. */
interface TableIndex {
  name: string | null
  schema: string | null
  /** With a filter `eq` on a type whose texts can be compared: by column, by value. */
  byValue: Map<string, Map<string, Set<Subscription>>>
  unindexed: Set<Subscription>
}

/** All subscriptions, found by the table that has changed. */
export class Subscriptions {
  readonly #all = new Map<Channel, Subscription[]>()
  readonly #tables = new Map<number, TableIndex>()
  #count = 0

  get count(): number {
    return this.#count
  }

  channels(): Channel[] {
    return [...this.#all.keys()]
  }

  has(channel: Channel): boolean {
    return this.#all.has(channel)
  }

  /** Takes the place of what the channel asked for before. */
  set(channel: Channel, checked: CheckedRequest[], from: number): void {
    this.remove(channel)
    const subscriptions = checked.map(({ request, tables }, at) => ({
      channel,
      id: at + 1,
      request,
      filters: tables,
      from,
    }))
    this.#all.set(channel, subscriptions)
    this.#count += subscriptions.length
    for (const subscription of subscriptions) {
      for (const id of subscription.filters.keys()) addToIndex(this.#tableAt(id), subscription, id)
    }
  }

  remove(channel: Channel): void {
    const subscriptions = this.#all.get(channel)
    if (!subscriptions) return
    this.#all.delete(channel)
    this.#count -= subscriptions.length
    for (const subscription of subscriptions) {
      for (const id of subscription.filters.keys()) {
        const table = this.#tables.get(id)
        if (!table) continue
        removeFromIndex(table, subscription, id)
        if (table.unindexed.size === 0 && table.byValue.size === 0) this.#tables.delete(id)
      }
    }
  }

  /**
   * The log has announced a table: those whose patterns fit its name get its changes from now on, those who
   * asked for a name that it no longer has get them no more. Returns those whose filters have to be checked
   * against it first.
   */
  updateTable(relation: Relation): Set<Channel> {
    const table = this.#tableAt(relation.id)
    const unchecked = new Set<Channel>()
    if (table.name === relation.name && table.schema === relation.schema) return unchecked
    table.name = relation.name
    table.schema = relation.schema
    for (const subscription of [...this.#all.values()].flat()) {
      const { request, filters, channel } = subscription
      const fits =
        matchesPattern(relation.schema, request.schema) && matchesPattern(relation.name, request.table)
      if (fits === filters.has(relation.id)) continue
      if (fits && (request.filters.length > 0 || request.select)) unchecked.add(channel)
      else if (fits) {
        filters.set(relation.id, [])
        addToIndex(table, subscription, relation.id)
      } else {
        removeFromIndex(table, subscription, relation.id)
        filters.delete(relation.id)
      }
    }
    if (table.unindexed.size === 0 && table.byValue.size === 0) this.#tables.delete(relation.id)
    return unchecked
  }

  /** Does anybody ask for changes of that table? */
  hasTable(relationId: number): boolean {
    return this.#tables.has(relationId)
  }

  /** Those whom a change may concern, as far as can be told from here. */
  *find(relation: Relation, event: ChangeEvent, row: Row): Generator<Subscription> {
    const table = this.#tables.get(relation.id)
    if (!table) return
    for (const subscription of candidates(table, relation, row)) {
      const { request, filters } = subscription
      if (request.event !== '*' && request.event !== event) continue
      if ((filters.get(relation.id) ?? []).every((filter) => passes(filter, relation, row)))
        yield subscription
    }
  }

  #tableAt(id: number): TableIndex {
    const existing = this.#tables.get(id)
    if (existing) return existing
    const table: TableIndex = { name: null, schema: null, byValue: new Map(), unindexed: new Set() }
    this.#tables.set(id, table)
    return table
  }
}

/** The value that a column must have for a subscription to be concerned; null where it can't be told so. */
function keyOf(subscription: Subscription, id: number): { column: string; text: string } | null {
  const filter = subscription.filters
    .get(id)
    ?.find(({ operator, negated, type }) => operator === 'eq' && !negated && type.isExact)
  const text = filter?.texts[0]
  return filter && typeof text === 'string' ? { column: `${filter.typeId}:${filter.column}`, text } : null
}

function addToIndex(table: TableIndex, subscription: Subscription, id: number): void {
  const key = keyOf(subscription, id)
  if (!key) {
    table.unindexed.add(subscription)
    return
  }
  const values = table.byValue.get(key.column) ?? new Map<string, Set<Subscription>>()
  table.byValue.set(key.column, values)
  const matching = values.get(key.text)
  if (matching) matching.add(subscription)
  else values.set(key.text, new Set([subscription]))
}

function removeFromIndex(table: TableIndex, subscription: Subscription, id: number): void {
  const key = keyOf(subscription, id)
  if (!key) {
    table.unindexed.delete(subscription)
    return
  }
  const values = table.byValue.get(key.column)
  const matching = values?.get(key.text)
  matching?.delete(subscription)
  if (matching?.size === 0) values!.delete(key.text)
  if (values?.size === 0) table.byValue.delete(key.column)
}

function* candidates(table: TableIndex, relation: Relation, row: Row): Generator<Subscription> {
  yield* table.unindexed
  for (const [column, values] of table.byValue) {
    const index = relation.columns.findIndex(({ name, typeId }) => `${typeId}:${name}` === column)
    if (index < 0) {
      // The column has another type by now: only the database can tell who is meant.
      for (const matching of values.values()) yield* matching
      continue
    }
    const value = row[index]
    if (typeof value === 'string') yield* values.get(value) ?? []
  }
}

/** False only where it is certain. */
function passes(filter: CheckedFilter, relation: Relation, row: Row): boolean {
  const index = relation.columns.findIndex(({ name }) => name === filter.column)
  if (index < 0) return false
  return testFilter(filter, relation.columns[index]!.typeId, row[index]) !== false
}
