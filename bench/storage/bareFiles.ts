import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { serveTasks } from '../load/serveTasks.ts'
import { openWorker, type Worker } from '../load/openWorker.ts'

/** The folder of served and uploaded files. */
interface BareTask {
  dir: string
}

/**
 * A bare Node server for files, in a process of its own: the upper limit without
 * database. GET streams a file or a range; PUT writes one, calls fsync, and deletes it. It checks no permissions and
 * computes no hash.
 */
export function main(): Promise<number> {
  let server: Server | undefined
  return serveTasks(async ({ dir }: BareTask): Promise<number> => {
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

/** Starts the process. It returns the port that it listens on. */
export function openBareFiles(root: string): Worker<BareTask, number> {
  return openWorker(root, 'bench/storage/bareFiles.ts')
}
