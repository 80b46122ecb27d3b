import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLogger } from '../../logging/logger.ts'
import { supervisePostgres } from './supervisePostgres.ts'
import { createPool } from '../connections/pool.ts'
import { isAlive } from './processIdentity.ts'
import { startPostgres, type Postgres } from './startPostgres.ts'

test('a killed PostgreSQL is restarted at the same socket, until stop is called', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'linnet-test-'))
  const log = createLogger({ format: 'text', minLevel: 'error', write: () => {} })
  const kept = await supervisePostgres(() => startPostgres({ dataDir }), log)
  const pool = createPool(kept.current().config('supabase_admin'), { max: 1, name: 'test' })
  await pool.query('create table kept as select 1 as id')
  const first = kept.current().pid
  const restarted = new Promise<number>((resolve) => kept.onRestarted(resolve))
  process.kill(first, 'SIGKILL')
  const second = await restarted
  expect(second).not.toBe(first)
  expect((await pool.query('select id from kept')).rows).toEqual([{ id: 1 }])
  await pool.end()
  await kept.stop()
  expect(isAlive(second)).toBe(false)
  rmSync(dataDir, { recursive: true })
})

/** Stands in for PostgreSQL: ends by `end`, or when it is stopped. */
function createProcess(pid: number) {
  let end = (): void => {}
  const exited = new Promise<number | null>((resolve) => {
    end = () => resolve(null)
  })
  const stopped = { times: 0 }
  const stop = async (): Promise<void> => {
    stopped.times++
    end()
  }
  return { postgres: { pid, exited, stop } as unknown as Postgres, end, stopped }
}

test('a listener that fails is logged, and the restarted PostgreSQL is not started once more', async () => {
  const lines: string[] = []
  const log = createLogger({ format: 'text', minLevel: 'error', write: (line) => lines.push(line) })
  const processes = [createProcess(1), createProcess(2), createProcess(3)]
  let starts = 0
  const kept = await supervisePostgres(async () => processes[starts++]!.postgres, log)
  const reported = new Promise<void>((resolve) => {
    kept.onRestarted(() => {
      resolve()
      throw new Error('the disk is full')
    })
  })
  processes[0]!.end()
  await reported
  await kept.stop()
  expect(starts).toBe(2)
  expect(kept.current().pid).toBe(2)
  expect(lines.join('\n')).toContain('postgres.restart_listener_failed')
  expect(lines.join('\n')).not.toContain('postgres.start_failed')
})

test('stop waits for a restart in progress and ends that PostgreSQL', async () => {
  const log = createLogger({ format: 'text', minLevel: 'error', write: () => {} })
  const [first, second] = [createProcess(1), createProcess(2)]
  let finishRestart = (): void => {}
  const restarted = new Promise<Postgres>((resolve) => {
    finishRestart = () => resolve(second.postgres)
  })
  let onRestart = (): void => {}
  const restarting = new Promise<void>((resolve) => {
    onRestart = resolve
  })
  const starts = [
    () => Promise.resolve(first.postgres),
    () => {
      onRestart()
      return restarted
    },
  ]
  const kept = await supervisePostgres(() => starts.shift()!(), log)
  first.end()
  await restarting
  const stopped = kept.stop()
  finishRestart()
  await stopped
  expect(second.stopped.times).toBe(1)
})

test('a restart that fails is repeated after longer pauses, and the errors are logged', async () => {
  const entries: Record<string, unknown>[] = []
  const log = createLogger({
    format: 'json',
    minLevel: 'error',
    write: (line) => entries.push(JSON.parse(line) as Record<string, unknown>),
  })
  const processes = [createProcess(1), createProcess(2)]
  let attempts = 0
  const kept = await supervisePostgres(async () => {
    attempts++
    if (attempts === 2 || attempts === 3) throw new Error('The disk is full.')
    return processes[attempts === 1 ? 0 : 1]!.postgres
  }, log)
  const restarted = new Promise<number>((resolve) => kept.onRestarted(resolve))
  processes[0]!.end()
  expect(await restarted).toBe(2)
  expect(entries.filter((entry) => entry['event'] === 'postgres.start_failed')).toEqual([
    expect.objectContaining({ reason: 'The disk is full.', retryMs: 250 }),
    expect.objectContaining({ reason: 'The disk is full.', retryMs: 500 }),
  ])
  await kept.stop()
  expect(processes[1]!.stopped.times).toBeGreaterThan(0)
})
