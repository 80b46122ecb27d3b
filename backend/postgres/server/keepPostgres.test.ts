import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLog } from '../../log/log.ts'
import { keepPostgres } from './keepPostgres.ts'
import { createPool } from '../connections/pool.ts'
import { isAlive } from './processIdentity.ts'
import { startPostgres } from './startPostgres.ts'

test('a killed PostgreSQL is started again where the pools find it, until it is asked to stop', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'linnet-test-'))
  const log = createLog({ format: 'text', least: 'error', write: () => {} })
  const kept = await keepPostgres(() => startPostgres({ dataDir }), log)
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
