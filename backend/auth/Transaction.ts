import type pg from 'pg'

/** A database transaction of the auth service. `transact` creates it. */
export interface Transaction {
  query: pg.Client['query']
  /** The connection, for pipelines of several statements. */
  client: pg.Client
  /** Calls `action` after the commit, or never: a mail that was sent before a rollback would link to nothing. */
  afterCommit(action: () => void): void
  runs: TransactionRuns
}

/** State that the runs of one transaction share: it may run several times (see transact). */
export interface TransactionRuns {
  /** Whether it runs on the main pool, whose connections requests without hooks need. */
  isOnMainPool: boolean
  /** Outcomes of external calls between two runs, by key. */
  outcomes: Map<string, { value: unknown } | { error: unknown }>
  /** Values that an earlier run created, by key. */
  made: Map<string, unknown>
}
