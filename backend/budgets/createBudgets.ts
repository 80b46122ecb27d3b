import type { BudgetSettings } from './budgetSettings.ts'
import { createBudget, type Budget } from './createBudget.ts'
import { createFairScheduler, type FairScheduler } from './createFairScheduler.ts'

/** What all callers of a server share, beside the connections to PostgreSQL, which the pool divides. */
export interface Budgets {
  settings: BudgetSettings
  /** All that is buffered for a caller: request bodies, responses, messages of sockets. */
  bytes: Budget
  /** Requests in progress. */
  requests: Budget
  /** Time of the event loop, for requests and frames of sockets. */
  scheduler: FairScheduler
}

/** Bytes that a caller who holds none may take while so many are free: an ordinary request. */
const smallRequest = 65_536

export function createBudgets(settings: BudgetSettings): Budgets {
  return {
    settings,
    bytes: createBudget({ capacity: settings.maxBufferedBytes, minimum: smallRequest }),
    requests: createBudget({ capacity: settings.maxRequests, maxPerCaller: settings.maxRequestsPerCaller }),
    scheduler: createFairScheduler(),
  }
}
