import { Socket } from 'node:net'
import { pathToFileURL } from 'node:url'
import { FrameReader } from '../ipc/FrameReader.ts'
import { FrameWriter } from '../ipc/FrameWriter.ts'
import { toServer, toWorker, type WorkerConfig } from '../ipc/frames.ts'
import type { Handler } from '../functionTypes.ts'
import { Slots } from '../ipc/Slots.ts'
import { RequestHandling } from './RequestHandling.ts'
import { installGlobals } from './globals/installGlobals.ts'
import { installRequest } from './IncomingRequest.ts'
import { installResponse } from './OutgoingResponse.ts'
import { renderError, printError } from './printError.ts'

/** The file descriptor of the channel to the server, which follows standard input, output and error. */
const channel = 3

/** Maximum characters of a reason in the log. */
const maxReasonLength = 8_192

const socket = new Socket({ fd: channel, readable: true, writable: true })
const writer = new FrameWriter((bytes) => socket.writable && socket.write(bytes))
const inFlight = new Slots<RequestHandling>()
let handler: Handler | null = null
let isLoaded = false
let isDraining = false
let waiting = 0
let exitCode: 0 | 1 = 1

function endWhenDone(): void {
  if (!isDraining || inFlight.size > 0 || waiting > 0 || !socket.writable) return
  exitWhenRead(0)
}

/**
 * Exits once the server has read all frames and closed its side. After an earlier exit the server's next frame would
 * cause an error of the channel, and Node would then discard the unread frames.
 */
function exitWhenRead(code: 0 | 1): void {
  writer.flush()
  exitCode = code
  socket.end()
}

function sendReady(): void {
  if (isLoaded && handler) writer.send(toServer.ready, 0)
}

function waitUntil(promise: Promise<unknown>): void {
  waiting++
  const settled = (): void => {
    waiting--
    endWhenDone()
  }
  // Printed and otherwise ignored: errors after the response are not visible elsewhere.
  void Promise.resolve(promise).catch(printError).finally(settled)
}

async function load({ name, module, folder, env, staticFiles }: WorkerConfig): Promise<void> {
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
      if (isFirst) sendReady()
    },
  })
  const loaded = (await import(pathToFileURL(module).href)) as { default?: { fetch?: unknown } }
  const own = loaded.default?.fetch
  if (typeof own === 'function')
    handler ??= (request, info) => Reflect.apply(own, loaded.default, [request, info])
  isLoaded = true
  sendReady()
}

function open(id: number, chunk: Buffer, start: number, end: number): void {
  const headStart = start + 5
  const headEnd = headStart + chunk.readUInt32LE(start + 1)
  const head = chunk.toString('latin1', headStart, headEnd)
  const one = new RequestHandling(writer, id, head, chunk[start]!, chunk.subarray(headEnd, end))
  inFlight.put(id, one)
  void one.run(handler!).then(() => {
    inFlight.delete(id)
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
  writer.sendNumbers(toServer.pong, id, waiting, residentKiB, (user + system) / 1000)
}

const reader = new FrameReader((kind, id, chunk, start, end) => {
  switch (kind) {
    case toWorker.request:
      return open(id, chunk, start, end)
    case toWorker.body:
      return inFlight.get(id)?.body?.push(chunk.subarray(start, end))
    case toWorker.bodyEnd:
      return inFlight.get(id)?.body?.end()
    case toWorker.credit:
      return inFlight.get(id)?.addCredit(chunk.readUInt32LE(start))
    case toWorker.cancel:
      inFlight.get(id)?.cancel()
      // It no longer keeps the worker from draining.
      inFlight.delete(id)
      return endWhenDone()
    case toWorker.ping:
      return pong(id)
    case toWorker.drain:
      return drain()
    case toWorker.load:
      load(JSON.parse(chunk.toString('utf8', start, end)) as WorkerConfig).catch((error: unknown) => {
        writer.send(toServer.failed, 0, Buffer.from(renderError(error).slice(0, maxReasonLength)))
        exitWhenRead(1)
      })
  }
})

socket.on('data', (bytes: Buffer) => reader.push(bytes))
// The server has exited or closed the channel.
socket.on('error', () => process.exit(1))
socket.on('close', () => process.exit(exitCode))
// Only the server ends a worker, also if a supervisor signals all processes.
process.on('SIGTERM', () => {})
// Node's own message would show the worker's code. A function with its own listener handles the error itself.
process.on('uncaughtException', (error) => {
  if (process.listenerCount('uncaughtException') > 1) return
  printError(error)
  process.exit(1)
})
