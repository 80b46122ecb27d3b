import { errors } from '../errors.ts'
import type {
  EmbedPath,
  OrderTerm,
  Query,
  RowRange,
  SelectedEmbed,
  SelectedField,
  SelectItem,
} from '../parse/query.ts'
import { keyOf, type QualifiedName } from '../schemaCache/qualifiedName.ts'
import { isToOne, type SchemaCache, type Table } from '../schemaCache/schemaCache.ts'
import type { RestSettings } from '../settings/restSettings.ts'
import { findRelationship } from './findRelationship.ts'
import { isGrouped } from './outputColumns.ts'
import type { Attachment, PlannedLogic, PlannedOrder, PlannedSelect, ReadNode } from './plan.ts'
import {
  expandStar,
  hasRepresentations,
  planAggregate,
  planField,
  planLogic,
  planSelect,
} from './planFields.ts'

export interface ReadOptions {
  cache: SchemaCache
  /** The resource; not necessarily a known table if the rows come from a function. */
  target: QualifiedName
  query: Query
  /** Errors suggest only names that this role can access. */
  role: string
  /** Requested rows of the root. */
  range: RowRange | null
  settings: RestSettings
  /**
   * Source of the rows: the table, or a preceding write or call. The filters of a write are part of its own statement;
   * only filters, order and limits of embeds apply to its response.
   */
  source: 'table' | 'write' | 'call'
}

/** PostgreSQL truncates longer names, which could make them equal. */
const MAX_NAME_BYTES = 63

/**
 * To-one embeds need no limit, which would prevent PostgreSQL from reordering joins. With more embeds than this they get
 * one for that reason: planning a hundred joins takes more than a second.
 */
const MAX_JOINED_EMBEDS = 8

/** Plans the SELECT of a request: a tree of nodes, one for the resource and one for each embed. */
export function planRead(o: ReadOptions): { root: ReadNode; legacyNames: [string, string][] } {
  const planner = new ReadPlanner(o)
  return { root: planner.plan(), legacyNames: planner.legacyNames }
}

/** The name of an embed in the response and the query. */
function nameOf({ alternative, relation }: ReadNode): string {
  return alternative ?? relation
}

class ReadPlanner {
  readonly #legacy = new Set<ReadNode>()
  readonly #o: ReadOptions
  readonly #aliases = new Set<string>()
  readonly #tables = new Map<ReadNode, Table | undefined>()
  #embedCount = 0
  #aggregateCount = 0

  constructor(o: ReadOptions) {
    this.#o = o
  }

  /** Embeds with an alias that the query refers to by table name: both names. */
  get legacyNames(): [string, string][] {
    return [...this.#legacy].map((node) => [node.relation, nameOf(node)])
  }

  plan(): ReadNode {
    const { target, query, source } = this.#o
    const isWrite = source === 'write'
    const root = this.#node(target, query.select, 0)
    if (source !== 'table') root.from = null
    for (const { path, range } of query.ranges)
      if (path.length > 0 && !isWrite) this.#at(root, path).range = range
    root.range = isWrite ? null : this.#o.range
    for (const { path, terms } of query.order) {
      const node = this.#at(root, path)
      // The first of several counts.
      if (node.order.length === 0) node.order = terms.map((term) => this.#order(node, term))
    }
    for (const { path, filter } of query.filters) this.#filter(root, path, filter)
    for (const { path, tree } of query.logic) this.#filter(root, path, tree)
    if (!isWrite) this.#restrict(root)
    if (this.#aggregateCount > 0) this.#settleAggregates(root)
    else this.#limitBeforeEmbeds(root)
    limitBytes(root, this.#o.settings.maxResponseBytes)
    return root
  }

  #filter(root: ReadNode, path: EmbedPath, tree: Query['logic'][number]['tree']): void {
    if (path.length === 0 && this.#o.source === 'write') return
    const node = this.#at(root, path)
    node.where.push(planLogic(this.#tables.get(node), tree, node.embeds))
  }

  #node(target: QualifiedName, items: SelectItem[], depth: number): ReadNode {
    const table = this.#o.cache.tables.get(keyOf(target.schema, target.name))
    const node: ReadNode = {
      from: target,
      alias: this.#alias(depth === 0 ? target.name : `${target.name}_${depth}`),
      fields: [],
      embeds: [],
      where: [],
      order: [],
      range: null,
      limitedColumns: null,
      byteLimit: null,
      attachment: null,
      relation: target.name,
      alternative: null,
    }
    this.#tables.set(node, table)
    for (const item of items) {
      if (item.kind === 'embed') node.embeds.push(this.#embed(target, item, depth + 1))
      else node.fields.push(this.#select(table, item))
    }
    if (hasRepresentations(table)) this.#expandStars(node)
    return node
  }

  #embed(origin: QualifiedName, item: SelectedEmbed, depth: number): ReadNode {
    const { cache, target, role } = this.#o
    const relationship = findRelationship(cache, target.schema, origin.name, item, role)
    const node = this.#node(relationship.foreign, item.items, depth)
    const attachment: Attachment = {
      relationship,
      isInner: item.join === 'inner',
      isSpread: item.spread,
      name: item.alias ?? item.relation,
      rows: `pgrst_embed_${++this.#embedCount}`,
      junction:
        relationship.kind === 'many-to-many' ? this.#alias(`${relationship.junction.name}_${depth}`) : null,
    }
    if (item.spread) this.#expandStars(node)
    return Object.assign(node, { attachment, relation: item.relation, alternative: item.alias })
  }

  #select(table: Table | undefined, item: SelectedField): PlannedSelect {
    const { aggregate } = item
    if (aggregate === null) return planSelect(table, item)
    return planAggregate(table, { ...item, aggregate }, `pgrst_aggregate_${++this.#aggregateCount}`)
  }

  #expandStars(node: ReadNode): void {
    node.fields = node.fields.flatMap((field) => expandStar(this.#tables.get(node), field))
  }

  /** Throws PGRST123 and PGRST127. */
  #settleAggregates(node: ReadNode): void {
    if (!this.#o.settings.aggregatesEnabled) throw errors.aggregates()
    if (isGrouped(node)) {
      if (node.attachment?.isSpread) throw errors.spreadAggregates()
      this.#expandStars(node)
    }
    for (const embed of node.embeds) this.#settleAggregates(embed)
  }

  /**
   * Applies the range before embeds are joined where the result is the same. The number of rows to join is then known to
   * the planner of PostgreSQL whatever the filters are: otherwise a plan for all values of a filter may join and sort
   * every row that it matches.
   */
  #limitBeforeEmbeds(node: ReadNode): void {
    for (const embed of node.embeds) this.#limitBeforeEmbeds(embed)
    const table = this.#tables.get(node)
    if (!node.range || node.embeds.length === 0 || !node.from || !table) return
    const columns = requiredColumns(node, [])
    const isPlain =
      columns.every((name) => name === '*' || table.columns.has(name)) &&
      node.order.every(({ embed, field }) => embed === null && table.columns.has(field.name)) &&
      !node.where.some(testsEmbed) &&
      node.embeds.every((embed) => this.#addsNoRows(embed))
    if (isPlain) node.limitedColumns = columns
  }

  /** Whether each row of the parent is joined to exactly one row of an embed, as lists are, or to null. */
  #addsNoRows(embed: ReadNode): boolean {
    const { isInner, relationship } = embed.attachment!
    if (isInner || relationship.kind === 'computed') return false
    // A view may contain a row of its table several times.
    return !isToOne(relationship) || this.#tables.get(embed)?.isView === false
  }

  #alias(preferred: string): string {
    let alias = Buffer.byteLength(preferred) <= MAX_NAME_BYTES ? preferred : 'pgrst_rows'
    for (let n = 1; this.#aliases.has(alias); n++) alias = `pgrst_rows_${n}`
    this.#aliases.add(alias)
    return alias
  }

  /** The embed at a parameter's path, by alias or relation. Throws PGRST108. */
  #at(root: ReadNode, path: EmbedPath): ReadNode {
    const mayBeLegacy = this.#o.settings.useLegacyTargetNames
    let node = root
    for (const name of path) {
      const next = node.embeds.find(
        (embed) => nameOf(embed) === name || (mayBeLegacy && embed.relation === name),
      )
      if (!next) throw this.#notEmbedded(node, name)
      if (nameOf(next) !== name) this.#legacy.add(next)
      node = next
    }
    return node
  }

  #notEmbedded(node: ReadNode, name: string): Error {
    const aliased = node.embeds.find((embed) => embed.relation === name)
    return aliased ? errors.aliasNotUsed(name, nameOf(aliased)) : errors.notEmbedded(name)
  }

  #order(node: ReadNode, term: OrderTerm): PlannedOrder {
    const { direction, nulls } = term
    if (term.relation === null) {
      return { embed: null, field: planField(this.#tables.get(node), term.field), direction, nulls }
    }
    const embed = node.embeds.find((child) => nameOf(child) === term.relation)
    if (!embed) throw errors.notEmbedded(term.relation)
    if (!isToOne(embed.attachment!.relationship)) throw errors.relatedOrder(node.relation, term.relation)
    return { embed, field: planField(undefined, term.field), direction, nulls }
  }

  /** Applies `maxRows` at every level. */
  #restrict(node: ReadNode): void {
    const { maxRows } = this.#o.settings
    const kind = node.attachment?.relationship.kind
    const isOne = kind === 'many-to-one' || kind === 'one-to-one'
    if (maxRows !== null && (!isOne || node.range || this.#embedCount > MAX_JOINED_EMBEDS)) {
      const { offset, limit } = node.range ?? { offset: 0, limit: null }
      node.range = { offset, limit: limit === null ? maxRows : Math.min(limit, maxRows) }
    }
    for (const embed of node.embeds) this.#restrict(embed)
  }
}

/** Whether a filter refers to an embed. */
function testsEmbed(logic: PlannedLogic): boolean {
  return logic.kind === 'embed' || (logic.kind !== 'filter' && logic.items.some(testsEmbed))
}

/** Whether the rows of a node contain lists, also in to-one embeds. */
function containsLists({ embeds }: ReadNode): boolean {
  return embeds.some((embed) => isList(embed) || containsLists(embed))
}

const isList = ({ attachment }: ReadNode): boolean => attachment !== null && !isToOne(attachment.relationship)

/** Limits the size of the rows that contain lists. */
function limitBytes(root: ReadNode, maxBytes: number): void {
  const limited: ReadNode[] = []
  const visit = (node: ReadNode): number => {
    const levels = Math.max(0, ...node.embeds.map(visit))
    // Only rows of the result and of lists are collected.
    if (!containsLists(node) || (node !== root && !isList(node))) return levels
    limited.push(node)
    return levels + 1
  }
  const levels = visit(root)
  for (const node of limited) node.byteLimit = { maxBytes, levels }
}

/**
 * The columns that the response needs: selected ones, join columns of embeds, and the key for `Location`. No others,
 * since each requires the SELECT privilege.
 */
export function requiredColumns(root: ReadNode, primaryKey: string[]): string[] {
  const selected = root.fields.map(({ field }) => field.name)
  const ordered = root.order.flatMap(({ embed, field }) => (embed ? [] : [field.name]))
  if (selected.includes('*')) return ['*']
  const joined: string[] = []
  for (const { attachment } of root.embeds) {
    const { relationship } = attachment!
    // The columns that a computed relationship reads are unknown.
    if (relationship.kind === 'computed') return ['*']
    joined.push(...relationship.columns.map(([ours]) => ours))
  }
  return [...new Set([...selected, ...ordered, ...joined, ...primaryKey])]
}

/**
 * Whether the planner's row estimate can be returned. It is based on statistics of all rows: under row security, the
 * estimate for a filter would reveal how often a value occurs in rows that the caller can't see. Unlike upstream, the
 * rows are then counted.
 */
export function canEstimate(root: ReadNode, cache: SchemaCache): boolean {
  const showsAllRows = ({ schema, name }: QualifiedName): boolean =>
    !cache.tables.get(keyOf(schema, name))?.hidesRows
  const relationship = root.attachment?.relationship
  return (
    (!root.from || showsAllRows(root.from)) &&
    (relationship?.kind !== 'many-to-many' || showsAllRows(relationship.junction)) &&
    root.embeds.every((embed) => canEstimate(embed, cache))
  )
}
