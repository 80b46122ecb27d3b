import type { Plan } from './plan/plan.ts'
import type { RequestSql } from './sql/requestSql.ts'

/** A plan with its SQL, ready for any request of its shape. */
export interface PreparedPlan {
  plan: Plan
  sql: RequestSql
  uses: number
  /** Statement names by role: policies differ by role, and so do PostgreSQL's plans. */
  names: Map<string, string>
}

const MAX_PLANS = 500
const MAX_SHAPE_LENGTH = 4_096
/** Characters of SQL: a plan is several times as large, and a short `select` can result in long SQL. */
const MAX_TOTAL_SQL_LENGTH = 2 * 1024 * 1024

let generations = 0

/**
 * An LRU cache of plans by the shape of a request. A shape contains no values, so requests that differ only in values
 * share one plan. Limited in number, length of keys and total length of SQL.
 */
export class PlanCache {
  readonly #plans = new Map<string, PreparedPlan>()
  readonly #generation = ++generations
  #totalSqlLength = 0

  get(shape: string): PreparedPlan | undefined {
    const prepared = this.#plans.get(shape)
    if (!prepared) return undefined
    this.#plans.delete(shape)
    this.#plans.set(shape, prepared)
    return prepared
  }

  set(shape: string, prepared: PreparedPlan): void {
    if (shape.length > MAX_SHAPE_LENGTH) return
    this.#drop(shape)
    this.#plans.set(shape, prepared)
    this.#totalSqlLength += prepared.sql.main.text.length
    while (this.#plans.size > MAX_PLANS || this.#totalSqlLength > MAX_TOTAL_SQL_LENGTH) {
      this.#drop(this.#plans.keys().next().value!)
    }
  }

  #drop(shape: string): void {
    const prepared = this.#plans.get(shape)
    if (!prepared) return
    this.#plans.delete(shape)
    this.#totalSqlLength -= prepared.sql.main.text.length
  }

  /**
   * The name of the prepared statement; undefined at the first use, as each connection keeps only a few and many shapes
   * occur once. A reload of the schema creates new names: the parameter types of a prepared statement do not change when
   * the type of their column does.
   */
  statementName(prepared: PreparedPlan, role: string): string | undefined {
    if (prepared.uses++ === 0) return undefined
    let name = prepared.names.get(role)
    if (name === undefined) {
      name = `${this.#generation}\n${role}\n${prepared.sql.main.text}`
      prepared.names.set(role, name)
    }
    return name
  }
}
