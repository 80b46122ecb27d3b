import { expect, test } from 'vitest'
import { EnvironmentError, parseEnvironment } from './parseEnvironment.ts'

test('parses comments, quotes, escapes and references', () => {
  const text = `
# a comment
PLAIN=one
export EXPORTED = two   # comment
HASH=a#b
EMPTY=
YAML: three
SINGLE='$PLAIN \\n # kept'
DOUBLE="line\\nbreak \\"quoted\\" $PLAIN \${EXPORTED} \\$PLAIN"
KEY="-----BEGIN
two
lines-----" # comment
URL=https://x.example/?a=b&c=d
JSON={"a": 1}
LAST=end`
  expect(parseEnvironment(text)).toEqual({
    PLAIN: 'one',
    EXPORTED: 'two',
    HASH: 'a#b',
    EMPTY: '',
    YAML: 'three',
    SINGLE: '$PLAIN \\n # kept',
    DOUBLE: 'line\nbreak "quoted" one two $PLAIN',
    KEY: '-----BEGIN\ntwo\nlines-----',
    URL: 'https://x.example/?a=b&c=d',
    JSON: '{"a": 1}',
    LAST: 'end',
  })
})

test('parses Windows line endings, a byte order mark and empty files', () => {
  expect(parseEnvironment('\uFEFFA=1\r\nB=2\r\n')).toEqual({ A: '1', B: '2' })
  expect(parseEnvironment('')).toEqual({})
  expect(parseEnvironment('  \n# only\n')).toEqual({})
})

test.each([
  ['A=1\nsecret words', 'Line 2 is not NAME=value.'],
  ['A="secret', 'Line 1 has an unclosed quote.'],
])('the error for %j does not contain its text', (text, sentence) => {
  expect(() => parseEnvironment(text)).toThrow(EnvironmentError)
  expect(() => parseEnvironment(text)).toThrow(sentence)
})
