import type { Logger } from '../../logging/logger.ts'
import type { OpenUpload, UploadStore } from './createUploadStore.ts'

/** Between two sweeps, the URL of an expired upload answers 410. */
const intervalMs = 10 * 60 * 1000

/** Removes expired uploads periodically, until the timer is cleared. */
export function sweepPeriodically(
  uploads: UploadStore,
  settle: (upload: OpenUpload) => Promise<void>,
  log: Logger,
): NodeJS.Timeout {
  const timer = setInterval(() => {
    uploads.sweep(settle).then(
      (removed) => {
        if (removed > 0) log.info('storage.uploads_removed', { removed })
      },
      (error: Error) => log.error('storage.upload_sweep_failed', { reason: error.message }),
    )
  }, intervalMs)
  timer.unref()
  return timer
}
