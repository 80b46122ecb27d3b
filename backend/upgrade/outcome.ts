import { join } from 'node:path'
import { readJson, replaceFileSync } from '../runtime/durableFiles.ts'
import { releasesDir } from './installedReleases.ts'

/** How the last switch to another version ended. */
export interface SwitchOutcome {
  release: string
  /** `restored`: the old version runs on the data as they were. `failed`: the new version is selected, but has ended. */
  result: 'switched' | 'restored' | 'failed'
  /** Why it was not switched; empty otherwise. */
  reason: string
  /** Milliseconds between the last request that the old version accepted and the first of the new version. */
  withoutServiceMs: number
  /** ISO 8601. */
  endedAt: string
}

const outcomeFile = (dataDir: string): string => join(releasesDir(dataDir), 'outcome.json')

/** The outcome of the last switch on a data folder; null if there was none. */
export const readOutcome = (dataDir: string): SwitchOutcome | null => readJson(outcomeFile(dataDir))

/** Records the outcome of a switch. */
export function recordOutcome(dataDir: string, outcome: Omit<SwitchOutcome, 'endedAt'>): void {
  const text = JSON.stringify({ ...outcome, endedAt: new Date().toISOString() } satisfies SwitchOutcome)
  replaceFileSync(outcomeFile(dataDir), `${text}\n`)
}
