import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { answerTasks } from '../load/answerTasks.ts'
import { openWorker, type Worker } from '../load/openWorker.ts'

/** The folder whose files are served, and in which what is sent is written. */
interface BareTask {
  dir: string
}

/**
 * A bare Node server for files, in a process of its own: what could be reached if nothing stood between a client and
 * the disk. GET streams a file, or a range of it; PUT writes one, calls fsync, and takes it away again. It knows
 * neither people nor rows, and hashes nothing.
 */
export function main(): Promise<number> {
  let server: Server | undefined
  return answerTasks(async ({ dir }: BareTask): Promise<number> => {
    server = createServer((incoming, outgoing) => {
      const answered =
        incoming.method === 'PUT' ? take(incoming, outgoing, dir) : send(incoming, outgoing, dir)
      answered.catch((error: Error) => outgoing.destroy(error))
    })
    server.listen(0, '127.0.0.1')
    await new Promise((resolve) => server!.once('listening', resolve))
    return (server.address() as AddressInfo).port
  }).finally(() => server?.close().closeAllConnections())
}

async function send(incoming: IncomingMessage, outgoing: ServerResponse, dir: string): Promise<void> {
  const path = join(dir, incoming.url!)
  const { size } = await stat(path)
  const range = /^bytes=(\d+)-(\d+)$/.exec(incoming.headers.range ?? '')
  const [start, end] = range ? [Number(range[1]), Number(range[2])] : [0, size - 1]
  outgoing.writeHead(range ? 206 : 200, {
    'Content-Length': end - start + 1,
    ...(range && { 'Content-Range': `bytes ${start}-${end}/${size}` }),
  })
  await pipeline(createReadStream(path, { start, end }), outgoing)
}

async function take(incoming: IncomingMessage, outgoing: ServerResponse, dir: string): Promise<void> {
  const path = join(dir, randomUUID())
  // `flush` is fsync before the file is closed.
  await pipeline(incoming, createWriteStream(path, { flush: true }))
  outgoing.writeHead(200, { 'Content-Length': 0 }).end()
  await rm(path)
}

/** Opens the process. It answers the port that it listens on. */
export function openBareFiles(root: string): Worker<BareTask, number> {
  return openWorker(root, 'bench/storage/bareFiles.ts')
}
