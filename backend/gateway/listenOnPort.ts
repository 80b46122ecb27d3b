import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo, type ListenOptions, type Server } from 'node:net'
import { Server as TlsServer } from 'node:tls'

/**
 * Connections that may wait to be accepted. After an outage all clients reconnect at once: with Node's 511 the kernel
 * drops the rest, and each of those tries again only after a second.
 */
const backlog = 4_096

/** A server whose property `pauseOnConnect` can be set, which Node reads when it accepts a connection. */
export type PausingServer = Server & { pauseOnConnect?: boolean }

/**
 * Descriptors of the listening socket that accept connections: at first, and while many connections wait. Each that finds
 * none costs a system call.
 */
const minDescriptors = 4
const maxDescriptors = 128

/** How often is checked whether fewer descriptors suffice again. */
const checkIntervalMs = 60_000

export interface ListeningPort {
  address: AddressInfo
  /** Resolves once further descriptors can be used, or the system has refused them. */
  ready(): Promise<void>
  /** The number of descriptors that accept connections. */
  descriptors(): number
  /** Returns to few descriptors if no more were needed since the last call. Called by the timer, and by tests. */
  check(): void
  /** Stops accepting connections; resolves when those that were accepted are closed. */
  close(): Promise<void>
}

/**
 * Opens the port; 0 lets the system choose. Resolves when connections are accepted; rejects with the error of `listen`.
 * @param lastPort the ports up to this one are tried while the ones before are in use
 *
 * Node accepts one connection for each descriptor in a round of the event loop, so that a new connection would wait for
 * as many rounds as others wait before it. Therefore the socket has further descriptors. Where all of those in use have
 * accepted a connection in one round, twice as many are used.
 */
export async function listenOnPort(
  server: PausingServer,
  host: string,
  port: number,
  lastPort = port,
): Promise<ListeningPort> {
  for (let tried = port; ; tried++) {
    try {
      await listen(server, { host, port: tried })
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || tried >= lastPort) throw error
    }
  }
  const address = server.address() as AddressInfo
  const active: Server[] = [server]
  const spare: Handle[] = []
  const closing = new Set<Promise<void>>()
  let accepted = 0
  let wasBusy = false
  let duplication = { ended: Promise.resolve(), cancel(): void {} }

  const closeAll = (servers: Server[]): void => {
    for (const one of servers) {
      const closed = close(one)
      closing.add(closed)
      void closed.then(() => closing.delete(closed))
    }
  }

  const use = (handle: Handle): void => {
    const other = createAcceptor(server)
    active.push(other)
    other.listen(handle, backlog)
  }

  const useSpare = (count: number): void => {
    for (const handle of spare.splice(0, count)) use(handle)
  }

  const fill = (): void => {
    const count = maxDescriptors - active.length - spare.length
    duplication = duplicateDescriptor(handleOf(server), count, (handle) => {
      if (active.length < minDescriptors) use(handle)
      else spare.push(handle)
    })
  }

  server.on('connection', () => {
    if (accepted === 0) {
      setImmediate(() => {
        accepted = 0
      })
    }
    if (++accepted < active.length) return
    wasBusy = true
    useSpare(active.length)
  })

  const check = (): void => {
    if (!wasBusy && active.length > minDescriptors) {
      closeAll(active.splice(minDescriptors))
      fill()
    }
    wasBusy = false
  }
  const timer = setInterval(check, checkIntervalMs).unref()
  fill()

  return {
    address,
    ready: () => duplication.ended,
    descriptors: () => active.length,
    check,
    async close() {
      clearInterval(timer)
      duplication.cancel()
      closeAll(active.splice(0))
      await duplication.ended
      // Those that arrived meanwhile are closed as well.
      closeAll(active.splice(0))
      for (const handle of spare.splice(0)) handle.close()
      await Promise.all(closing)
    },
  }
}

/** A listening socket as Node passes it between processes. */
interface Handle {
  listen(backlog: number): number
  close(): void
}

const handleOf = (server: Server): Handle => (server as unknown as { _handle: Handle })._handle

/** Sends the handle that it receives back so many times. Receiving raw handles, it accepts no connection itself. */
const returnHandles = `process.on('message', (count, handle) => {
  const send = () => count-- > 0 ? process.send(null, handle, send) : process.disconnect()
  send()
})`

/**
 * Node cannot duplicate a descriptor, but each transfer between processes creates one: a process that ends afterwards
 * sends the handle back. `ended` resolves when no further one follows.
 */
function duplicateDescriptor(
  handle: Handle,
  count: number,
  onDuplicate: (duplicate: Handle) => void,
): { ended: Promise<void>; cancel(): void } {
  const child = spawn(process.execPath, ['-e', returnHandles], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {},
  })
  child.on('message', (_, duplicate) => onDuplicate(duplicate as unknown as Handle))
  const ended = new Promise<void>((resolve) => {
    child.on('close', () => resolve())
    child.on('error', () => resolve())
  })
  // Typed for servers and sockets only, although Node passes their handles as well. Without a process there is no channel.
  if (child.connected) child.send(count, handle as unknown as Server, () => {})
  return {
    ended,
    cancel: () => void child.kill('SIGKILL'),
  }
}

/** A server whose connections are served by another server. */
function createAcceptor(server: PausingServer): Server {
  const options = {
    // As Node's own servers do: under TLS both sides end together.
    allowHalfOpen: !(server instanceof TlsServer),
    noDelay: true,
    pauseOnConnect: server.pauseOnConnect,
  }
  return createServer(options, (socket) => {
    server.emit('connection', socket)
  })
}

/**
 * Also accepts connections at another address of this machine. Returns a function that ends this; null if another program uses
 * the port there.
 */
export async function listenBeside(
  server: PausingServer,
  host: string,
  port: number,
): Promise<(() => Promise<void>) | null> {
  const acceptor = createAcceptor(server)
  try {
    await listen(acceptor, { host, port })
  } catch {
    return null
  }
  return () => close(acceptor)
}

async function listen(server: Server, options: ListenOptions): Promise<void> {
  server.listen({ ...options, backlog })
  await once(server, 'listening')
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}
