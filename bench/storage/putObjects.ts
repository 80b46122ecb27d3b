import { randomUUID } from 'node:crypto'
import { bareLoad } from '../load/bareLoad.ts'
import type { Load } from '../rest/Latencies.ts'
import { renderRequest } from '../rest/renderRequest.ts'

export interface PutObjectsTask {
  kind: 'put objects'
  url: string
  /** The folder of uniquely named objects. */
  folder: string
  headers: Record<string, string>
  body: string
  concurrency: number
  ms: number
}

/** Uploads small objects, one after another on each connection. Throws where a response is not 2xx. */
export function putObjects({ url, folder, headers, body, ...task }: PutObjectsTask): Promise<Load> {
  return bareLoad({ url, ...task }, () =>
    renderRequest({ url, method: 'POST', path: `${folder}/${randomUUID()}`, headers, body }),
  )
}
