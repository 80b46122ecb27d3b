import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { loadConfig } from '../config/loadConfig.ts'
import { startPostgres } from '../postgres/server/startPostgres.ts'
import { readMemorySettings } from './readMemorySettings.ts'

const folders: string[] = []
const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'linnet-memory-'))
  folders.push(folder)
  return folder
}
afterEach(() => vi.unstubAllEnvs())
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

const read = (toml: string): ReturnType<typeof readMemorySettings> => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'config.toml'), `[db.settings]\n${toml}`)
  return readMemorySettings(loadConfig(folder), 0)
}

describe('memory settings of a project', () => {
  it('override those of the machine, also from the environment, and reach PostgreSQL', async () => {
    vi.stubEnv('LINNET_TEST_WORK_MEM', '6MB')
    const memory = read('shared_buffers = "96MB"\nwork_mem = "env(LINNET_TEST_WORK_MEM)"\n')
    expect(memory).toMatchObject({ shared_buffers: '96MB', work_mem: '6MB' })
    const postgres = await startPostgres({ dataDir: temporaryFolder(), memory })
    const client = new Client(postgres.config('postgres'))
    await client.connect()
    const { rows } = await client.query(
      `select name, current_setting(name) as value from pg_settings
       where name in ('shared_buffers', 'work_mem', 'effective_cache_size', 'maintenance_work_mem') order by name`,
    )
    await client.end()
    await postgres.stop()
    expect(rows.map(({ name }) => name)).toEqual([
      'effective_cache_size',
      'maintenance_work_mem',
      'shared_buffers',
      'work_mem',
    ])
    expect(rows).toContainEqual({ name: 'shared_buffers', value: '96MB' })
    expect(rows).toContainEqual({ name: 'work_mem', value: '6MB' })
  })

  it('refuse a value that would prevent PostgreSQL from starting', () => {
    expect(() => read('shared_buffers = "lots"')).toThrow(
      /db\.settings\.shared_buffers must be a size such as "\d+MB", not "lots"/,
    )
    expect(() => read('work_mem = "4MB\\nfsync = off"')).toThrow(/must be a size/)
  })
})
