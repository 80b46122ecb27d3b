import { createServer, type AddressInfo, type Server } from 'node:net'
import { serveTasks } from '../load/serveTasks.ts'
import { openWorker, type Worker } from '../load/openWorker.ts'
import { Latencies, type Load } from '../rest/Latencies.ts'
import { openRawPipelines, type Chain, type RawPipelines, type RawWork } from './rawPipelines.ts'

type RawServerTask =
  | ({ kind: 'open'; chains: Chain[] } & RawWork)
  /** Runs the operation for `ms` without clients, concurrently for all chains. */
  | { kind: 'alone'; ms: number }
  | { kind: 'close' }

/** pg with a minimal server in front of it. */
interface Opened {
  pipelines: RawPipelines
  server: Server
  chains: Chain[]
}

/**
 * A process that executes the statements of the service with pg alone: any bytes on a connection are a request, the rows
 * as JSON the response. Like the service it gets its load from another process, but it parses no HTTP, checks no
 * permissions or keys, and signs nothing.
 */
export function main(): Promise<number> {
  let opened: Opened | undefined
  return serveTasks(async (task: RawServerTask): Promise<number | Load> => {
    if (task.kind === 'open') {
      opened = { pipelines: await openRawPipelines(task), server: createServer(), chains: task.chains }
      return listen(opened)
    }
    const { pipelines, server, chains } = opened!
    if (task.kind === 'alone') return runInProcess(pipelines, chains, task.ms)
    server.close()
    await pipelines.close()
    return 0
  })
}

/** Each connection has a session of its own. */
async function listen({ pipelines, server, chains }: Opened): Promise<number> {
  const free = [...chains]
  server.on('connection', (socket) => {
    const chain = free.pop()!
    socket.setNoDelay(true)
    socket.once('close', () => free.push(chain))
    socket.on('data', () => {
      pipelines.run(chain).then(
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

function runInProcess(pipelines: RawPipelines, chains: Chain[], ms: number): Promise<Load> {
  const latencies = new Latencies()
  const until = performance.now() + ms
  return latencies.during(() =>
    Promise.all(
      chains.map(async (chain) => {
        for (let now = performance.now(); now < until;) {
          const begun = now
          await pipelines.run(chain)
          now = performance.now()
          latencies.add(now - begun)
        }
      }),
    ),
  )
}

/** Starts the process. `open` returns the port that it listens on, `alone` a load. */
export function openRawServer(root: string): Worker<RawServerTask, number | Load> {
  return openWorker(root, 'bench/auth/rawServer.ts')
}
