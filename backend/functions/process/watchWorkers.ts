import type { WorkerProcess } from './WorkerProcess.ts'

/** Milliseconds between two checks: how long a worker may exceed a limit undetected. */
const checkIntervalMs = 100

/**
 * Checks busy workers while there are any; call `wake` when one may have become busy.
 * @param onCheck called at each check; returns whether another check is needed
 */
export function watchWorkers(
  workers: () => Iterable<WorkerProcess>,
  onCheck: (now: number) => boolean,
): { wake(): void; close(): void } {
  let timer: NodeJS.Timeout | null = null
  const check = (): void => {
    const now = performance.now()
    let isAnyBusy = onCheck(now)
    for (const { watchdog } of workers()) {
      if (!watchdog.isBusy) continue
      isAnyBusy = true
      watchdog.check(now)
    }
    if (!isAnyBusy) close()
  }
  const close = (): void => {
    if (timer) clearInterval(timer)
    timer = null
  }
  return {
    wake() {
      timer ??= setInterval(check, checkIntervalMs)
    },
    close,
  }
}
