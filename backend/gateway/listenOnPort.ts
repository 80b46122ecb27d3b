import { once } from 'node:events'
import { createServer, type AddressInfo, type ListenOptions, type Server } from 'node:net'
import { Server as TlsServer } from 'node:tls'

/**
 * Connections that may wait to be accepted on each listening socket. After an outage all clients reconnect at once:
 * with Node's 511 the kernel drops the rest, and each of those tries again only after a second.
 */
const backlog = 4_096

/** Listening sockets of one port. */
const listenerCount = 16

/** A port that the system chose may be taken by another process before it is bound again. */
const maxAttempts = 5

export interface ListeningPort {
  address: AddressInfo
  /** Stops accepting connections on all its sockets; resolves when those that were accepted are closed. */
  close(): Promise<void>
}

/** Whether `SO_REUSEPORT` distributes connections among the listening sockets of a port, and Node can set it. */
export function canSharePort(platform = process.platform, version = process.versions.node): boolean {
  const [major, minor] = version.split('.').map(Number) as [number, number]
  return platform === 'linux' && (major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12))
}

/**
 * Opens the port; 0 lets the system choose. Where possible it is opened several times: each listening socket accepts
 * one connection in a round of the event loop, so that a new connection waits behind fewer others. Rejects with the
 * error of `listen`.
 */
export async function listenOnPort(server: Server, host: string, port: number): Promise<ListeningPort> {
  const release = canSharePort() ? await reservePort(port) : null
  if (!release) {
    await listen(server, { host, port })
    return { address: server.address() as AddressInfo, close: () => close(server) }
  }
  try {
    return await openShared(server, host, port)
  } finally {
    await release()
  }
}

async function openShared(server: Server, host: string, port: number): Promise<ListeningPort> {
  for (let attempt = 1; ; attempt++) {
    const free = await findFreePort(host, port)
    try {
      return await openListeners(server, free)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (port !== 0 || code !== 'EADDRINUSE' || attempt === maxAttempts) throw error
    }
  }
}

/**
 * The address where the port is free: sockets that share a port do not exclude another server that shares it too, while
 * one that does not share it does.
 */
async function findFreePort(host: string, port: number): Promise<AddressInfo> {
  const probe = createServer((socket) => socket.destroy())
  await listen(probe, { host, port })
  const address = probe.address() as AddressInfo
  await close(probe)
  return address
}

async function openListeners(server: Server, { address: host, port }: AddressInfo): Promise<ListeningPort> {
  const opened: Server[] = []
  const closeAll = async (): Promise<void> => {
    await Promise.all(opened.map(close))
  }
  try {
    await listen(server, { host, port, reusePort: true })
    opened.push(server)
    while (opened.length < listenerCount) {
      // As Node's own servers do: under TLS both sides end together.
      const options = { allowHalfOpen: !(server instanceof TlsServer), noDelay: true }
      const other = createServer(options, (socket) => {
        server.emit('connection', socket)
      })
      await listen(other, { host, port, reusePort: true })
      opened.push(other)
    }
    return { address: server.address() as AddressInfo, close: closeAll }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/**
 * Reserves the right to share a port while it is opened, so that of two servers that start at once one finds it taken.
 * The reservation is an abstract socket: it has the scope of the port, the network namespace, and ends with the
 * process. Null where another process has it.
 */
async function reservePort(port: number): Promise<(() => Promise<void>) | null> {
  if (port === 0) return () => Promise.resolve()
  const reservation = createServer((socket) => socket.destroy())
  try {
    await listen(reservation, { path: `\0linnet-port-${port}` })
    return () => close(reservation)
  } catch {
    return null
  }
}

async function listen(server: Server, options: ListenOptions & { reusePort?: boolean }): Promise<void> {
  server.listen({ ...options, backlog })
  await once(server, 'listening')
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}
