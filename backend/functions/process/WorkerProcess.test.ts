import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { Duplex, PassThrough } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { FrameWriter } from '../ipc/FrameWriter.ts'
import { bodyKind, toHouse } from '../ipc/frames.ts'
import type { FunctionLimits } from '../functionLimits.ts'
import { WorkerProcess, type Guest } from './WorkerProcess.ts'

/** A process that has ended, and the end of its channel that it wrote to. */
function start() {
  const channel = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() }
  const child = Object.assign(new EventEmitter(), { ...streams, stdio: [null, null, null, channel] })
  const worker = new WorkerProcess(child as unknown as ChildProcess, {} as FunctionLimits)
  const guest = {
    startedAt: 0,
    onAnswer: vi.fn<Guest['onAnswer']>(),
    onWorkerEnd: vi.fn<Guest['onWorkerEnd']>(),
  }
  const id = worker.admit(guest as unknown as Guest)
  return { channel, child, worker, guest, id }
}

it('reads what a process wrote before it ended, though its end is noticed first', async () => {
  const { channel, child, worker, guest, id } = start()
  worker.drain(1_000)
  child.emit('exit', 0, null)
  new FrameWriter((bytes) => void channel.push(bytes)).sendMessage(
    toHouse.answer,
    id,
    bodyKind.whole,
    200,
    '',
    'ok',
  )
  await vi.waitFor(() => expect(guest.onAnswer).toHaveBeenCalledOnce())
  expect(guest.onWorkerEnd).not.toHaveBeenCalled()
  channel.push(null)
  channel.destroy()
  await vi.waitFor(() => expect(worker.isEnded).toBe(true))
})

it('tells a request that waits that its process has ended', async () => {
  const { channel, child, guest } = start()
  child.emit('exit', 1, null)
  channel.destroy()
  await vi.waitFor(() => expect(guest.onWorkerEnd).toHaveBeenCalledWith('crash'))
})
