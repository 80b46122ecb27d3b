import { totalmem } from 'node:os'
import { describe, expect, it } from 'vitest'
import { availableMemory, chooseMemorySettings } from './memorySettings.ts'

const gibibyte = 1024 ** 3

describe('memory settings', () => {
  it('uses an eighth of a small machine and 256 MB of a large one for shared buffers', () => {
    expect(chooseMemorySettings(gibibyte / 4).shared_buffers).toBe('64MB')
    expect(chooseMemorySettings(gibibyte)).toEqual({
      shared_buffers: '128MB',
      effective_cache_size: '512MB',
      work_mem: '4MB',
      maintenance_work_mem: '32MB',
    })
    expect(chooseMemorySettings(64 * gibibyte).shared_buffers).toBe('256MB')
  })

  it('never counts more memory than the machine has', () => {
    expect(availableMemory()).toBeGreaterThan(0)
    expect(availableMemory()).toBeLessThanOrEqual(totalmem())
  })
})
