import { connect, type Socket } from 'node:net'

/** Something that goes on until it is ended. */
interface Disturbance {
  end(): Promise<void>
}

/** Calls a function again and again, `width` at a time, whatever it answers. */
function callRepeatedly(url: string, names: string[], width: number): Disturbance {
  const controller = new AbortController()
  const { signal } = controller
  const caller = async (name: string): Promise<void> => {
    while (!signal.aborted) {
      await fetch(`${url}/functions/v1/${name}`, { signal }).then(
        (answer) => answer.arrayBuffer(),
        () => {},
      )
    }
  }
  const callers = Array.from({ length: width }, (_, n) => caller(names[n % names.length]!))
  return {
    async end() {
      controller.abort()
      await Promise.allSettled(callers)
    },
  }
}

/** Clients that ask for a stream without end and hardly read, and others that hardly send. */
function openSlowClients(url: string, width: number): Disturbance {
  const { hostname, port } = new URL(url)
  const sockets: Socket[] = []
  for (let n = 0; n < width; n++) {
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      if (n % 2 === 0) socket.write('GET /functions/v1/stream HTTP/1.1\r\nHost: bench\r\n\r\n')
      else {
        socket.write(
          'POST /functions/v1/hello HTTP/1.1\r\nHost: bench\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n',
        )
      }
    })
    socket.on('error', () => {})
    socket.pause()
    sockets.push(socket)
  }
  return {
    async end() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Misbehaviour of functions and their callers, by name. */
export const disturbances: Record<string, (url: string) => Disturbance> = {
  'endless loops': (url) => callRepeatedly(url, ['loop'], 2),
  'memory eaters': (url) => callRepeatedly(url, ['eater', 'heap'], 2),
  crashing: (url) => callRepeatedly(url, ['crash'], 2),
  '50 calls at once': (url) => callRepeatedly(url, ['work'], 50),
  '50 slow clients': (url) => openSlowClients(url, 50),
}
