import { expect, test } from 'vitest'
import { keepNecessaryEscapes } from './escapes.ts'
import { mentionsOf } from './mentionsOf.ts'
import { parseBody } from './parseBody.ts'
import { plainText } from './plainText.ts'

const context = { spoiler: '…', nameOf: () => null }

test.each([
  [String.raw`snake\_case and 5 \* 3 \[a\]`, 'snake_case and 5 * 3 [a]'],
  [String.raw`\*a\* and **b \*c\***`, String.raw`\*a* and **b \*c\***`],
  [String.raw`C:\\temp\\\*.txt`, String.raw`C:\temp\*.txt`],
  ['\\# no title', '# no title'],
  ['\\# no title\n\nx', '\\# no title\n\nx'],
  ['https://a.example/b\\_c', 'https://a.example/b_c'],
  ['`\\_` \\_a\\_', '`\\_` \\_a_'],
  ['| a\\|b |\n|-|', '| a\\|b |\n|-|'],
  ['a \\| b', 'a | b'],
  ['\\| a \\|\n\\|-\\|\n\\| b \\|', '| a |\n\\|-|\n| b |'],
  ['1986\\. A year', '1986. A year'],
  ['1\\. no list', '1\\. no list'],
  ['\\:tada: https\\://a.example', '\\:tada: https\\://a.example'],
])('of %s the necessary backslashes remain', (markdown, expected) => {
  expect(keepNecessaryEscapes(markdown)).toBe(expected)
})

test('the text is shown without the backslashes of the escapes', () => {
  for (const text of [
    '*a*',
    '__init__',
    '[a](https://a.example)',
    '1. a',
    '`a`',
    '||a||',
    'C:\\*.txt',
    '$a$',
    '- a',
    '| a | b |\n|-|-|\n| c | d |',
    'a | b\n-|-',
  ]) {
    const escaped = text.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&')
    const kept = keepNecessaryEscapes(escaped)
    expect(plainText(kept, parseBody(kept), context)).toBe(text.replaceAll('\n', ' '))
  }
})

test('the result mentions only what the Markdown mentions', () => {
  expect(mentionsOf(keepNecessaryEscapes('**\\*\\<!here>\\`\\`\\`\\`\\<!here>**'))).toEqual([])
  expect(mentionsOf(keepNecessaryEscapes('\\<!here\\> \\_'))).toEqual([])
  expect(mentionsOf(keepNecessaryEscapes('<!here> \\<!channel> \\_'))).toEqual(['here'])
})
