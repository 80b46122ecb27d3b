import { expect, test } from 'vitest'
import type { Transform } from './readTransform.ts'
import { parseTransform, formatTransform } from './transformText.ts'

test.each<[Transform, string]>([
  [{ height: 100, width: 50, resize: 'contain' }, 'height:100,width:50,resize:contain'],
  [{ width: 50, quality: 30, format: 'webp' }, 'width:50,quality:30,format:webp'],
  [{ gravity: { kind: 'no', x: 12, y: -4 } }, 'gravity:no:12:-4'],
  [{ gravity: { kind: 'sm', x: 0, y: 0 } }, 'gravity:sm'],
  [{ gravity: { kind: 'fp', x: 0, y: 0 } }, 'gravity:fp:0:0'],
])('%o is written %s', (transform, text) => {
  expect(formatTransform(transform)).toBe(text)
  expect(parseTransform(text)).toEqual(transform)
})

test.each<Transform>([{}, { resize: 'cover' }, { format: 'origin' }])('%o changes nothing', (transform) => {
  expect(formatTransform(transform)).toBe('')
})

test('what a token holds is bounded again', () => {
  expect(parseTransform('width:99999', 'origin')).toEqual({ width: 2500, format: 'origin' })
  expect(() => parseTransform('quality:1')).toThrow('quality')
  expect(() => parseTransform('format:exe')).toThrow('format')
})
