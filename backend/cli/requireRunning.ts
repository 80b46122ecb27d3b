import { readRunning, type Running } from '../startup/running.ts'
import { UsageError } from './UsageError.ts'

/** The house that runs on these data. Throws UsageError where none does. */
export function requireRunning(dataDir: string): Running {
  const running = readRunning(dataDir)
  if (running === null) throw new UsageError(`Nothing runs on ${dataDir}. Start it first, or say --data.`)
  return running
}
