import { WebSocketServer } from 'ws'
import { findFreePort } from '../../backend/postgres/server/findFreePort.ts'

/**
 * The upper limit without storage, permissions and ordering: the library `ws` alone, which forwards messages of one socket
 * to all others, and answers all other messages. Sends its port to the parent.
 */
export async function main(): Promise<number> {
  const port = await findFreePort()
  const server = new WebSocketServer({ host: '127.0.0.1', port, backlog: 4_096, perMessageDeflate: false })
  server.on('connection', (socket, request) => {
    const publishes = request.url === '/speak'
    socket.on('message', (data: Buffer) => {
      if (!publishes) return socket.send('joined')
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
