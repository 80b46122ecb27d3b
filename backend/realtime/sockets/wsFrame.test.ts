import { expect, it } from 'vitest'
import { wsFrame } from './wsFrame.ts'

it('writes each of the three length encodings', () => {
  expect([...wsFrame('hé')]).toEqual([0x81, 3, 104, 0xc3, 0xa9])
  expect([...wsFrame(new Uint8Array([1, 2]))]).toEqual([0x82, 2, 1, 2])
  expect([...wsFrame('x'.repeat(126)).subarray(0, 4)]).toEqual([0x81, 126, 0, 126])
  expect([...wsFrame(new Uint8Array(65_536)).subarray(0, 10)]).toEqual([0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0])
})
