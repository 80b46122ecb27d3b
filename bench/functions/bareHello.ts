import { serve } from '@hono/node-server'

/**
 * What could be reached if nothing stood between a client and a handler: the same `fetch` on a bare Node server.
 * Sends the port to its parent process.
 */
export function main(): Promise<number> {
  const server = serve({ fetch: () => new Response('Hello'), port: 0, hostname: '127.0.0.1' }, ({ port }) =>
    process.send!(port),
  )
  return new Promise((resolve) => {
    process.once('disconnect', () => {
      server.close(() => resolve(0))
      if ('closeAllConnections' in server) server.closeAllConnections()
    })
  })
}
