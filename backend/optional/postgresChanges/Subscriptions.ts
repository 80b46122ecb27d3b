import type { Relation } from '../../realtime/wal/pgoutput.ts'
import type { Channel } from '../../realtime/sockets/channel.ts'
import type { ChangeEvent, ChangeRequest } from './changeRequest.ts'
import type { CheckedRequest } from './checkRequest.ts'
import { matchesPattern } from './tablePattern.ts'
import { testFilter, type CheckedFilter } from './testFilter.ts'

/** One entry of a join's `postgres_changes`, as long as its topic is joined. */
export interface Subscription {
  channel: Channel
  /** As in the reply to the join. */
  id: number
  request: ChangeRequest
  /** By the OID of each matching table. */
  filters: Map<number, CheckedFilter[]>
  /** The number of the first change that is included. */
  from: number
}

/** A row as text, by column index; see `WalValue`. */
export type Row = (string | null | undefined)[]

/** Subscriptions to one table. */
interface TableIndex {
  name: string | null
  schema: string | null
  /** Those with a filter `eq` on a type whose texts can be compared: by column and value. */
  byValue: Map<string, Map<string, Set<Subscription>>>
  unindexed: Set<Subscription>
}

/** All subscriptions, indexed by table. */
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

  /** Replaces the subscriptions of a channel. */
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
   * Handles a table announced by the WAL: subscriptions whose patterns match its name receive its changes from now on,
   * those that only match its previous name no longer do. Returns the channels whose filters must be checked first.
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

  /** Whether there are subscriptions to the table. */
  hasTable(relationId: number): boolean {
    return this.#tables.has(relationId)
  }

  /** Subscriptions that a change may match, as far as can be decided without the database. */
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

/** The column value that a subscription requires; null if it cannot be indexed by value. */
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
      // The type of the column has changed: only the database can compare.
      for (const matching of values.values()) yield* matching
      continue
    }
    const value = row[index]
    if (typeof value === 'string') yield* values.get(value) ?? []
  }
}

/** False only if it is certain. */
function passes(filter: CheckedFilter, relation: Relation, row: Row): boolean {
  const index = relation.columns.findIndex(({ name }) => name === filter.column)
  if (index < 0) return false
  return testFilter(filter, relation.columns[index]!.typeId, row[index]) !== false
}
