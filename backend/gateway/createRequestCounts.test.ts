import { expect, it } from 'vitest'
import { createRequestCounts } from './createRequestCounts.ts'

it('counts by service and status class, without labels that a caller can choose', () => {
  const counts = createRequestCounts()
  for (const [path, status] of [
    ['/rest/v1/messages', 200],
    ['/rest/v1/messages', 206],
    ['/rest/v1/rpc/x', 499],
    ['/storage/v1/object/a', 500],
    ['/realtime/v1/websocket', 101],
    ['/someone/v1/here', 404],
    ['/', 304],
    ['', 400],
    ['/__proto__/v1/', 404],
  ] as const) {
    counts.add(path, status)
  }
  const counted = counts.all().filter(({ count }) => count > 0)
  expect(counted.map(({ service, status, count }) => `${service} ${status} ${count}`)).toEqual([
    'rest 2xx 2',
    'rest 4xx 1',
    'storage 5xx 1',
    'realtime 2xx 1',
    'other 3xx 1',
    'other 4xx 3',
  ])
})
