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

/** Descriptors of the listening socket. */
const descriptorCount = 32

export interface ListeningPort {
  address: AddressInfo
  /** Resolves with the number of descriptors that accept connections, once all of them do; 1 where the system refuses. */
  descriptors: Promise<number>
  /** Stops accepting connections on all descriptors; resolves when those that were accepted are closed. */
  close(): Promise<void>
}

/**
 * Opens the port; 0 lets the system choose. Resolves when connections are accepted; rejects with the error of `listen`.
 *
 * Node accepts one connection for each descriptor in a round of the event loop, so that a new connection would wait for
 * as many rounds as others wait before it. Therefore the socket gets further descriptors, shortly after it is open.
 */
export async function listenOnPort(
  server: PausingServer,
  host: string,
  port: number,
): Promise<ListeningPort> {
  await listen(server, { host, port })
  const opened = [server]
  const duplication = duplicateDescriptor(handleOf(server), descriptorCount - 1, async (handle) => {
    const options = {
      // As Node's own servers do: under TLS both sides end together.
      allowHalfOpen: !(server instanceof TlsServer),
      noDelay: true,
      pauseOnConnect: server.pauseOnConnect,
    }
    const other = createServer(options, (socket) => {
      server.emit('connection', socket)
    })
    opened.push(other)
    await listen(other, handle)
  })
  return {
    address: server.address() as AddressInfo,
    descriptors: duplication.ended.then(() => opened.length),
    async close() {
      duplication.cancel()
      const closing = opened.map(close)
      await duplication.ended
      // Those that arrived meanwhile are closed as well.
      await Promise.all([...closing, ...opened.slice(closing.length).map(close)])
    },
  }
}

/** A listening socket as Node passes it between processes. */
interface Handle {
  listen(backlog: number): number
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
  use: (duplicate: Handle) => Promise<void>,
): { ended: Promise<void>; cancel(): void } {
  const child = spawn(process.execPath, ['-e', returnHandles], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {},
  })
  const uses: Promise<void>[] = []
  child.on('message', (_, duplicate) => uses.push(use(duplicate as unknown as Handle)))
  const closed = new Promise<void>((resolve) => {
    child.on('close', () => resolve())
    child.on('error', () => resolve())
  })
  // Typed for servers and sockets only, although Node passes their handles as well. Without a process there is no channel.
  if (child.connected) child.send(count, handle as unknown as Server, () => {})
  return {
    ended: closed.then(async () => void (await Promise.allSettled(uses))),
    cancel: () => void child.kill('SIGKILL'),
  }
}

async function listen(server: Server, on: ListenOptions | Handle): Promise<void> {
  if ('listen' in on) server.listen(on, backlog)
  else server.listen({ ...on, backlog })
  await once(server, 'listening')
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}
