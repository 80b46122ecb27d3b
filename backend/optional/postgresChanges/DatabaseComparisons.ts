import type pg from 'pg'
import { runIsolated } from './runIsolated.ts'
import type { Operator } from './changeRequest.ts'
import type { CheckedFilter } from './testFilter.ts'
import type { ValueType } from './ValueTypes.ts'

const symbols: Partial<Record<Operator, string>> = {
  eq: '=',
  neq: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  like: 'like',
  ilike: 'ilike',
  match: '~',
  imatch: '~*',
  isdistinct: 'is distinct from',
}

const patterns: ReadonlySet<Operator> = new Set(['like', 'ilike', 'match', 'imatch'])
/** Comparisons sent at a time, and the total time for all: slow filters must not delay other changes. */
const batchSize = 10
const maxTotalMs = 3_000

interface Group {
  filter: CheckedFilter
  type: ValueType
  values: Map<string, boolean>
}

/** Comparisons that only the database can make, deduplicated and run together. */
export class DatabaseComparisons {
  readonly #groups = new Map<string, Group>()
  readonly #failed = new Map<string, Error>()

  /** @param type current type of the column */
  add(filter: CheckedFilter, type: ValueType, value: string): void {
    const key = keyOf(filter, type)
    const group = this.#groups.get(key) ?? { filter, type, values: new Map<string, boolean>() }
    group.values.set(value, false)
    this.#groups.set(key, group)
  }

  async run(client: pg.ClientBase): Promise<void> {
    const deadline = performance.now() + maxTotalMs
    const isPattern = ({ filter }: Group): number => (patterns.has(filter.operator) ? 1 : 0)
    // Patterns last, since other comparisons are fast.
    const groups = [...this.#groups].toSorted(([, one], [, other]) => isPattern(one) - isPattern(other))
    for (let at = 0; at < groups.length && performance.now() < deadline; at += batchSize) {
      await this.#runGroups(client, groups.slice(at, at + batchSize))
    }
  }

  async #runGroups(client: pg.ClientBase, groups: [string, Group][]): Promise<void> {
    const results = await runIsolated<boolean | null>(
      client,
      groups.map(([, { filter, type, values }]) => ({
        text: statement(filter, type),
        values: [[...values.keys()], filter.value],
      })),
    )
    groups.forEach(([key, { filter, values }], at) => {
      const result = results[at]!
      if (result instanceof Error) this.#failed.set(key, result)
      else [...values.keys()].forEach((value, index) => values.set(value, passes(filter, result[index])))
    })
  }

  /** Whether the value passes; false if the comparison failed. */
  result(filter: CheckedFilter, type: ValueType, value: string): boolean {
    return this.#groups.get(keyOf(filter, type))?.values.get(value) ?? false
  }

  error(filter: CheckedFilter, type: ValueType): Error | undefined {
    return this.#failed.get(keyOf(filter, type))
  }
}

function keyOf({ operator, negated, value }: CheckedFilter, type: ValueType): string {
  return JSON.stringify([type.sqlName, operator, negated, value])
}

/** As in SQL, NULL does not pass, negated or not. */
function passes(filter: CheckedFilter, result: boolean | null | undefined): boolean {
  return typeof result === 'boolean' && result !== filter.negated
}

function statement({ operator }: CheckedFilter, type: ValueType): string {
  const comparison =
    operator === 'in'
      ? `given.value::${type.sqlName} = any ($2::text::${type.sqlName}[])`
      : `given.value::${type.sqlName} ${symbols[operator]} $2::text::${type.sqlName}`
  return `select array(
    select ${comparison} from unnest($1::text[]) with ordinality given (value, n) order by n) as results`
}
