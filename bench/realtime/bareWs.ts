import { WebSocketServer } from 'ws'
import { findFreePort } from '../../backend/postgres/server/findFreePort.ts'

/**
 * What could be reached if nothing had to be stored, asked or kept in order: the library `ws` alone, passing what
 * one socket says on to all others, and answering what else it hears. Tells its parent the port.
 */
export async function main(): Promise<number> {
  const port = await findFreePort()
  const server = new WebSocketServer({ host: '127.0.0.1', port, backlog: 4_096, perMessageDeflate: false })
  server.on('connection', (socket, request) => {
    const speaks = request.url === '/speak'
    socket.on('message', (data: Buffer) => {
      if (!speaks) return socket.send('joined')
      for (const client of server.clients) if (client !== socket) client.send(data, { binary: true })
    })
  })
  server.once('listening', () => process.send!(port))
  return new Promise((resolve) => {
    process.once('disconnect', () => {
      for (const client of server.clients) client.terminate()
      server.close(() => resolve(0))
    })
  })
}
