import { bareLoad } from '../load/bareLoad.ts'
import type { Load } from './Latencies.ts'

export interface HttpTask {
  kind: 'http'
  url: string
  concurrency: number
  ms: number
  /** Raw requests, used in rotation. */
  requests: string[]
}

/** Keeps connections busy with these requests. Throws where a response is not 2xx. */
export function httpLoad(task: HttpTask): Promise<Load> {
  const bytes = task.requests.map((request) => Buffer.from(request))
  let sent = 0
  return bareLoad(task, () => bytes[sent++ % bytes.length]!)
}
