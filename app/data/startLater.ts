import { startFileWorker } from './files/reading/fileWorker.ts'
import { createActivity } from './people/activity.ts'
import type { Activity } from './people/activity.ts'

/** Starts what no first word waits for: the worker that fetches files, and the watch whether somebody is here. */
export function startLater(needs: Parameters<typeof createActivity>[0]): Activity {
  void startFileWorker()
  return createActivity(needs)
}
