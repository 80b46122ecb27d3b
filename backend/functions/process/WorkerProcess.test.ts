import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { Duplex, PassThrough } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { FrameWriter } from '../ipc/FrameWriter.ts'
import { bodyKind, toServer } from '../ipc/frames.ts'
import type { FunctionLimits } from '../functionLimits.ts'
import { WorkerProcess } from './WorkerProcess.ts'
import type { InFlightRequest } from './InFlightRequest.ts'

/** A process that has ended, and the end of its channel that it wrote to. */
function start() {
  const channel = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() }
  const child = Object.assign(new EventEmitter(), { ...streams, stdio: [null, null, null, channel] })
  const worker = new WorkerProcess(child as unknown as ChildProcess, {} as FunctionLimits)
  const request = {
    startedAt: 0,
    onResponse: vi.fn<InFlightRequest['onResponse']>(),
    onWorkerEnd: vi.fn<InFlightRequest['onWorkerEnd']>(),
  }
  const id = worker.admit(request as unknown as InFlightRequest)
  return { channel, child, worker, request, id }
}

it('reads output that arrives after the exit of a process', async () => {
  const { channel, child, worker, request, id } = start()
  worker.drain(1_000)
  child.emit('exit', 0, null)
  new FrameWriter((bytes) => void channel.push(bytes)).sendMessage(
    toServer.response,
    id,
    bodyKind.whole,
    200,
    '',
    'ok',
  )
  await vi.waitFor(() => expect(request.onResponse).toHaveBeenCalledOnce())
  expect(request.onWorkerEnd).not.toHaveBeenCalled()
  channel.push(null)
  channel.destroy()
  await vi.waitFor(() => expect(worker.isEnded).toBe(true))
})

it('notifies a waiting request of the end of its process', async () => {
  const { channel, child, request } = start()
  child.emit('exit', 1, null)
  channel.destroy()
  await vi.waitFor(() => expect(request.onWorkerEnd).toHaveBeenCalledWith('crash'))
})
