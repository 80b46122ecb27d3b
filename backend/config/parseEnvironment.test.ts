import { expect, test } from 'vitest'
import { EnvironmentError, parseEnvironment } from './parseEnvironment.ts'

test('the forms that people write', () => {
  const text = `
# a comment
PLAIN=one
export EXPORTED = two   # behind it
HASH=a#b
EMPTY=
YAML: three
SINGLE='$PLAIN \\n # kept'
DOUBLE="line\\nbreak \\"quoted\\" $PLAIN \${EXPORTED} \\$PLAIN"
KEY="-----BEGIN
two
lines-----" # said
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

test('Windows ends of lines, a byte order mark, nothing at all', () => {
  expect(parseEnvironment('\uFEFFA=1\r\nB=2\r\n')).toEqual({ A: '1', B: '2' })
  expect(parseEnvironment('')).toEqual({})
  expect(parseEnvironment('  \n# only\n')).toEqual({})
})

test.each([
  ['A=1\nsecret words', 'Line 2 is not NAME=value.'],
  ['A="secret', 'Line 1 opens a quote that is never closed.'],
])('%j is refused without its words', (text, sentence) => {
  expect(() => parseEnvironment(text)).toThrow(EnvironmentError)
  expect(() => parseEnvironment(text)).toThrow(sentence)
})
