import type { Plan } from './plan/plan.ts'
import type { RequestSql } from './sql/requestSql.ts'

/** A plan with its SQL, ready for any request of its shape. */
export interface PreparedPlan {
  plan: Plan
  sql: RequestSql
  uses: number
  /** The statement's name by role: policies differ by role, and so do the plans of the server. */
  names: Map<string, string>
}

const MOST_PLANS = 500
const LONGEST_SHAPE = 4_096
/** Characters of SQL: a plan is several times as large, and few characters of `select` ask for many of SQL. */
const MOST_TEXT = 2 * 1024 * 1024

let generations = 0

/**
 * The plans of the shapes that were asked for last. A shape leaves out values, so a client's pages, or
 * a thousand people's, share one. Bounded in number, in the length of a key, and in
 * all their SQL.
 */
export class PlanCache {
  readonly #plans = new Map<string, PreparedPlan>()
  readonly #generation = ++generations
  #textKept = 0

  get(shape: string): PreparedPlan | undefined {
    const prepared = this.#plans.get(shape)
    if (!prepared) return undefined
    this.#plans.delete(shape)
    this.#plans.set(shape, prepared)
    return prepared
  }

  set(shape: string, prepared: PreparedPlan): void {
    if (shape.length > LONGEST_SHAPE) return
    this.#drop(shape)
    this.#plans.set(shape, prepared)
    this.#textKept += prepared.sql.main.text.length
    while (this.#plans.size > MOST_PLANS || this.#textKept > MOST_TEXT) {
      this.#drop(this.#plans.keys().next().value!)
    }
  }

  #drop(shape: string): void {
    const prepared = this.#plans.get(shape)
    if (!prepared) return
    this.#plans.delete(shape)
    this.#textKept -= prepared.sql.main.text.length
  }

  /**
   * The name that a statement is prepared under, none at its first use: a shape that comes once isn't
   * worth a place among the few that each connection keeps. No name outlives its schema: the types of a
   * prepared statement's parameters stay what they were, even when their column has another one now.
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
