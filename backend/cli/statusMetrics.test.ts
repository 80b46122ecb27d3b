import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { readMetrics } from './readMetrics.ts'
import { renderMetricLines, toStatusMetrics } from './statusMetrics.ts'

const text = `# HELP linnet_realtime_sockets Sockets that are open.
# TYPE linnet_realtime_sockets gauge
linnet_realtime_sockets 12
linnet_realtime_log_delay_seconds{log="messages"} 0.00123
linnet_realtime_log_delay_seconds{log="changes"} 0
linnet_realtime_deliveries_per_second 1234.5678
linnet_database_up 1
linnet_pool_connections{pool="a"} 3
linnet_pool_connections{pool="b"} 4
linnet_http_requests_total{service="rest",status="2xx"} 90
linnet_http_requests_total{service="rest",status="5xx"} 2
linnet_http_requests_total{service="auth",status="5xx"} 1
process_start_time_seconds 1000
process_resident_memory_bytes 1.5e+08
linnet_disk_free_bytes 8.0e+08
linnet_disk_reserve_bytes 1073741824
`

/** The result of readMetrics for a server that responds like this. */
async function readFrom(status: number, body: string): Promise<Awaited<ReturnType<typeof readMetrics>>> {
  const server = createServer((_, answer) => answer.writeHead(status).end(body))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`
  try {
    return await readMetrics(url)
  } finally {
    await new Promise((resolve) => server.close(resolve))
  }
}

it('summarizes the metrics of a server as values and as lines of text', async () => {
  const read = await readFrom(200, text)
  if (typeof read === 'string') throw new Error(read)
  const metrics = toStatusMetrics(read, 8_200_000)
  expect(metrics).toMatchObject({
    sockets: 12,
    logDelayMs: 1.2,
    deliveriesPerSecond: 1234.6,
    databaseUp: true,
    connections: 7,
    requests: 93,
    failedRequests: 3,
    uptimeSeconds: 7_200,
  })
  const lines = renderMetricLines(metrics).join('\n')
  expect(lines).toContain('12 sockets')
  expect(lines).toContain('up for 2 hours, 143 MiB')
  expect(lines).toContain('763 MiB free; uploads are refused until 1.00 GiB are free')
  const roomy = renderMetricLines({ ...metrics, diskFreeBytes: 2e11 }).join('\n')
  expect(roomy).toContain('186 GiB free; uploads leave 1.00 GiB free')
})

it('distinguishes a server that refuses from one that is unreachable', async () => {
  expect(await readFrom(404, '{}')).toBe('forbidden')
  expect(await readMetrics('http://127.0.0.1:1/metrics')).toBe('unreachable')
})
