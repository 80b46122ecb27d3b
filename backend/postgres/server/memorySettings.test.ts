import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { databaseBytes } from './databaseBytes.ts'
import { availableMemory, chooseMemorySettings } from './memorySettings.ts'

const mebibyte = 1024 ** 2
const gibibyte = 1024 ** 3

describe('memory settings', () => {
  it('uses an eighth of a small machine and 256 MB of a large one for shared buffers of a small database', () => {
    expect(chooseMemorySettings(gibibyte / 4, 0).shared_buffers).toBe('64MB')
    expect(chooseMemorySettings(gibibyte, 0)).toEqual({
      shared_buffers: '128MB',
      effective_cache_size: '512MB',
      work_mem: '4MB',
      maintenance_work_mem: '32MB',
    })
    expect(chooseMemorySettings(64 * gibibyte, 100 * mebibyte).shared_buffers).toBe('256MB')
  })

  it('uses shared buffers for the whole database, up to an eighth of memory and 2 GB', () => {
    const buffers = (memory: number, database: number): string =>
      chooseMemorySettings(memory, database).shared_buffers
    expect(buffers(24 * gibibyte, 1.5 * gibibyte)).toBe('1536MB')
    expect(buffers(4 * gibibyte, 3 * gibibyte)).toBe('512MB')
    expect(buffers(64 * gibibyte, 100 * gibibyte)).toBe('2048MB')
  })

  it('counts the files of the databases, and none of a new folder', () => {
    const dir = mkdtempSync(join(tmpdir(), 'linnet-size-'))
    expect(databaseBytes(dir)).toBe(0)
    mkdirSync(join(dir, 'postgres/base/5'), { recursive: true })
    for (const file of ['1', '2']) writeFileSync(join(dir, 'postgres/base/5', file), Buffer.alloc(8_192))
    expect(databaseBytes(dir)).toBe(16_384)
    rmSync(dir, { recursive: true })
  })

  it('never counts more memory than the machine has', () => {
    expect(availableMemory()).toBeGreaterThan(0)
    expect(availableMemory()).toBeLessThanOrEqual(totalmem())
  })
})
