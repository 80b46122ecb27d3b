import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'

/**
 * Takes the load of an attack instead of the server, for the comparison: reads what arrives, answers every request
 * with an empty list, accepts every WebSocket and ignores its frames. Sends its parent the port.
 */
export async function main(): Promise<number> {
  const server = createServer((request, response) => {
    request.resume()
    request.once('end', () => response.end('[]'))
    response.once('error', () => {})
  })
  server.requestTimeout = 0
  server.headersTimeout = 0
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  server.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('error', () => {})
      webSocket.on('message', () => {})
    })
  })
  server.listen({ host: '::', port: 0, backlog: 4_096 }, () => {
    process.send!((server.address() as AddressInfo).port)
  })
  // A terminal interrupts the parent as well, which ends this process when it has cleaned up.
  process.on('SIGINT', () => {})
  return new Promise((resolve) => {
    process.once('disconnect', () => {
      for (const client of sockets.clients) client.terminate()
      server.closeAllConnections()
      server.close(() => resolve(0))
    })
  })
}
