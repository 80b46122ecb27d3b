import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { callCommand } from './callCommand.ts'

it('returns 503 if the data API accepts no connections', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const localUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await new Promise((resolve) => {
    server.close(resolve)
  })
  for (const isRead of [true, false]) {
    const { status, text } = await callCommand(
      { localUrl: () => localUrl, publishableKey: 'key' },
      null,
      'check_server_owner',
      { changes: !isRead },
      { isRead },
    )
    expect(status).toBe(503)
    expect(JSON.parse(text)).toEqual({ message: expect.any(String) })
  }
})
