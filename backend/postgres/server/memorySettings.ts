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
 * Settings for a machine that PostgreSQL shares with this server. shared_buffers follow the size of the database, up to an eighth
 * of memory. Pages take memory once they are used, so a small database uses no more of it (idle, 256 MB instead of 64 MB took
 * 10 MiB more). A larger share gains little: the cache of the operating system, whose size effective_cache_size estimates, has
 * the other pages. With a million messages (945 MB) and 256 MB, system calls took 15 % of the processor time for reading 50
 * messages at a random position. The time with 2 GB did not differ by more than the time between two runs.
 * @param bytes of memory
 * @param database bytes of the database
 */
export function chooseMemorySettings(bytes: number, database: number): MemorySettings {
  const share = (divisor: number, min: number, max: number): number =>
    Math.min(Math.max(Math.floor(bytes / mebibyte / divisor), min), max)
  const buffers = Math.max(share(8, 64, 256), Math.min(Math.ceil(database / mebibyte), share(8, 64, 2_048)))
  return {
    shared_buffers: `${buffers}MB`,
    effective_cache_size: `${share(2, 256, 16_384)}MB`,
    work_mem: '4MB',
    maintenance_work_mem: `${share(32, 32, 128)}MB`,
  }
}
