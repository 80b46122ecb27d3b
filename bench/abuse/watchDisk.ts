import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const pauseMs = 40
/** A page of PostgreSQL's log. */
const page = Buffer.alloc(8192)

export interface DiskWatch {
  /** Milliseconds that 99 of 100 writes took to reach the disk since the last call; 0 where there was none. */
  takeP99(): number
  close(): Promise<void>
}

/**
 * Writes a page and waits for the disk, again and again: each commit does the same. On a machine whose disk others use,
 * this and not the server decides how long a member's write takes at worst.
 */
export async function watchDisk(dir: string): Promise<DiskWatch> {
  const file = await open(join(dir, 'disk-watch'), 'w')
  let samples: number[] = []
  const ending = new AbortController()
  const watching = (async () => {
    while (!ending.signal.aborted) {
      const from = performance.now()
      await file.write(page, 0, page.length, 0)
      await file.datasync()
      samples.push(performance.now() - from)
      await sleep(pauseMs)
    }
  })()
  return {
    takeP99() {
      const sorted = samples.toSorted((a, b) => a - b)
      samples = []
      return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? 0
    },
    async close() {
      ending.abort()
      await watching
      await file.close()
    },
  }
}
