import { createServer, type AddressInfo, type Server } from 'node:net'
import { answerTasks } from '../load/answerTasks.ts'
import { openWorker, type Worker } from '../load/openWorker.ts'
import { Latencies, type Load } from '../rest/Latencies.ts'
import { openRawFlights, type Chain, type RawFlights, type RawWork } from './rawFlights.ts'

type RawServerTask =
  | ({ kind: 'open'; chains: Chain[] } & RawWork)
  /** Does it `ms` long by itself, as often at once as there are chains. */
  | { kind: 'alone'; ms: number }
  | { kind: 'close' }

/** pg alone, and the least that can stand between it and whoever asks. */
interface Opened {
  flights: RawFlights
  server: Server
  chains: Chain[]
}

/**
 * A process that does with pg alone what the service does, for whoever connects: any bytes are a request, the rows as
 * JSON the answer. So it stands where the service stands, its load in another process; it reads no HTTP, knows no
 * rights and no keys, and signs nothing.
 */
export function main(): Promise<number> {
  let opened: Opened | undefined
  return answerTasks(async (task: RawServerTask): Promise<number | Load> => {
    if (task.kind === 'open') {
      opened = { flights: await openRawFlights(task), server: createServer(), chains: task.chains }
      return listen(opened)
    }
    const { flights, server, chains } = opened!
    if (task.kind === 'alone') return alone(flights, chains, task.ms)
    server.close()
    await flights.close()
    return 0
  })
}

/** Each connection has a chain of its own while it lasts. */
async function listen({ flights, server, chains }: Opened): Promise<number> {
  const free = [...chains]
  server.on('connection', (socket) => {
    const chain = free.pop()!
    socket.setNoDelay(true)
    socket.once('close', () => free.push(chain))
    socket.on('data', () => {
      flights.run(chain).then(
        (rows) => {
          const body = JSON.stringify(rows)
          socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
        },
        (error: Error) => socket.destroy(error),
      )
    })
    socket.on('error', (error) => process.stderr.write(`${error.message}\n`))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return (server.address() as AddressInfo).port
}

function alone(flights: RawFlights, chains: Chain[], ms: number): Promise<Load> {
  const latencies = new Latencies()
  const until = performance.now() + ms
  return latencies.during(() =>
    Promise.all(
      chains.map(async (chain) => {
        for (let now = performance.now(); now < until;) {
          const begun = now
          await flights.run(chain)
          now = performance.now()
          latencies.add(now - begun)
        }
      }),
    ),
  )
}

/** Opens the process. `open` answers the port that it listens on, `alone` a load. */
export function openRawServer(root: string): Worker<RawServerTask, number | Load> {
  return openWorker(root, 'bench/auth/rawServer.ts')
}
