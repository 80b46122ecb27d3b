import type pg from 'pg'
import type { Caller } from '../../../wire/claims.ts'
import type { Logger } from '../../logging/logger.ts'
import type { Pool } from '../../postgres/connections/pool.ts'
import type { Channel } from '../sockets/channel.ts'
import { areVisible } from './areVisible.ts'
import { FilterQuestions } from './FilterQuestions.ts'
import type { LoggedChange } from './loggedChange.ts'
import { renderChange, renderChangeError, type Audience } from './renderChange.ts'
import { RenderedValues } from './RenderedValues.ts'
import type { Row, Subscription, Subscriptions } from './Subscriptions.ts'
import { readTableFacts, type TableFacts } from './tableFacts.ts'
import { testFilter, type CheckedFilter } from './testFilter.ts'
import type { ValueType, ValueTypes } from './ValueTypes.ts'
import { askVisibleRows, type Look } from './visibleRows.ts'

/** `data` as JSON text, for the subscriptions with these ids of each channel. */
export interface Told {
  data: string
  to: Map<Channel, number[]>
}

export interface Evaluation {
  /** In the order of the changes. */
  told: Told[]
  /** Those with a filter that the database could not answer. */
  failed: Map<Channel, Error>
}

export interface EvaluationDeps {
  /** Of supabase_realtime_admin, who may become any API role. */
  pool: Pool
  types: ValueTypes
  subscriptions: Subscriptions
  log: Logger
}

/** A change, and its number in the log. */
export interface NumberedChange {
  change: LoggedChange
  number: number
}

/** A commit that is not seen for so long waits for another server, as it may be told to. */
const longestCommitMs = 5_000

/** A caller, and what tells him from others. Kept for the batch: a token that is renewed meanwhile counts from the next. */
interface Asking {
  caller: Caller
  key: string
}

interface Concerned {
  change: LoggedChange
  row: Row
  subscriptions: Subscription[]
}

/**
 * Decides who is told what of a batch of changes, in a few round trips whatever its size: what the tables are
 * now and what each role may read of them, and for tables with row security which of the changed rows each
 * distinct caller sees, asked once however many sockets he has. Rejects where the database can't be asked.
 */
export async function evaluateChanges(deps: EvaluationDeps, batch: NumberedChange[]): Promise<Evaluation> {
  const concerned = batch
    .map(({ change, number }) => findConcerned(deps.subscriptions, change, number))
    .filter(({ subscriptions }) => subscriptions.length > 0)
  const evaluation: Evaluation = { told: [], failed: new Map() }
  if (concerned.length === 0) return evaluation
  const asking = new Map(channelsOf(concerned).map((channel) => [channel, askingOf(channel)]))
  return deps.pool.withClient(async (client) => {
    await untilVisible(client, new Set(concerned.map(({ change }) => change.transaction)))
    const [facts] = await Promise.all([
      readTableFacts(client, idsOf(concerned), rolesOf(asking)),
      deps.types.learn(
        client,
        concerned.flatMap(({ change }) => change.relation.columns.map(({ typeId }) => typeId)),
      ),
    ])
    const values = await renderAndFilter(deps, client, { concerned, asking, facts, evaluation })
    const seen = await look(deps, client, { concerned, asking, facts })
    for (const [index, one] of concerned.entries()) {
      const table = facts.get(one.change.relation.id)
      // A table that is gone has no columns that anybody may read.
      if (table) evaluation.told.push(...tell(deps, one, { index, table, asking, values, seen }))
    }
    return evaluation
  })
}

async function untilVisible(client: pg.ClientBase, transactions: Set<number>): Promise<void> {
  const until = performance.now() + longestCommitMs
  while (!(await areVisible(client, transactions)) && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

function findConcerned(subscriptions: Subscriptions, change: LoggedChange, number: number): Concerned {
  const row = (change.row ?? change.old)!
  const found = [...subscriptions.find(change.relation, change.event, row)].filter(
    ({ channel, from }) => from <= number && channel.joined && channel.expiresAt > Date.now(),
  )
  return { change, row, subscriptions: found }
}

function idsOf(concerned: Concerned[]): number[] {
  return [...new Set(concerned.map(({ change }) => change.relation.id))]
}

function channelsOf(concerned: Concerned[]): Channel[] {
  return concerned.flatMap((one) => one.subscriptions.map(({ channel }) => channel))
}

const keys = new WeakMap<Caller, string>()

function askingOf({ caller }: Channel): Asking {
  const key = keys.get(caller) ?? `${caller.role} ${caller.claimsJson}`
  keys.set(caller, key)
  return { caller, key }
}

function rolesOf(asking: Map<Channel, Asking>): string[] {
  return [...new Set([...asking.values()].map(({ caller }) => caller.role))]
}

interface Batch {
  concerned: Concerned[]
  asking: Map<Channel, Asking>
  facts: Map<number, TableFacts>
}

/** Drops subscriptions whose filters say no, and asks for what only the database can render. */
async function renderAndFilter(
  { types }: EvaluationDeps,
  client: pg.ClientBase,
  { concerned, asking, facts, evaluation }: Batch & { evaluation: Evaluation },
): Promise<RenderedValues> {
  const questions = new FilterQuestions()
  const values = new RenderedValues()
  const asked = (one: Concerned, filter: CheckedFilter): { type: ValueType; value: string } | boolean => {
    const place = one.change.relation.columns.findIndex(({ name }) => name === filter.column)
    const column = one.change.relation.columns[place]
    const value = one.row[place]
    const result = column ? testFilter(filter, column.typeId, value) : false
    if (result !== 'ask') return result
    const type = types.get(column!.typeId)
    return type && typeof value === 'string' ? { type, value } : false
  }
  for (const one of concerned) {
    const table = facts.get(one.change.relation.id)
    const readers = new Map(table?.columns.map(({ name, readers }) => [name, readers]))
    one.subscriptions = one.subscriptions.filter(({ channel, filters }) =>
      (filters.get(one.change.relation.id) ?? []).every((filter) => {
        // A right that has ended must not be asked for through a filter.
        if (!readers.get(filter.column)?.has(asking.get(channel)!.caller.role)) return false
        const question = asked(one, filter)
        if (typeof question === 'boolean') return question
        questions.add(filter, question.type, question.value)
        return true
      }),
    )
    if (one.subscriptions.length === 0) continue
    one.change.relation.columns.forEach(({ typeId }, place) => {
      const type = types.get(typeId)
      for (const row of [one.change.row, one.change.old]) {
        const text = row?.[place]
        if (type && typeof text === 'string') values.add(type, text)
      }
    })
  }
  await Promise.all([questions.ask(client), values.ask(client)])
  for (const one of concerned) {
    one.subscriptions = one.subscriptions.filter(({ channel, filters }) =>
      (filters.get(one.change.relation.id) ?? []).every((filter) => {
        const question = asked(one, filter)
        if (typeof question === 'boolean') return question
        const failure = questions.failure(filter, question.type)
        if (failure) evaluation.failed.set(channel, failure)
        return questions.answer(filter, question.type, question.value)
      }),
    )
  }
  return values
}

/** For each distinct caller, which of the changes he may be told of, by their index. */
type Sights = Map<string, Set<number>>

async function look(
  { log }: EvaluationDeps,
  client: pg.ClientBase,
  { concerned, asking, facts }: Batch,
): Promise<Sights> {
  const looks = new Map<string, { who: string; look: Look }>()
  concerned.forEach(({ change, subscriptions }, index) => {
    const table = facts.get(change.relation.id)
    if (!table?.hasRowSecurity || !change.row) return
    const key = keyOf(change, table)
    if (!key) return
    const callers = new Map(
      subscriptions.map(({ channel }) => {
        const { caller, key } = asking.get(channel)!
        return [key, caller]
      }),
    )
    for (const [who, caller] of callers) {
      const id = `${change.relation.id} ${who}`
      const known = looks.get(id) ?? { who, look: { caller, table, rows: [] } }
      known.look.rows.push({ index, key })
      looks.set(id, known)
    }
  })
  const sights: Sights = new Map()
  if (looks.size === 0) return sights
  const asked = new Map([...looks.values()].map(({ who, look }) => [look, who]))
  for (const { look, seen, error } of await askVisibleRows(client, [...asked.keys()])) {
    if (error) log.warn('realtime policy error', { table: look.table.sqlName, reason: error.message })
    const who = asked.get(look)!
    sights.set(who, new Set([...(sights.get(who) ?? []), ...seen]))
  }
  return sights
}

/** The values of the primary key; null where the log does not tell them. */
function keyOf(change: LoggedChange, table: TableFacts): string[] | null {
  const key = [...table.keys.keys()].map(
    (name) => change.row?.[change.relation.columns.findIndex((column) => column.name === name)],
  )
  return key.length > 0 && key.every((value) => typeof value === 'string') ? key : null
}

function tell(
  { types }: EvaluationDeps,
  { change, subscriptions }: Concerned,
  o: { index: number; table: TableFacts; asking: Map<Channel, Asking>; values: RenderedValues; seen: Sights },
): Told[] {
  const { index, table, asking, values, seen } = o
  const rendered = new Map<string, string>()
  const value = (place: number, text: string | null): string => {
    const key = `${place} ${text ?? ''}`
    if (text === null) return 'null'
    const known = rendered.get(key)
    if (known !== undefined) return known
    const json = values.render(types.get(change.relation.columns[place]!.typeId), text)
    rendered.set(key, json)
    return json
  }
  const told = new Map<string, Told>()
  for (const { channel, id, request } of subscriptions) {
    const who = asking.get(channel)!
    const audience: Audience = { role: who.caller.role, select: request.select }
    const error = change.row ? objection(change, table, audience.role) : null
    if (!error && table.hasRowSecurity && change.row && !seen.get(who.key)?.has(index)) continue
    const key = JSON.stringify([audience.role, audience.select?.toSorted() ?? null])
    const known = told.get(key) ?? {
      data: error ? renderChangeError(change, error) : renderChange(change, table, audience, value),
      to: new Map<Channel, number[]>(),
    }
    told.set(key, known)
    const ids = known.to.get(channel)
    if (ids) ids.push(id)
    else known.to.set(channel, [id])
  }
  return [...told.values()]
}

/** Why a role can't be told of a row: nobody could ask whether it is seen. */
function objection(change: LoggedChange, table: TableFacts, role: string): string | null {
  if (!keyOf(change, table)) return 'Error 400: Bad Request, no primary key'
  const readable = table.columns.every(({ name, readers }) => !table.keys.has(name) || readers.has(role))
  return readable ? null : 'Error 401: Unauthorized'
}
