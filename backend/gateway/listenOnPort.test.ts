import { once } from 'node:events'
import { createServer as createHttpServer, type Server } from 'node:http'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { listenBeside, listenOnPort, type ListeningPort } from './listenOnPort.ts'

const opened: ListeningPort[] = []
const clients: Socket[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await Promise.all(opened.splice(0).map((one) => one.close()))
})

async function start(
  port = 0,
  host = '127.0.0.1',
): Promise<{ server: Server; port: number; listening: ListeningPort }> {
  const server = createHttpServer((_, response) => response.end('served'))
  const listening = await listenOnPort(server, host, port)
  opened.push(listening)
  return { server, port: listening.address.port, listening }
}

/** An address of this machine that other machines reach; undefined where it has none. */
const ownAddress = Object.values(networkInterfaces())
  .flat()
  .find((one) => one !== undefined && !one.internal && one.family === 'IPv4')?.address

const closeAll = (): Promise<unknown> => Promise.all(opened.splice(0).map((one) => one.close()))

it('opens a port that the system chose, and serves what each descriptor accepts', async () => {
  const { port, listening } = await start()
  await listening.ready()
  const texts = Array.from({ length: 50 }, async () => (await fetch(`http://127.0.0.1:${port}`)).text())
  expect(new Set(await Promise.all(texts))).toEqual(new Set(['served']))
})

it.each(['127.0.0.1', '0.0.0.0', '::', 'localhost'])(
  'refuses a port on %s that is open already',
  async (host) => {
    const { port } = await start(0, host)
    await expect(start(port, host)).rejects.toMatchObject({ code: 'EADDRINUSE' })
    const other = createServer()
    await expect(once(other.listen(port, host), 'listening')).rejects.toMatchObject({ code: 'EADDRINUSE' })
    expect(await (await fetch(`http://localhost:${port}`)).text()).toBe('served')
  },
)

it('leaves the port free when it is closed, also where a connection was never accepted', async () => {
  const { port, server } = await start()
  const client = connect(port, '127.0.0.1')
  clients.push(client)
  client.on('error', () => {})
  const closed = closeAll()
  server.closeAllConnections()
  await closed
  const other = createServer()
  await once(other.listen(port, '127.0.0.1'), 'listening')
  expect((other.address() as AddressInfo).port).toBe(port)
  await new Promise((resolve) => other.close(resolve))
})

it('has the port after a try that found it taken', async () => {
  const other = createServer()
  await once(other.listen(0, '127.0.0.1'), 'listening')
  const { port } = other.address() as { port: number }
  await expect(start(port)).rejects.toMatchObject({ code: 'EADDRINUSE' })
  await new Promise((resolve) => other.close(resolve))
  expect((await start(port)).port).toBe(port)
})

it('leaves the port free when it is closed while descriptors are being added', async () => {
  const { port } = await start()
  for (let rounds = 0; rounds < 3; rounds++) {
    await closeAll()
    expect((await start(port)).port).toBe(port)
  }
})

/** Connects at once; returns the rounds of the event loop until the server has accepted all. */
async function countRounds(server: Server, port: number, count: number): Promise<number> {
  const accepted: Socket[] = []
  server.on('connection', (socket: Socket) => accepted.push(socket))
  for (let n = 0; n < count; n++) {
    const client = connect(port, '127.0.0.1')
    client.on('error', () => {})
    clients.push(client)
  }
  let rounds = 0
  for (; accepted.length < count; rounds++) await setImmediate()
  return rounds
}

it('accepts many waiting connections in few rounds of the event loop', async () => {
  const { server, port, listening } = await start()
  await listening.ready()
  expect(await countRounds(server, port, 640)).toBeLessThan(30)
})

it('uses more descriptors while many connections wait, and few again afterwards', async () => {
  const { server, port, listening } = await start()
  await listening.ready()
  const few = listening.descriptors()
  await countRounds(server, port, 640)
  expect([few, listening.descriptors()]).toEqual([4, 128])
  listening.check()
  expect(listening.descriptors()).toBe(128)
  listening.check()
  expect(listening.descriptors()).toBe(4)
  await listening.ready()
  await countRounds(server, port, 640)
  expect(listening.descriptors()).toBe(128)
})

it('tries the next ports up to the last one while others use the ports before', async () => {
  const { port } = await start()
  const server = createHttpServer()
  const other = await listenOnPort(server, '127.0.0.1', port, port + 20)
  opened.push(other)
  expect(other.address.port).toBeGreaterThan(port)
  await expect(listenOnPort(createHttpServer(), '127.0.0.1', port, port)).rejects.toMatchObject({
    code: 'EADDRINUSE',
  })
})

it.skipIf(ownAddress === undefined)(
  'serves another address of this machine too, unless another program uses the port there',
  async () => {
    const { server, port } = await start(0, ownAddress)
    const stop = await listenBeside(server, '127.0.0.1', port)
    expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('served')
    expect(await listenBeside(server, '127.0.0.1', port)).toBeNull()
    server.closeAllConnections()
    await stop!()
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow('fetch failed')
  },
)
