import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex, PassThrough } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { FrameWriter } from '../ipc/FrameWriter.ts'
import { bodyKind, toServer } from '../ipc/frames.ts'
import type { FunctionLimits } from '../functionLimits.ts'
import { WorkerProcess } from './WorkerProcess.ts'
import type { InFlightRequest } from './InFlightRequest.ts'

const memoryChannel = (): Duplex => new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })

/** A process that has ended, and the end of its channel that the server reads. */
function start(channel = memoryChannel()) {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() }
  const child = Object.assign(new EventEmitter(), { ...streams, stdio: [null, null, null, channel] })
  const worker = new WorkerProcess(child as unknown as ChildProcess, {} as FunctionLimits)
  const request = {
    startedAt: 0,
    onResponse: vi.fn<InFlightRequest['onResponse']>(),
    onWorkerEnd: vi.fn<InFlightRequest['onWorkerEnd']>(),
  }
  const id = worker.addRequest(request as unknown as InFlightRequest)
  return { channel, child, worker, request, id }
}

/** Two ends of one socket, as a process and the server have them. */
async function socketPair(): Promise<[Socket, Socket]> {
  const dir = mkdtempSync(join(tmpdir(), 'linnet-channel-'))
  const server = createServer()
  try {
    const path = join(dir, 'socket')
    await new Promise<void>((resolve) => server.listen(path, resolve))
    const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve))
    return [connect(path), await accepted]
  } finally {
    server.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

function sendResponse(write: (bytes: Buffer) => unknown, id: number): void {
  const writer = new FrameWriter((bytes) => void write(bytes))
  writer.sendMessage(toServer.response, id, bodyKind.whole, 200, '', 'ok')
  writer.flush()
}

it('reads output that arrives after the exit of a process', async () => {
  const { channel, child, worker, request, id } = start()
  worker.drain(1_000)
  child.emit('exit', 0, null)
  sendResponse((bytes) => channel.push(bytes), id)
  await vi.waitFor(() => expect(request.onResponse).toHaveBeenCalledOnce())
  expect(request.onWorkerEnd).not.toHaveBeenCalled()
  channel.push(null)
  channel.destroy()
  await vi.waitFor(() => expect(worker.isEnded).toBe(true))
})

it('reads output that is in the pipe after the event loop was blocked for longer than it waits for output', async () => {
  const [ofServer, ofProcess] = await socketPair()
  const { child, worker, request, id } = start(ofServer)
  worker.drain(1_000)
  // Reading has started.
  await new Promise((resolve) => setImmediate(resolve))
  child.emit('exit', 0, null)
  sendResponse((bytes) => ofProcess.write(bytes), id)
  const blockedUntil = performance.now() + 400
  while (performance.now() < blockedUntil);
  await vi.waitFor(() => expect(worker.isEnded).toBe(true))
  expect(request.onResponse).toHaveBeenCalledOnce()
  ofProcess.destroy()
})

it('notifies a waiting request of the end of its process', async () => {
  const { channel, child, request } = start()
  child.emit('exit', 1, null)
  channel.destroy()
  await vi.waitFor(() => expect(request.onWorkerEnd).toHaveBeenCalledWith('crash'))
})
