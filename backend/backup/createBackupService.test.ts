import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createLogger } from '../logging/logger.ts'
import { temporaryPostgres, type TemporaryPostgres } from '../postgres/server/temporaryPostgres.ts'
import { createBackupService, type BackupService } from './createBackupService.ts'
import { readBackupState, writeBackupState } from './state.ts'

let postgres: TemporaryPostgres

beforeAll(async () => {
  postgres = await temporaryPostgres()
})
afterAll(() => postgres.stop())

const waitOptions = { timeout: 240_000 }

function startService(o: { pointInTime: boolean; isPaused: () => boolean; backup: string }): BackupService {
  return createBackupService({
    settings: {
      isEnabled: true,
      to: join(postgres.dataDir, 'repository'),
      atMinute: 180,
      retention: { days: 7, weeks: 4, months: 6 },
      pointInTime: o.pointInTime,
      maxWalBytes: 2 ** 30,
      command: null,
      publicKey: null,
      passphrase: null,
      reserveBytes: 0,
    },
    dataDir: postgres.dataDir,
    installation: 'abcd1234',
    commands: { backup: ['/bin/sh', '-c', o.backup], verify: ['/bin/false'] },
    database: postgres.config('postgres'),
    isPaused: o.isPaused,
    log: createLogger({ format: 'text', minLevel: 'error', write: () => {} }),
  })
}

const slots = async (): Promise<unknown[]> =>
  (await postgres.pool('postgres').query(`select 1 from pg_replication_slots`)).rows

it('a restored copy neither backs itself up nor archives its log until it is resumed, and then does both at once', async () => {
  let checks = 0
  let isPaused = true
  const made = join(postgres.dataDir, 'made')
  const service = startService({
    pointInTime: true,
    isPaused: () => {
      checks++
      return isPaused
    },
    backup: `touch ${made}`,
  })
  await vi.waitUntil(() => checks > 2, waitOptions)
  expect({ made: existsSync(made), slots: await slots() }).toEqual({ made: false, slots: [] })
  expect(existsSync(join(postgres.dataDir, 'repository'))).toBe(false)
  isPaused = false
  await vi.waitUntil(() => existsSync(made), waitOptions)
  await vi.waitUntil(() => readBackupState(postgres.dataDir).wal?.isRunning === true, waitOptions)
  await service.close()
  expect(await slots()).toHaveLength(1)
})

it('PostgreSQL stops retaining its log once the archive is turned off', async () => {
  expect(await slots()).toHaveLength(1)
  const service = startService({ pointInTime: false, isPaused: () => false, backup: 'true' })
  await vi.waitUntil(async () => (await slots()).length === 0, waitOptions)
  await service.close()
  rmSync(join(postgres.dataDir, 'repository'), { recursive: true })
})

it('a restored copy without an archive backs itself up once it is resumed, although its original has a recent backup', async () => {
  await writeBackupState(postgres.dataDir, 'backup', {
    id: '2026-01-01T03-00-00Z',
    at: new Date().toISOString(),
    dir: join(postgres.dataDir, 'repository'),
    durationMs: 1,
    addedBytes: 1,
    isOnSameDisk: true,
    keyStorage: 'plain',
    hasRecoverySheet: true,
    commandFailure: null,
  })
  let isPaused = true
  const made = join(postgres.dataDir, 'made-again')
  const service = startService({ pointInTime: false, isPaused: () => isPaused, backup: `touch ${made}` })
  isPaused = false
  await vi.waitUntil(() => existsSync(made), waitOptions)
  expect(readBackupState(postgres.dataDir).backup).not.toBeNull()
  await service.close()
})

it('a requested backup runs once at a time, and its end is recorded also if the process was killed', async () => {
  const runs = join(postgres.dataDir, 'runs')
  const end = join(postgres.dataDir, 'end')
  const service = startService({
    pointInTime: false,
    isPaused: () => false,
    backup: `echo run >> ${runs}; until [ -e ${end} ]; do sleep 0.05; done; kill -9 $$`,
  })
  expect(service.read()).toMatchObject({ failure: null, isRunning: false })
  service.request()
  service.request()
  await vi.waitUntil(() => existsSync(runs), waitOptions)
  service.request()
  expect(service.read().isRunning).toBe(true)
  writeFileSync(end, '')
  await vi.waitUntil(() => !service.read().isRunning, waitOptions)
  expect(readFileSync(runs, 'utf8')).toBe('run\n')
  expect(service.read().failure?.reason).toBe('The backup ended unexpectedly.')
  await service.close()
})
