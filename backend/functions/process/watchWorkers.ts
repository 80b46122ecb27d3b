import type { WorkerProcess } from './WorkerProcess.ts'

/** Milliseconds between two looks: what a worker may take too much of before anyone sees it. */
const everyMs = 100

/**
 * Looks at the busy ones of `workers` while there are any; `wake` when one may have become busy.
 * @param also called at each look; answers whether there has to be another
 */
export function watchWorkers(
  workers: () => Iterable<WorkerProcess>,
  also: (now: number) => boolean,
): { wake(): void; close(): void } {
  let timer: NodeJS.Timeout | null = null
  const look = (): void => {
    const now = performance.now()
    let isAnyBusy = also(now)
    for (const { pulse } of workers()) {
      if (!pulse.isBusy) continue
      isAnyBusy = true
      pulse.look(now)
    }
    if (!isAnyBusy) close()
  }
  const close = (): void => {
    if (timer) clearInterval(timer)
    timer = null
  }
  return {
    wake() {
      timer ??= setInterval(look, everyMs)
    },
    close,
  }
}
