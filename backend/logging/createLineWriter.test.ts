import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { createLineWriter } from './createLineWriter.ts'

it('writes lines of one turn of the event loop at once, later ones together, in order, and none twice', async () => {
  const written: string[] = []
  const write = createLineWriter({ write: (text) => written.push(text) })
  write('one')
  write('two')
  expect(written).toEqual([])
  await nextTurn()
  expect(written).toEqual(['one\ntwo\n'])
  write('three')
  await nextTurn()
  write('four')
  await vi.waitFor(() => expect(written).toHaveLength(2))
  expect(written).toEqual(['one\ntwo\n', 'three\nfour\n'])
})

it('writes buffered lines once when the process exits', async () => {
  const written: string[] = []
  const before = process.listeners('exit')
  createLineWriter({ write: (text) => written.push(text) })('last words')
  const flush = process.listeners('exit').find((one) => !before.includes(one))
  flush!(0)
  await nextTurn()
  expect(written).toEqual(['last words\n'])
})
