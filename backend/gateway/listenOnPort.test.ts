import { once } from 'node:events'
import { createServer as createHttpServer, type Server } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { canSharePort, listenOnPort, type ListeningPort } from './listenOnPort.ts'

const opened: ListeningPort[] = []
const clients: Socket[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await Promise.all(opened.splice(0).map((one) => one.close()))
})

async function start(port = 0, host = '127.0.0.1'): Promise<{ server: Server; port: number }> {
  const server = createHttpServer((_, response) => response.end('served'))
  const listening = await listenOnPort(server, host, port)
  opened.push(listening)
  return { server, port: listening.address.port }
}

const closeAll = (): Promise<unknown> => Promise.all(opened.splice(0).map((one) => one.close()))

/** Occupies the thread for so long. */
function block(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

it('opens a port that the system chose, and serves what each of its sockets accepts', async () => {
  const { port } = await start()
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

it('lets one of two servers have a port, whatever the first one is doing when the second one starts', async () => {
  for (let rounds = 0; rounds < 10; rounds++) {
    const { port } = await start()
    await closeAll()
    const starts = [start(port)]
    for (let n = 0; n < rounds; n++) await setImmediate()
    starts.push(start(port))
    const results = await Promise.allSettled(starts)
    const refused = results.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []))
    expect(refused).toMatchObject([{ code: 'EADDRINUSE' }])
    await closeAll()
  }
})

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

it('shares ports in Node 22.12, 23.1 and newer, on Linux', () => {
  const versions = ['20.20.2', '22.11.0', '22.12.0', '23.0.0', '23.1.0', '24.21.0', '26.10.0']
  expect(versions.filter((version) => canSharePort('linux', version))).toEqual(
    versions.filter((_, at) => at === 2 || at > 3),
  )
  expect(canSharePort('darwin', '24.21.0')).toBe(false)
})

describe.skipIf(!canSharePort())('with several sockets for a port (Linux, Node 22.12 or newer)', () => {
  it('accepts many connections in few rounds of the event loop', async () => {
    const { server, port } = await start()
    const count = 320
    let accepted = 0
    const all = new Promise<void>((resolve) => {
      server.on('connection', () => {
        if (++accepted === count) resolve()
      })
    })
    for (let n = 0; n < count; n++) {
      const client = connect(port, '127.0.0.1')
      client.on('error', () => {})
      clients.push(client)
    }
    await Promise.all(clients.map((client) => once(client, 'connect')))
    const left = count - accepted
    let rounds = 0
    let isDone = false
    const round = (): void => {
      if (isDone) return
      rounds++
      block(1)
      void setImmediate().then(round)
    }
    void setImmediate().then(round)
    await all
    isDone = true
    expect(rounds).toBeLessThan(Math.max(left / 4, 20))
  })

  it('shares the port with nobody where another server is opening it', async () => {
    const { port } = await start()
    await closeAll()
    const reservation = createServer()
    await once(reservation.listen(`\0linnet-port-${port}`), 'listening')
    await start(port)
    const other = createServer()
    const options = { port, host: '127.0.0.1', reusePort: true }
    await expect(once(other.listen(options), 'listening')).rejects.toMatchObject({ code: 'EADDRINUSE' })
    await new Promise((resolve) => reservation.close(resolve))
  })
})
