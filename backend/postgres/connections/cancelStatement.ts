import { createConnection } from 'node:net'
import type { Client } from 'pg'

/** The code of a CancelRequest in PostgreSQL's protocol: 1234 and 5678 in its two halves. */
const cancelRequestCode = 80877102

/**
 * Requests the server to cancel the running statement of a connection. Resolves when the server has received the request
 * (it then closes the connection); never rejects: a statement that can't be cancelled continues.
 */
export function cancelStatement(client: Client): Promise<void> {
  const { processID, secretKey, host, port } = client as unknown as {
    processID: number | null
    secretKey: number
    host: string
    port: number
  }
  if (processID === null) return Promise.resolve()
  const request = Buffer.alloc(16)
  request.writeInt32BE(16, 0)
  request.writeInt32BE(cancelRequestCode, 4)
  request.writeInt32BE(processID, 8)
  request.writeInt32BE(secretKey, 12)
  return new Promise((resolve) => {
    const socket = host.startsWith('/')
      ? createConnection(`${host}/.s.PGSQL.${port}`)
      : createConnection(port, host)
    socket.on('connect', () => socket.end(request))
    socket.on('error', () => resolve())
    socket.on('close', () => resolve())
    socket.resume()
  })
}
