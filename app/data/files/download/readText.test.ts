import { expect, it } from 'vitest'
import { decodeText } from './readText.ts'

it.each([
  ['UTF-8', [0xc3, 0xa4, 0x62], 'äb'],
  ['UTF-8 with its mark', [0xef, 0xbb, 0xbf, 0x62], 'b'],
  ['a character cut in two', [0x62, 0xe2, 0x82], 'b'],
  ['UTF-16, small end first', [0xff, 0xfe, 0x62, 0, 0xe4, 0, 0x62], 'bä'],
  ['UTF-16, big end first', [0xfe, 0xff, 0, 0x62], 'b'],
  ['what is no UTF-8', [0x47, 0x72, 0xfc, 0xdf, 0x65], 'Grüße'],
  ['nothing', [], ''],
])('reads %s', (_what, bytes, text) => {
  expect(decodeText(Uint8Array.from(bytes))).toBe(text)
})
