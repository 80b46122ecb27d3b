import { expect, test } from 'vitest'
import { parseJsonc } from './parseJsonc.ts'

test('comments and trailing commas are removed, URLs are not', () => {
  const text = `\uFEFF{
    // a line
    "imports": { "a": "https://esm.sh/a", /* b, */ "b,": "x, }", },
    "list": [1, 2, // two
    ],
  }`
  expect(parseJsonc(text)).toEqual({ imports: { a: 'https://esm.sh/a', 'b,': 'x, }' }, list: [1, 2] })
})

test('an escaped quote does not end a string', () => {
  expect(parseJsonc(String.raw`{"a": "\"// not a comment", "b": "\\"}`)).toEqual({
    a: '"// not a comment',
    b: '\\',
  })
})

test('invalid JSON is a SyntaxError', () => {
  expect(() => parseJsonc('{a: 1}')).toThrow(SyntaxError)
})
