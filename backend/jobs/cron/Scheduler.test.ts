import { expect, it } from 'vitest'
import { createLogger } from '../../logging/logger.ts'
import type { JobTable, Outcome } from './JobTable.ts'
import { Scheduler } from './Scheduler.ts'

const minute = 60_000

it('records a run that ends while the scheduler takes over again after its connection was lost', async () => {
  let end: (outcome: Outcome) => void = () => {}
  let onEnded: () => void = () => {}
  const scheduler = new Scheduler(
    {
      log: createLogger({ format: 'text', minLevel: 'error', write: () => {} }),
      now: () => Promise.resolve(10 * minute),
      setTimer: () => () => {},
      execute: () => ({ outcome: new Promise((resolve) => (end = resolve)), cancel: () => {} }),
    },
    () => onEnded(),
  )
  const finished: string[] = []
  const table = {
    settings: async () => ({ timezone: 'GMT', launchActive: true, logRun: true, maxRunning: 4 }),
    startedAt: async () => 0,
    failOrphanedRuns: async () => {},
    initializeDueTimes: async () => {},
    loadActive: async () => [{ id: '1', schedule: '* * * * *', doneUntil: 9 * minute }],
    claim: async () => ({ jobId: '1', runId: '7', command: 'select 1' }),
    markFinished: async (runId: string) => void finished.push(runId),
  } as unknown as JobTable
  await scheduler.takeOver(table)
  expect(scheduler.stats().running).toBe(1)
  scheduler.pause()
  const other = {
    ...table,
    failOrphanedRuns: async () => {
      const ended = new Promise<void>((resolve) => (onEnded = resolve))
      end({ succeeded: true, message: 'SELECT 1' })
      await ended
    },
  } as unknown as JobTable
  await scheduler.takeOver(other)
  expect(finished).toEqual(['7'])
})
