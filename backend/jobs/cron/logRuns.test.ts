import { expect, it } from 'vitest'
import { createLogger } from '../../logging/logger.ts'
import { createRunLogger } from './logRuns.ts'

it('logs the 1st, 10th, 100th … failure in a row and the next success, for each job separately', () => {
  const lines: string[] = []
  const log = createLogger({ format: 'json', minLevel: 'info', write: (line) => lines.push(line) })
  const logRun = createRunLogger(log)
  const run = (jobId: string, succeeded: boolean, delayMs = 0): void =>
    logRun({ jobId, runId: '7', succeeded, due: 0, delayMs })
  const takeLines = (): unknown[] =>
    lines.splice(0).map((line) => {
      const { event, job, failures, lateSeconds } = JSON.parse(line) as Record<string, unknown>
      return [event, job, failures, lateSeconds]
    })
  run('1', true)
  expect(takeLines()).toEqual([])
  for (let i = 0; i < 99; i++) run('1', false)
  run('2', false)
  expect(takeLines()).toEqual([
    ['cron.run_failed', '1', undefined, undefined],
    ['cron.run_failed', '1', 10, undefined],
    ['cron.run_failed', '2', undefined, undefined],
  ])
  run('1', true)
  run('1', true, 61_000)
  run('1', false, 61_000)
  expect(takeLines()).toEqual([
    ['cron.job_recovered', '1', 99, undefined],
    ['cron.run_late', '1', undefined, 61],
    ['cron.run_failed', '1', undefined, 61],
  ])
})
