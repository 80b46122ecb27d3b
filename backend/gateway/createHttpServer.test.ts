import { once } from 'node:events'
import { connect as connectTcp, type AddressInfo } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createHttpServer, type HttpServer } from './createHttpServer.ts'

let http: HttpServer
let port = 0
let handshakes = 0
beforeEach(async () => {
  handshakes = 0
  http = createHttpServer({
    certificate: null,
    handle: (_, outgoing) => outgoing.end('served'),
    headTimeoutMs: 5_000,
    onTlsHandshake: () => handshakes++,
  })
  http.server.listen(0, '127.0.0.1')
  await once(http.server, 'listening')
  ;({ port } = http.server.address() as AddressInfo)
})
afterEach(() => {
  http.server.closeAllConnections()
  http.server.close()
})

/** Sends a text and resolves with the response when the connection ends. */
async function send(text: string | Buffer): Promise<string> {
  const socket = connectTcp(port, '127.0.0.1')
  let response = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (response += chunk))
  socket.on('error', () => {})
  socket.write(text)
  await once(socket, 'close')
  return response
}

it('a TLS handshake with an http server is reported, and ends at once', async () => {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException]
  expect(error.code).toMatch(/^(ERR_SSL_|EPROTO)/)
  expect(handshakes).toBe(1)
})

it.each([
  ['a line that is no request', 'no request\r\n\r\n', 400],
  ['too long headers', `GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(70_000)}\r\n\r\n`, 431],
])('%s gets the status of Node and is not reported', async (_, request, status) => {
  expect(await send(request)).toMatch(
    new RegExp(`^HTTP/1\\.1 ${status} [\\w ]+\\r\\nConnection: close\\r\\n`),
  )
  expect(handshakes).toBe(0)
})

it('a first byte of TLS after a request is not reported', async () => {
  const request = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n'
  const socket = connectTcp(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(request)
  await once(socket, 'data')
  socket.write(Buffer.from([0x16, 3, 1, 0, 5]))
  await once(socket, 'close')
  expect(handshakes).toBe(0)
})
