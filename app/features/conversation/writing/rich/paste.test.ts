import { TextSelection } from 'prosemirror-state'
import { expect, test } from 'vitest'
import { pasteTransaction, plainText } from './paste.ts'
import { createTestField } from './testField.ts'

const ANN = '<@00000000-0000-4000-8000-00000000000a>'

/** The message after formats of a clipboard are pasted at the end of another one, or over a part of its first line. */
function pasted(
  body: string,
  formats: Record<string, string>,
  { isPlain = false, over }: { isPlain?: boolean; over?: [number, number] } = {},
): string {
  const field = createTestField(body)
  if (over)
    field.run((state, dispatch) => {
      dispatch?.(state.tr.setSelection(TextSelection.create(state.doc, ...over)))
      return true
    })
  field.run((state, dispatch) => {
    const tr = pasteTransaction(state, { getData: (type) => formats[type] ?? '' }, isPlain)
    if (tr) dispatch?.(tr)
    return tr !== null
  })
  return (over ? field : field.type('!')).body()
}

test.each([
  ['HTML', '', { 'text/plain': 'a b', 'text/html': '<ul><li>a <b>b</b></li></ul>' }, '- a **b**!'],
  ['HTML in a line', 'see', { 'text/plain': ' a', 'text/html': ' <i>a</i>' }, 'see *a*!'],
  ['Markdown', '', { 'text/plain': '# A\n\n- b' }, '# A\n\n- b!'],
  ['a sign of a list in a line', 'see', { 'text/plain': ' - a' }, 'see - a!'],
  ['code', '```\na\n```', { 'text/plain': '**b**\n  c' }, '```\na**b**\n  c!\n```'],
  ['a mention', '', { 'text/plain': '@Ann', 'application/x-linnet-body': ANN }, `${ANN}!`],
  ['lines', 'a', { 'text/plain': 'b\r\nc' }, 'ab\nc!'],
])('pastes %s', (_name, body, formats, result) => {
  expect(pasted(body, formats)).toBe(result)
})

test('an address over a selection makes a link', () => {
  const address = { 'text/plain': 'https://a.example/x' }
  expect(pasted('this page', address, { over: [1, 5] })).toBe('[this](https://a.example/x) page')
})

test('text that is pasted as plain text has no formats', () => {
  const formats = { 'text/plain': '**a** # b', 'text/html': '<b>a</b>' }
  expect(pasted('', formats, { isPlain: true })).toBe(String.raw`\**a** # b!`)
})

test('a copied line is its text, and several blocks are Markdown', () => {
  const copied = (body: string) => {
    const { doc } = createTestField(body).state()
    return plainText(doc.slice(0, doc.content.size))
  }
  expect(copied('a **b** `c`')).toBe('a b c')
  expect(copied('a\n\n- **b**')).toBe('a\n\n- **b**')
})
