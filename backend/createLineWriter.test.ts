import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createLineWriter } from './createLineWriter.ts'

it('writes the lines of one turn at once, in their order, and none twice', async () => {
  const written: string[] = []
  const write = createLineWriter({ write: (text) => written.push(text) })
  write('one')
  write('two')
  expect(written).toEqual([])
  await nextTurn()
  expect(written).toEqual(['one\ntwo\n'])
  write('three')
  await nextTurn()
  expect(written).toEqual(['one\ntwo\n', 'three\n'])
})
