import { once } from 'node:events'
import { createServer, connect, Socket, type AddressInfo, type Server } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createFairScheduler, type CallerWork } from '../budgets/createFairScheduler.ts'
import { maxConnectionsOf, limitConnections, type ConnectionWatch } from './limitConnections.ts'

let server: Server
const clients: Socket[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy()
  server.close()
})

interface Watched {
  watch: ConnectionWatch
  /** Connects; resolves when the connection was passed on or closed. */
  open(from?: string): Promise<{ client: Socket; accepted: Socket }>
}

async function start(
  settings: Parameters<typeof limitConnections>[1],
  isTrusted: (address: string) => boolean = () => false,
): Promise<Watched> {
  const passed = new Set<Socket>()
  server = createServer((socket) => passed.add(socket))
  const watch = limitConnections(server, settings, isTrusted, createFairScheduler())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    watch,
    async open(from = '127.0.0.1') {
      const accepting = once(server, 'connection')
      const { port } = server.address() as AddressInfo
      const client = connect({ host: '127.0.0.1', port, localAddress: from })
      client.on('error', () => {})
      client.resume()
      clients.push(client)
      const [accepted] = (await accepting) as [Socket]
      await expect.poll(() => passed.has(accepted) || accepted.destroyed).toBe(true)
      return { client, accepted }
    },
  }
}

it('refuses an address what it has open beyond its share, and others nothing for it', async () => {
  const { watch, open } = await start({
    maxConnections: 100,
    maxConnectionsPerAddress: 2,
    maxSilentConnections: 100,
  })
  const first = await open()
  await open()
  const third = await open()
  await once(third.client, 'close')
  const other = await open('127.0.0.2')
  expect([third.accepted.destroyed, other.accepted.destroyed]).toEqual([true, false])
  expect(watch.stats()).toMatchObject({ open: 3, refused: 1, dropped: 0 })
  first.accepted.destroy()
  await once(first.client, 'close')
  expect((await open()).accepted.destroyed).toBe(false)
})

it('counts no addresses of trusted proxies, which connect for everyone', async () => {
  const { watch, open } = await start(
    { maxConnections: 4, maxConnectionsPerAddress: 1, maxSilentConnections: 100 },
    () => true,
  )
  for (let n = 0; n < 4; n++) {
    const { accepted } = await open()
    expect(accepted.destroyed).toBe(false)
    watch.onRequest(accepted)
  }
  expect((await open()).accepted.destroyed).toBe(true)
})

it('closes, of too many without a request, one of the address with the most', async () => {
  const { open } = await start({
    maxConnections: 100,
    maxConnectionsPerAddress: 100,
    maxSilentConnections: 3,
  })
  const member = await open('127.0.0.2')
  const [first, second] = [await open(), await open()]
  await open()
  await expect.poll(() => first.client.closed || member.client.closed).toBe(true)
  expect([member, second].map(({ accepted }) => accepted.destroyed)).toEqual([false, false])
})

it('closes the oldest of too many that have sent no request, and none that has', async () => {
  const { watch, open } = await start({
    maxConnections: 100,
    maxConnectionsPerAddress: 100,
    maxSilentConnections: 2,
  })
  const client = await open()
  watch.onRequest(client.accepted)
  const silent = [await open(), await open(), await open()]
  await expect.poll(() => silent[0]!.client.closed).toBe(true)
  expect(silent.map(({ accepted }) => accepted.destroyed)).toEqual([true, false, false])
  expect(client.accepted.destroyed).toBe(false)
  expect(watch.stats()).toMatchObject({ open: 3, dropped: 1 })
})

it('passes connections on by address in turn, and reads nothing of them before', async () => {
  const passed: string[] = []
  server = createServer((socket) => {
    passed.push(socket.remoteAddress!)
    socket.on('data', () => passed.push(`${socket.remoteAddress} was read`))
  })
  const work: CallerWork[] = []
  const settings = { maxConnections: 100, maxConnectionsPerAddress: 100, maxSilentConnections: 100 }
  const watch = limitConnections(server, settings, () => false, { add: (one) => work.push(one) })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  for (const from of ['127.0.0.1', '127.0.0.1', '127.0.0.2']) {
    const client = connect({ host: '127.0.0.1', port, localAddress: from })
    client.on('error', () => {})
    clients.push(client)
    client.write('GET')
  }
  await expect.poll(() => work.length).toBe(3)
  expect(passed).toEqual([])
  const scheduler = createFairScheduler()
  for (const one of work) scheduler.add(one)
  await expect.poll(() => passed.length).toBe(6)
  expect(passed.slice(0, 2).toSorted()).toEqual(['127.0.0.1', '127.0.0.2'])
  expect(watch.stats()).toMatchObject({ open: 3, refused: 0, dropped: 0 })
})

it('closes the newest of the address with the most where too many wait for their turn', async () => {
  server = createServer()
  const work: CallerWork[] = []
  const settings = { maxConnections: 20_000, maxConnectionsPerAddress: 20_000, maxSilentConnections: 100 }
  const watch = limitConnections(server, settings, () => false, { add: (one) => work.push(one) })
  const arrive = (remoteAddress: string): Socket => {
    const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress })
    server.emit('connection', socket)
    return socket
  }
  const early = arrive('192.0.2.2')
  const many = Array.from({ length: 4_096 }, () => arrive('192.0.2.1'))
  const late = arrive('192.0.2.2')
  expect([early, late, many[0]!].map(({ destroyed }) => destroyed)).toEqual([false, false, false])
  expect(many.filter(({ destroyed }) => destroyed)).toEqual(many.slice(-2))
  expect(watch.stats()).toMatchObject({ dropped: 2 })
  watch.close()
  expect(late.destroyed).toBe(true)
})

it('leaves files for everything else', () => {
  expect([1_024, 4_096, 20_000, 1_048_576, null].map((files) => maxConnectionsOf(20_000, files))).toEqual([
    512, 3_072, 18_976, 20_000, 20_000,
  ])
})
