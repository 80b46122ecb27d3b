import { expect, test } from 'vitest'
import type { Transform } from './Transform.ts'
import { parseTransformText, transformText } from './transformText.ts'

test.each<[Transform, string]>([
  [{ height: 100, width: 50, resize: 'contain' }, 'height:100,width:50,resize:contain'],
  [{ width: 50, quality: 30, format: 'webp' }, 'width:50,quality:30,format:webp'],
  [{ gravity: { kind: 'no', x: 12, y: -4 } }, 'gravity:no:12:-4'],
  [{ gravity: { kind: 'sm', x: 0, y: 0 } }, 'gravity:sm'],
  [{ gravity: { kind: 'fp', x: 0, y: 0 } }, 'gravity:fp:0:0'],
])('%o is written %s', (transform, text) => {
  expect(transformText(transform)).toBe(text)
  expect(parseTransformText(text)).toEqual(transform)
})

test.each<Transform>([{}, { resize: 'cover' }, { format: 'origin' }])('%o changes nothing', (transform) => {
  expect(transformText(transform)).toBe('')
})

test('what a token holds is bounded again', () => {
  expect(parseTransformText('width:99999', 'origin')).toEqual({ width: 2500, format: 'origin' })
  expect(() => parseTransformText('quality:1')).toThrow('quality')
  expect(() => parseTransformText('format:exe')).toThrow('format')
})
