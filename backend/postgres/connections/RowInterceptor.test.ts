import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { RowInterceptor } from './RowInterceptor.ts'
import type { RowBytes } from './RowInterceptor.ts'

function message(code: string, content: Buffer): Buffer {
  const header = Buffer.alloc(5)
  header.write(code)
  header.writeUInt32BE(content.length + 4, 1)
  return Buffer.concat([header, content])
}

function row(...fields: (string | null)[]): Buffer {
  const parts = fields.map((field) => {
    const length = Buffer.alloc(4)
    length.writeInt32BE(field === null ? -1 : Buffer.byteLength(field))
    return Buffer.concat([length, Buffer.from(field ?? '')])
  })
  const count = Buffer.alloc(2)
  count.writeUInt16BE(fields.length)
  return message('D', Buffer.concat([count, ...parts]))
}

/** What pg's parser would see, and what the tap took: in order, as texts. */
function tapped(takes: (n: number) => boolean) {
  const socket = new EventEmitter()
  const passed: Buffer[] = []
  const taken: (string | null)[][] = []
  let rows = 0
  socket.on('data', (bytes: Buffer) => passed.push(Buffer.from(bytes)))
  const destroyed: (Error | undefined)[] = []
  const tap = RowInterceptor.of(Object.assign(socket, { destroy: (error?: Error) => destroyed.push(error) }))
  tap.selectHandler = () =>
    takes(rows++) ? (fields: RowBytes) => taken.push(fields.map((field) => field?.toString() ?? null)) : null
  return { socket, tap, destroyed, passed: () => Buffer.concat(passed), taken }
}

const done = message('C', Buffer.from('SELECT 1\0'))
const ready = message('Z', Buffer.from('I'))
const long = 'ü'.repeat(100_000)
const answer = [row('1', null, ''), done, row('2', long), done, ready]

describe('RowInterceptor', () => {
  it('intercepts selected rows and passes everything else on, at any chunk boundaries', () => {
    const bytes = Buffer.concat(answer)
    for (const size of [bytes.length, 1, 2, 3, 5, 7, 1_000, 65_536]) {
      const { socket, passed, taken } = tapped(() => true)
      for (let at = 0; at < bytes.length; at += size) socket.emit('data', bytes.subarray(at, at + size))
      expect(taken).toEqual([
        ['1', null, ''],
        ['2', long],
      ])
      expect(passed()).toEqual(Buffer.concat([done, done, ready]))
    }
  })

  it('selects the handler for each row', () => {
    const { socket, passed, taken } = tapped((n) => n === 1)
    socket.emit('data', Buffer.concat(answer))
    expect(taken).toEqual([['2', long]])
    expect(passed()).toEqual(Buffer.concat([answer[0]!, done, done, ready]))
  })

  it('passes on preceding messages before it selects the handler of a row', () => {
    const { socket, tap, passed } = tapped(() => true)
    const seen: number[] = []
    tap.selectHandler = () => {
      seen.push(passed().length)
      return () => {}
    }
    socket.emit('data', Buffer.concat([done, row('1'), ready, row('2')]))
    expect(seen).toEqual([done.length, done.length + ready.length])
  })

  it('passes everything on without a handler', () => {
    const { socket, tap, passed } = tapped(() => true)
    tap.selectHandler = null
    const half = answer[0]!.subarray(0, 7)
    socket.emit('data', half)
    expect(passed()).toEqual(half)
    expect(RowInterceptor.of(Object.assign(socket, { destroy: () => {} }))).toBe(tap)
  })

  it('calls admitRow once for each long row before buffering it, and closes the connection if it refuses', () => {
    const { socket, tap, taken, destroyed, passed } = tapped(() => true)
    const checkedSizes: number[] = []
    tap.admitRow = (bytes) => (checkedSizes.push(bytes) < 2 ? null : new Error('too long'))
    const bytes = Buffer.concat(answer)
    for (let at = 0; at < bytes.length; at += 1_000) socket.emit('data', bytes.subarray(at, at + 1_000))
    expect([checkedSizes, taken.length, destroyed]).toEqual([[row('2', long).length], 2, []])
    socket.emit('data', bytes.subarray(0, 1_000))
    expect([checkedSizes.length, taken.length]).toEqual([2, 3])
    expect(destroyed).toMatchObject([{ name: 'RowRefused', reason: { message: 'too long' } }])
    expect(passed().length).toBeGreaterThan(0)
  })
})
