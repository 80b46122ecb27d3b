import type { BudgetSettings } from './budgetSettings.ts'
import { createBudget, type Budget } from './createBudget.ts'
import { createFairScheduler, type FairScheduler } from './createFairScheduler.ts'

/** The resources that all callers of a server share. The pool divides the connections to PostgreSQL. */
export interface Budgets {
  settings: BudgetSettings
  /** The bytes that are buffered for callers: request bodies, responses, messages of sockets. */
  bytes: Budget
  /** The requests in progress. */
  requests: Budget
  /** The time of the event loop, for requests and frames of sockets. */
  scheduler: FairScheduler
}

/** The size of an ordinary request in bytes. A caller without buffered bytes may take as many while they are free. */
const smallRequest = 65_536

/** Creates the budgets of a server from its settings. */
export function createBudgets(settings: BudgetSettings): Budgets {
  return {
    settings,
    bytes: createBudget({ capacity: settings.maxBufferedBytes, minimum: smallRequest }),
    requests: createBudget({ capacity: settings.maxRequests, maxPerCaller: settings.maxRequestsPerCaller }),
    scheduler: createFairScheduler(),
  }
}
