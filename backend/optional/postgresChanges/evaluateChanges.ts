import type pg from 'pg'
import type { Caller } from '../../../wire/claims.ts'
import type { Logger } from '../../logging/logger.ts'
import type { Pool } from '../../postgres/connections/pool.ts'
import type { Channel } from '../../realtime/sockets/channel.ts'
import { DatabaseComparisons } from './DatabaseComparisons.ts'
import type { WalChange } from './walChange.ts'
import { renderChange, renderChangeError, type Audience } from './renderChange.ts'
import { RenderedValues } from './RenderedValues.ts'
import type { Row, Subscription, Subscriptions } from './Subscriptions.ts'
import { readTableInfo, type TableInfo } from './tableInfo.ts'
import { testFilter, type CheckedFilter } from './testFilter.ts'
import type { ValueType, ValueTypes } from './ValueTypes.ts'
import { findVisibleRows, type RlsCheck } from './visibleRows.ts'

/** `data` as JSON text, for the subscriptions with these ids of each channel. */
export interface Delivery {
  data: string
  to: Map<Channel, number[]>
}

export interface Evaluation {
  /** In the order of the changes. */
  deliveries: Delivery[]
  /** Channels with a filter that the database could not evaluate. */
  failed: Map<Channel, Error>
}

export interface EvaluationDeps {
  /** Of supabase_realtime_admin, which may set any API role. */
  pool: Pool
  types: ValueTypes
  subscriptions: Subscriptions
  log: Logger
}

/** A change, and its sequence number. */
export interface NumberedChange {
  change: WalChange
  number: number
}

/** A caller and its key, fixed for the batch: a token that is renewed meanwhile counts from the next batch on. */
interface Principal {
  caller: Caller
  key: string
}

interface AffectedChange {
  change: WalChange
  row: Row
  subscriptions: Subscription[]
}

/**
 * Decides which channels receive what of a batch of changes, in a few round trips whatever its size: the current tables
 * and the columns that each role may read, and for tables with row security which of the changed rows each distinct
 * caller can select, checked once however many sockets it has. Rejects if the database is unavailable.
 */
export async function evaluateChanges(deps: EvaluationDeps, batch: NumberedChange[]): Promise<Evaluation> {
  const affected = batch
    .map(({ change, number }) => findAffected(deps.subscriptions, change, number))
    .filter(({ subscriptions }) => subscriptions.length > 0)
  const evaluation: Evaluation = { deliveries: [], failed: new Map() }
  if (affected.length === 0) return evaluation
  const principals = new Map(channelsOf(affected).map((channel) => [channel, principalOf(channel)]))
  return deps.pool.withClient(async (client) => {
    const [tables] = await Promise.all([
      readTableInfo(client, idsOf(affected), rolesOf(principals)),
      deps.types.load(
        client,
        affected.flatMap(({ change }) => change.relation.columns.map(({ typeId }) => typeId)),
      ),
    ])
    const values = await renderAndFilter(deps, client, { affected, principals, tables, evaluation })
    const visible = await checkVisibility(deps, client, { affected, principals, tables })
    for (const [index, one] of affected.entries()) {
      const table = tables.get(one.change.relation.id)
      // A dropped table has no readable columns.
      if (table)
        evaluation.deliveries.push(
          ...createDeliveries(deps, one, { index, table, principals, values, visible }),
        )
    }
    return evaluation
  })
}

function findAffected(subscriptions: Subscriptions, change: WalChange, number: number): AffectedChange {
  const row = (change.row ?? change.old)!
  const found = [...subscriptions.find(change.relation, change.event, row)].filter(
    ({ channel, from }) => from <= number && channel.joined && channel.expiresAt > Date.now(),
  )
  return { change, row, subscriptions: found }
}

function idsOf(affected: AffectedChange[]): number[] {
  return [...new Set(affected.map(({ change }) => change.relation.id))]
}

function channelsOf(affected: AffectedChange[]): Channel[] {
  return affected.flatMap((one) => one.subscriptions.map(({ channel }) => channel))
}

const keys = new WeakMap<Caller, string>()

function principalOf({ caller }: Channel): Principal {
  const key = keys.get(caller) ?? `${caller.role} ${caller.claimsJson}`
  keys.set(caller, key)
  return { caller, key }
}

function rolesOf(principals: Map<Channel, Principal>): string[] {
  return [...new Set([...principals.values()].map(({ caller }) => caller.role))]
}

interface Batch {
  affected: AffectedChange[]
  principals: Map<Channel, Principal>
  tables: Map<number, TableInfo>
}

/** Removes subscriptions whose filters do not match, and loads values that only the database can render. */
async function renderAndFilter(
  { types }: EvaluationDeps,
  client: pg.ClientBase,
  { affected, principals, tables, evaluation }: Batch & { evaluation: Evaluation },
): Promise<RenderedValues> {
  const comparisons = new DatabaseComparisons()
  const values = new RenderedValues()
  const comparisonOf = (
    one: AffectedChange,
    filter: CheckedFilter,
  ): { type: ValueType; value: string } | boolean => {
    const index = one.change.relation.columns.findIndex(({ name }) => name === filter.column)
    const column = one.change.relation.columns[index]
    const value = one.row[index]
    const result = column ? testFilter(filter, column.typeId, value) : false
    if (result !== 'database') return result
    const type = types.get(column!.typeId)
    return type && typeof value === 'string' ? { type, value } : false
  }
  for (const one of affected) {
    const table = tables.get(one.change.relation.id)
    const readers = new Map(table?.columns.map(({ name, readers }) => [name, readers]))
    one.subscriptions = one.subscriptions.filter(({ channel, filters }) =>
      (filters.get(one.change.relation.id) ?? []).every((filter) => {
        // A revoked column must not be readable through a filter.
        if (!readers.get(filter.column)?.has(principals.get(channel)!.caller.role)) return false
        const comparison = comparisonOf(one, filter)
        if (typeof comparison === 'boolean') return comparison
        comparisons.add(filter, comparison.type, comparison.value)
        return true
      }),
    )
    if (one.subscriptions.length === 0) continue
    one.change.relation.columns.forEach(({ typeId }, index) => {
      const type = types.get(typeId)
      for (const row of [one.change.row, one.change.old]) {
        const text = row?.[index]
        if (type && typeof text === 'string') values.add(type, text)
      }
    })
  }
  await Promise.all([comparisons.run(client), values.load(client)])
  for (const one of affected) {
    one.subscriptions = one.subscriptions.filter(({ channel, filters }) =>
      (filters.get(one.change.relation.id) ?? []).every((filter) => {
        const comparison = comparisonOf(one, filter)
        if (typeof comparison === 'boolean') return comparison
        const error = comparisons.error(filter, comparison.type)
        if (error) evaluation.failed.set(channel, error)
        return comparisons.result(filter, comparison.type, comparison.value)
      }),
    )
  }
  return values
}

/** The changes that each distinct caller can select, by index. */
type VisibleChanges = Map<string, Set<number>>

async function checkVisibility(
  { log }: EvaluationDeps,
  client: pg.ClientBase,
  { affected, principals, tables }: Batch,
): Promise<VisibleChanges> {
  const checks = new Map<string, { principalKey: string; check: RlsCheck }>()
  affected.forEach(({ change, subscriptions }, index) => {
    const table = tables.get(change.relation.id)
    if (!table?.hasRowSecurity || !change.row) return
    const key = keyOf(change, table)
    if (!key) return
    const callers = new Map(
      subscriptions.map(({ channel }) => {
        const { caller, key } = principals.get(channel)!
        return [key, caller]
      }),
    )
    for (const [principalKey, caller] of callers) {
      const id = `${change.relation.id} ${principalKey}`
      const entry = checks.get(id) ?? { principalKey, check: { caller, table, rows: [] } }
      entry.check.rows.push({ index, key })
      checks.set(id, entry)
    }
  })
  const visibleChanges: VisibleChanges = new Map()
  if (checks.size === 0) return visibleChanges
  const keysByCheck = new Map([...checks.values()].map(({ principalKey, check }) => [check, principalKey]))
  for (const { check, visible, error } of await findVisibleRows(client, [...keysByCheck.keys()])) {
    if (error)
      log.warn('realtime.changes_policy_failed', { table: check.table.sqlName, reason: error.message })
    const principalKey = keysByCheck.get(check)!
    visibleChanges.set(principalKey, new Set([...(visibleChanges.get(principalKey) ?? []), ...visible]))
  }
  return visibleChanges
}

/** The values of the primary key; null if the WAL does not contain them. */
function keyOf(change: WalChange, table: TableInfo): string[] | null {
  const key = [...table.keys.keys()].map(
    (name) => change.row?.[change.relation.columns.findIndex((column) => column.name === name)],
  )
  return key.length > 0 && key.every((value) => typeof value === 'string') ? key : null
}

function createDeliveries(
  { types }: EvaluationDeps,
  { change, subscriptions }: AffectedChange,
  o: {
    index: number
    table: TableInfo
    principals: Map<Channel, Principal>
    values: RenderedValues
    visible: VisibleChanges
  },
): Delivery[] {
  const { index, table, principals, values, visible } = o
  const rendered = new Map<string, string>()
  const value = (column: number, text: string | null): string => {
    const key = `${column} ${text ?? ''}`
    if (text === null) return 'null'
    const known = rendered.get(key)
    if (known !== undefined) return known
    const json = values.render(types.get(change.relation.columns[column]!.typeId), text)
    rendered.set(key, json)
    return json
  }
  const deliveries = new Map<string, Delivery>()
  for (const { channel, id, request } of subscriptions) {
    const principal = principals.get(channel)!
    const audience: Audience = { role: principal.caller.role, select: request.select }
    const error = change.row ? refusalOf(change, table, audience.role) : null
    if (!error && table.hasRowSecurity && change.row && !visible.get(principal.key)?.has(index)) continue
    const key = JSON.stringify([audience.role, audience.select?.toSorted() ?? null])
    const known = deliveries.get(key) ?? {
      data: error ? renderChangeError(change, error) : renderChange(change, table, audience, value),
      to: new Map<Channel, number[]>(),
    }
    deliveries.set(key, known)
    const ids = known.to.get(channel)
    if (ids) ids.push(id)
    else known.to.set(channel, [id])
  }
  return [...deliveries.values()]
}

/** Why a change cannot be sent to a role: without a readable key its visibility cannot be checked. */
function refusalOf(change: WalChange, table: TableInfo, role: string): string | null {
  if (!keyOf(change, table)) return 'Error 400: Bad Request, no primary key'
  const readable = table.columns.every(({ name, readers }) => !table.keys.has(name) || readers.has(role))
  return readable ? null : 'Error 401: Unauthorized'
}
