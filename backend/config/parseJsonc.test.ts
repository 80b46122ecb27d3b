import { expect, test } from 'vitest'
import { parseJsonc } from './parseJsonc.ts'

test('comments and trailing commas are skipped, but not within strings', () => {
  const text = `{
    // a comment, with "quotes" and a comma,
    "a": ["x // no comment", "/* nor this */", "\\"", ], /* another, */
    "b": { "c": 1, // the last
    },
  }`
  expect(parseJsonc(text)).toEqual({ a: ['x // no comment', '/* nor this */', '"'], b: { c: 1 } })
  expect(() => parseJsonc('{"a": 1,,}')).toThrow(SyntaxError)
  expect(() => parseJsonc('{"a": /* open')).toThrow(SyntaxError)
})
