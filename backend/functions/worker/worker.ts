import { Socket } from 'node:net'
import { pathToFileURL } from 'node:url'
import { FrameReader } from '../ipc/FrameReader.ts'
import { FrameWriter } from '../ipc/FrameWriter.ts'
import { toHouse, toWorker, type WorkerOrder } from '../ipc/frames.ts'
import type { Handler } from '../functionSeam.ts'
import { Slots } from '../ipc/Slots.ts'
import { Conversation } from './Conversation.ts'
import { installGlobals } from './globals/installGlobals.ts'
import { installRequest } from './IncomingRequest.ts'
import { installResponse } from './OutgoingResponse.ts'
import { renderError, tellError } from './tellError.ts'

/** Where the house left its end of the channel: after standard input, output and error. */
const channel = 3

/** Characters of a reason that the log keeps. */
const longestReason = 8_192

const socket = new Socket({ fd: channel, readable: true, writable: true })
const writer = new FrameWriter((bytes) => socket.write(bytes))
const underWay = new Slots<Conversation>()
let handler: Handler | null = null
let isLoaded = false
let isDraining = false
let waiting = 0

function endWhenDone(): void {
  if (!isDraining || underWay.size > 0 || waiting > 0) return
  writer.flush()
  process.exit(0)
}

function tellWhenReady(): void {
  if (isLoaded && handler) writer.send(toHouse.ready, 0)
}

function waitUntil(promise: Promise<unknown>): void {
  waiting++
  const settled = (): void => {
    waiting--
    endWhenDone()
  }
  // Told and borne: nobody else learns of what goes wrong after the answer.
  void Promise.resolve(promise).catch(tellError).finally(settled)
}

async function load({ name, module, folder, env, staticFiles }: WorkerOrder): Promise<void> {
  for (const key of Object.keys(process.env)) delete process.env[key]
  Object.assign(process.env, env)
  process.title = `linnet function ${name}`
  process.setSourceMapsEnabled(true)
  installRequest()
  installResponse()
  installGlobals({
    name,
    env,
    folder,
    staticFiles,
    waitUntil,
    serve(given) {
      const isFirst = handler === null
      handler = given
      if (isFirst) tellWhenReady()
    },
  })
  const loaded = (await import(pathToFileURL(module).href)) as { default?: { fetch?: unknown } }
  const own = loaded.default?.fetch
  if (typeof own === 'function')
    handler ??= (request, info) => Reflect.apply(own, loaded.default, [request, info])
  isLoaded = true
  tellWhenReady()
}

function open(id: number, chunk: Buffer, start: number, end: number): void {
  const headStart = start + 5
  const headEnd = headStart + chunk.readUInt32LE(start + 1)
  const head = chunk.toString('latin1', headStart, headEnd)
  const one = new Conversation(writer, id, head, chunk[start]!, chunk.subarray(headEnd, end))
  underWay.put(id, one)
  void one.run(handler!).then(() => {
    underWay.delete(id)
    endWhenDone()
  })
}

function drain(): void {
  isDraining = true
  const target = globalThis as { dispatchEvent?: (event: Event) => unknown }
  target.dispatchEvent?.(new CustomEvent('beforeunload', { detail: { reason: 'shutdown' } }))
  endWhenDone()
}

function pong(id: number): void {
  const { user, system } = process.cpuUsage()
  const residentKiB = process.memoryUsage.rss() / 1024
  writer.sendNumbers(toHouse.pong, id, waiting, residentKiB, (user + system) / 1000)
}

const reader = new FrameReader((kind, id, chunk, start, end) => {
  switch (kind) {
    case toWorker.request:
      return open(id, chunk, start, end)
    case toWorker.body:
      return underWay.get(id)?.body?.push(chunk.subarray(start, end))
    case toWorker.bodyEnd:
      return underWay.get(id)?.body?.end()
    case toWorker.credit:
      return underWay.get(id)?.addCredit(chunk.readUInt32LE(start))
    case toWorker.cancel:
      underWay.get(id)?.cancel()
      // Nobody waits for it any more, and so it keeps nobody.
      underWay.delete(id)
      return endWhenDone()
    case toWorker.ping:
      return pong(id)
    case toWorker.drain:
      return drain()
    case toWorker.load:
      load(JSON.parse(chunk.toString('utf8', start, end)) as WorkerOrder).catch((error: unknown) => {
        writer.send(toHouse.failed, 0, Buffer.from(renderError(error).slice(0, longestReason)))
        writer.flush()
        socket.end(() => process.exit(1))
      })
  }
})

socket.on('data', (bytes: Buffer) => reader.push(bytes))
// The house is gone, whatever became of it: nobody is left to work for.
socket.on('error', () => process.exit(1))
socket.on('close', () => process.exit(1))
// The house alone decides when a function ends, also where a supervisor signals every process of its own.
process.on('SIGTERM', () => {})
// Node's own words on it show the worker's code. A function that listens itself decides itself.
process.on('uncaughtException', (error) => {
  if (process.listenerCount('uncaughtException') > 1) return
  tellError(error)
  process.exit(1)
})
