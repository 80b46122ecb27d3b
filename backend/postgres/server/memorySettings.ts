import { totalmem } from 'node:os'

/** Settings of PostgreSQL that depend on the memory of the machine, as in `postgresql.conf`, such as `256MB`. */
export interface MemorySettings {
  shared_buffers: string
  effective_cache_size: string
  work_mem: string
  maintenance_work_mem: string
}

const mebibyte = 1024 * 1024

/** Bytes of memory that this process may use: those of its container, else those of the machine. */
export function availableMemory(): number {
  // 0 or more than there is: no limit.
  const limit = process.constrainedMemory?.() ?? 0
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}

/**
 * Settings for a machine that PostgreSQL shares with this server. Pages of shared_buffers take memory once they are
 * used: idle, 256 MB instead of 64 MB took 10 MiB more. More gains little: other pages are in the cache of the operating
 * system, whose size effective_cache_size estimates.
 */
export function chooseMemorySettings(bytes: number): MemorySettings {
  const share = (divisor: number, min: number, max: number): string =>
    `${Math.min(Math.max(Math.floor(bytes / mebibyte / divisor), min), max)}MB`
  return {
    shared_buffers: share(8, 64, 256),
    effective_cache_size: share(2, 256, 16_384),
    work_mem: '4MB',
    maintenance_work_mem: share(32, 32, 128),
  }
}
