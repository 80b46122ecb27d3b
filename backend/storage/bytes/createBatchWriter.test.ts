import type { FileHandle } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createBatchWriter } from './createBatchWriter.ts'

/** A file whose writes wait to be let through, and take `share` bytes at most. */
function slowFile(share = Infinity): {
  handle: FileHandle
  content(): string
  waiting(): number
  let(error?: Error): Promise<void>
} {
  const bytes = Buffer.alloc(1 << 21)
  let end = 0
  const waiting: ((error?: Error) => void)[] = []
  const write = (from: Buffer, offset: number, length: number, at: number): Promise<unknown> =>
    new Promise((resolve, reject) => {
      waiting.push((error) => {
        if (error) return reject(error)
        const bytesWritten = from.copy(bytes, at, offset, offset + Math.min(length, share))
        end = Math.max(end, at + bytesWritten)
        resolve({ bytesWritten })
      })
    })
  return {
    handle: { write } as unknown as FileHandle,
    content: () => bytes.toString('latin1', 0, end),
    waiting: () => waiting.length,
    async let(error) {
      waiting.shift()!(error)
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

test('bytes that arrive during a write are combined in the next one, at the right offset', async () => {
  const file = slowFile()
  const writer = createBatchWriter(file.handle, 2)
  for (const text of ['ab', 'c', 'def']) await writer.add(Buffer.from(text))
  expect(file.waiting()).toBe(1)
  await file.let()
  expect(file.content()).toBe('\0\0ab')
  expect(file.waiting()).toBe(1)
  const finished = writer.finish()
  await file.let()
  await finished
  expect(file.content()).toBe('\0\0abcdef')
  expect(file.waiting()).toBe(0)
})

test('a short write is continued', async () => {
  const file = slowFile(2)
  const writer = createBatchWriter(file.handle, 0)
  await writer.add(Buffer.from('abcde'))
  const finished = writer.finish()
  for (let n = 0; n < 3; n++) await file.let()
  await finished
  expect(file.content()).toBe('abcde')
})

test('a slow disk applies backpressure', async () => {
  const file = slowFile()
  const writer = createBatchWriter(file.handle, 0)
  await writer.add(Buffer.from('a'))
  let hasRoom = false
  const added = writer.add(Buffer.alloc(600 * 1024, 'b')).then(() => (hasRoom = true))
  await new Promise((resolve) => setImmediate(resolve))
  expect(hasRoom).toBe(false)
  await file.let()
  await added
  expect(hasRoom).toBe(true)
  await file.let()
})

test('a failed write rejects the next call and finish', async () => {
  const file = slowFile()
  const writer = createBatchWriter(file.handle, 0)
  await writer.add(Buffer.from('a'))
  await file.let(new Error('full'))
  await expect(writer.add(Buffer.alloc(600 * 1024))).rejects.toThrow('full')
  await expect(writer.finish()).rejects.toThrow('full')
  await writer.abandon()
  expect(file.waiting()).toBe(0)
})
