import { expect, it, vi } from 'vitest'
import { FrameReader } from './FrameReader.ts'
import { FrameWriter } from './FrameWriter.ts'
import { frameHeaderBytes, maxPayload } from './frames.ts'

/** Writes three frames and an empty one, as one turn does. */
function written(): Buffer {
  const out: Buffer[] = []
  const writer = new FrameWriter((bytes) => out.push(bytes))
  writer.send(1, 7, Buffer.from('first'))
  writer.sendMessage(2, 8, 1, 200, 'Füß\nx-a\nb', 'Körper')
  writer.sendNumbers(3, 9, 1, 2 ** 32 - 1)
  writer.send(4, 2 ** 32 - 1)
  writer.flush()
  expect(out.length).toBe(1)
  return Buffer.concat(out)
}

function read(pieces: Buffer[]): [number, number, string][] {
  const seen: [number, number, string][] = []
  const reader = new FrameReader((kind, id, chunk, start, end) => {
    seen.push([kind, id, chunk.toString('hex', start, end)])
  })
  for (const piece of pieces) reader.push(piece)
  return seen
}

it('a frame is read as written, wherever the stream is split', () => {
  const bytes = written()
  const whole = read([bytes])
  expect(whole.map(([kind, id]) => [kind, id])).toEqual([
    [1, 7],
    [2, 8],
    [3, 9],
    [4, 2 ** 32 - 1],
  ])
  const message = Buffer.from(whole[1]![2], 'hex')
  expect(message.readUInt16LE(1)).toBe(200)
  const head = 7 + message.readUInt32LE(3)
  expect(message.toString('latin1', 7, head)).toBe('Füß\nx-a\nb')
  expect(message.toString('utf8', head)).toBe('Körper')
  for (let at = 1; at < bytes.length; at++) {
    expect(read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole)
  }
  expect(read(Array.from(bytes, (byte) => Buffer.of(byte)))).toEqual(whole)
})

it('writes frames larger than the buffer, and flushes by itself', async () => {
  const out: Buffer[] = []
  const writer = new FrameWriter((bytes) => out.push(bytes))
  const large = Buffer.alloc(300_000, 'x')
  writer.send(1, 1, Buffer.from('small'))
  writer.send(2, 2, large)
  writer.send(3, 3)
  await vi.waitFor(() => expect(Buffer.concat(out).length).toBe(3 * frameHeaderBytes + 300_005))
  expect(read(out).map(([kind]) => kind)).toEqual([1, 2, 3])
})

it('refuses a length above the maximum', () => {
  const head = Buffer.alloc(frameHeaderBytes)
  head.writeUInt32LE(maxPayload + 1)
  expect(() => read([head])).toThrow(RangeError)
})
