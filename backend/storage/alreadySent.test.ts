import { Agent, createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { expect, it, vi } from 'vitest'

it('keeps the connection of a response that was sent already, whatever was loaded first', async () => {
  // From here on the global Response is that of the adapter.
  getRequestListener(() => new Response())
  vi.doMock('@hono/node-server/utils/response', () => ({
    RESPONSE_ALREADY_SENT: new Response(null, { headers: { 'x-hono-already-sent': 'true' } }),
  }))
  const { alreadySent } = await import('./alreadySent.ts')
  vi.doUnmock('@hono/node-server/utils/response')
  const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
  const handle = getRequestListener(async (_request, { outgoing }) => {
    outgoing.writeHead(200, { 'content-length': 4 }).end('sent')
    return alreadySent
  })
  const server = createServer((incoming, outgoing) => void handle(incoming, outgoing))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const isReused = (): Promise<boolean> =>
    new Promise((resolve, reject) => {
      const request = get({ host: '127.0.0.1', port, agent }, (response) => {
        response.resume().once('end', () => setImmediate(() => resolve(request.reusedSocket)))
      })
      request.once('error', reject)
    })
  try {
    expect([await isReused(), await isReused()]).toEqual([false, true])
    expect(errors).not.toHaveBeenCalled()
  } finally {
    errors.mockRestore()
    agent.destroy()
    server.close()
  }
})
