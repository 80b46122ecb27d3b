import { TextSelection } from 'prosemirror-state'
import { expect, test } from 'vitest'
import { newLine } from './lineCommands.ts'
import { copySlice, pasteTransaction } from './paste.ts'
import { createTestField } from './testField.ts'

const ANN = '<@00000000-0000-4000-8000-00000000000a>'

/** What a field copies. Browsers put more around it. */
const COPIED = `<meta charset="utf-8">\n<div data-linnet-body="${encodeURIComponent(ANN)}"><p>@Ann</p></div>`

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
  return field.type('!').body()
}

test.each([
  ['HTML', '', { 'text/plain': 'a b', 'text/html': '<ul><li>a <b>b</b></li></ul>' }, '- a **b**!'],
  ['HTML in a line', 'see', { 'text/plain': ' a', 'text/html': ' <i>a</i>' }, 'see *a*!'],
  ['Markdown', '', { 'text/plain': '# A\n\n- b' }, '# A\n\n- b!'],
  [
    'a table, with text behind it',
    '',
    { 'text/plain': '|a|b|\n|-|-|\n|c|d|' },
    '| a | b |\n|-|-|\n| c | d |\n\n!',
  ],
  ['lines with a blank at the end', '', { 'text/plain': 'a\n\nb, ' }, 'a\n\nb, !'],
  ['a sign of a list in a line', 'see', { 'text/plain': ' - a' }, 'see - a!'],
  ['code', '```\na\n```', { 'text/plain': '**b**\n  c' }, '```\na**b**\n  c!\n```'],
  ['a mention', '', { 'text/plain': '@Ann', 'text/html': COPIED }, `${ANN}!`],
  [
    'HTML with blocks behind text',
    'see',
    { 'text/plain': 'A', 'text/html': '<h2>A</h2><p>b</p>' },
    'see\n\n## A\n\nb!',
  ],
  ['a heading alone', 'see ', { 'text/plain': 'A', 'text/html': '<h2>A</h2>' }, 'see A!'],
  ['indented lines', '', { 'text/plain': 'if (a) {\n  b\n}\n' }, '```\nif (a) {\n  b\n}!\n```'],
  ['an indented list', '', { 'text/plain': '- a\n  - b' }, '- a\n  - b!'],
  ['lines', 'a', { 'text/plain': 'b\r\nc' }, 'ab\nc!'],
])('pastes %s', (_name, body, formats, result) => {
  expect(pasted(body, formats)).toBe(result)
})

test('an address over a selection makes a link', () => {
  const address = { 'text/plain': 'https://a.example/x' }
  expect(pasted('this page', address, { over: [1, 5] })).toBe('[this](https://a.example/x)! page')
})

test('text that is pasted as plain text has no formats', () => {
  const formats = { 'text/plain': '**a** # b', 'text/html': '<b>a</b>' }
  expect(pasted('', formats, { isPlain: true })).toBe(String.raw`\**a** # b!`)
})

test('a part of a block is copied as its text, and several blocks as Markdown', () => {
  const copied = (body: string, from = 0, to = createTestField(body).state().doc.content.size) => {
    const data = new Map<string, string>()
    const slice = createTestField(body).state().doc.slice(from, to, true)
    copySlice({ setData: (type, text) => void data.set(type, text) }, slice, '')
    return [
      data.get('text/plain'),
      decodeURIComponent(/="(.*)"/.exec(data.get('text/html') ?? '')?.[1] ?? ''),
    ]
  }
  expect(copied('a **b** `c`', 1, 6)).toEqual(['a b c', 'a **b** `c`'])
  expect(copied('a **b**')).toEqual(['a b', 'a **b**'])
  expect(copied('- a **b**', 3, 6)).toEqual(['a b', 'a **b**'])
  expect(copied('```\na\nb\n```', 1, 4)).toEqual(['a\nb', ''])
  expect(copied('a\n\n- **b**')).toEqual(['a\n\n- **b**', 'a\n\n- **b**'])
})

test.each([
  ['Markdown', { 'text/plain': '- b\n- c' }],
  ['HTML', { 'text/plain': 'b\nc', 'text/html': '<ul><li>b</li><li>c</li></ul>' }],
])(
  'a list that is pasted into an empty item continues the list: %s',
  (_kind, formats: Record<string, string>) => {
    const field = createTestField('- a')
    field.run(newLine)
    field.run((state, dispatch) => {
      dispatch?.(pasteTransaction(state, { getData: (type) => formats[type] ?? '' }, false)!)
      return true
    })
    expect(field.type('!').body()).toBe('- a\n- b\n- c!')
  },
)
