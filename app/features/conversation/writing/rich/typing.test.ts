import { selectAll } from 'prosemirror-commands'
import { AllSelection, Selection, TextSelection } from 'prosemirror-state'
import { expect, test } from 'vitest'
import { formatCommand, linkCommand } from './formatCommands.ts'
import { indent, newLine, outdent } from './lineCommands.ts'
import { schema } from './schema.ts'
import { createTestField } from './testField.ts'
import { wordMarksPlugin } from './wordMarks.ts'

/** The message after a text is typed, with "⏎" for Shift+Enter. */
function typed(text: string): string {
  const field = createTestField()
  for (const [at, line] of text.split('⏎').entries()) {
    if (at > 0) field.run(newLine)
    field.type(line)
  }
  return field.body()
}

test.each([
  ['**bold** text', '**bold** text'],
  ['*it* _it_ ~~no~~ ||hid|| `c*o*de`', '*it* *it* ~~no~~ ||hid|| `c*o*de`'],
  ['***both***', '***both***'],
  ['**「重要」**です', '**「重要」**です'],
  ['> a', '> a'],
  ['- a⏎b', '- a\n- b'],
  ['* a', '* a'],
  ['1. a⏎b⏎⏎c', '1. a\n2. b\n\nc'],
  ['- > a⏎⏎⏎b', '- > a\n- b'],
  ['- [ ] a⏎b', '- [ ] a\n- [ ] b'],
  ['# Plan⏎text', '# Plan\n\ntext'],
  ['a⏎- b', 'a\n\n- b'],
  ['> a⏎b⏎⏎c', '> a\n> b\n\nc'],
  ['```js⏎a(⏎  b⏎c', '```js\na(\n  b\n  c\n```'],
  ['```a()⏎b', '```\na()\nb\n```'],
  ['```⏎a⏎```b', '```\na\n```\n\nb'],
  ['```⏎a⏎⏎⏎b', '```\na\n```\n\nb'],
  ['[a](https://a.example/)', '[a](https://a.example/)'],
  ['see https://a.example/x_(y).', 'see https://a.example/x_(y).'],
  ['so $a_i$ is', 'so $a_i$ is'],
  ['a⏎⏎b', 'a\n\nb'],
  ['| a | b |⏎|-|-|⏎| 1 | 2 |', '| a | b |\n|-|-|\n| 1 | 2 |'],
])('%s', (text, body) => {
  expect(typed(text)).toBe(body)
})

test.each([
  '2*3*4 = 24',
  '2 *3*4',
  '__init__',
  'un**real**ly',
  'a||b||c',
  '10:00~12:00, 13:00~15:00',
  'src/**/*.ts, lib/**/*.ts',
  '*.txt and *.md',
  '>50 people',
  '4. Juli passt',
  '**bold',
])('%s is text, as for the parser', (text) => {
  expect(typed(text)).toBe(text)
})

test('Backspace and Ctrl+Z make what a sign has formatted text again', () => {
  for (const key of ['Backspace', 'Ctrl z']) {
    expect(createTestField().type('**bold**').press(key).body()).toBe(String.raw`\**bold**`)
    expect(createTestField().type('- ').press(key).body()).toBe('-')
    expect(createTestField().type('> ').press(key).type('a').body()).toBe(String.raw`\> a`)
  }
})

test('signs over a selection wrap it', () => {
  const field = createTestField('one two')
  const { doc, tr } = field.state()
  field.run((_state, dispatch) => {
    dispatch?.(tr.setSelection(TextSelection.create(doc, 1, 4)))
    return true
  })
  expect(field.type('*').body()).toBe('*one* two')
  expect(field.type('*').body()).toBe('**one** two')
  expect(field.type('`').body()).toBe('**`one`** two')
})

test('the right arrow at the end of a line leaves its marks, and in a line those of code', () => {
  expect(createTestField('**a**').press('ArrowRight').type('b').body()).toBe('**ab**')
  expect(createTestField('**a**').press('ArrowRight').type(' b').body()).toBe('**a** b')
  const inLine = createTestField('`a` b')
  inLine.run((state, dispatch) => {
    dispatch?.(state.tr.setSelection(TextSelection.create(state.doc, 2)))
    return true
  })
  expect(inLine.press('ArrowRight').type('!').body()).toBe('`a`! b')
})

test('a mark in a word is shown as it is sent, but not during a composition', () => {
  const field = createTestField('fantastical no')
  const shown = () => {
    const decorations = wordMarksPlugin.getState(field.state())!.find()
    return decorations.map(({ from, to }) => [from, to])
  }
  field.run((state, dispatch) => {
    dispatch?.(state.tr.addMark(3, 5, schema.marks.strong!.create()).setMeta('composition', 1))
    return true
  })
  expect(field.body()).toBe('**fantastical** no')
  expect(shown()).toEqual([])
  field.type('!')
  expect(shown()).toEqual([
    [1, 3],
    [5, 12],
  ])
})

test('a link is followed by what is typed next', () => {
  const field = createTestField('a b')
  field.run((state, dispatch) => {
    dispatch?.(state.tr.setSelection(TextSelection.create(state.doc, 1, 2)))
    return true
  })
  field.run(linkCommand('https://a.example/'))
  expect(field.type('!').body()).toBe('[a](https://a.example/)! b')
})

test('a format of lines applies to the line of the caret', () => {
  const field = createTestField('a\nb')
  field.run(formatCommand('codeBlock'))
  expect(field.type('!').body()).toBe('a\n\n```\nb!\n```')
  field.run(formatCommand('codeBlock'))
  field.run(formatCommand('numbers'))
  expect(field.body()).toBe('a\n\n1. b!')
  field.run(formatCommand('tasks'))
  expect(field.body()).toBe('a\n\n- [ ] b!')
  field.run(formatCommand('tasks'))
  field.run(formatCommand('quote'))
  expect(field.body()).toBe('a\n\n> b!')
  field.run(formatCommand('quote'))
  expect(field.body()).toBe('a\n\nb!')
})

// `|` is the caret, or one edge of the selection.
test.each([
  ['bullets', 'a|\nb\nc', '- a\n\nb\nc'],
  ['bullets', 'a\n|b|\nc', 'a\n\n- b\n\nc'],
  ['bullets', 'a|\nb|\nc', '- a\n- b\n\nc'],
  ['bullets', 'a\nb|\n|c', 'a\n\n- b\n- c'],
  ['quote', 'a|\nb|\nc', '> a\n> b\n\nc'],
  ['quote', 'a|\nb', '> a\n\nb'],
  ['codeBlock', 'a|\nb|\nc', '```\na\nb\n```\n\nc'],
  ['codeBlock', 'a|\nb', '```\na\n```\n\nb'],
] as const)('the format %s of %j is %j', (format, marked, expected) => {
  const field = createTestField(marked.replaceAll('|', ''))
  const first = marked.indexOf('|')
  const last = marked.indexOf('|', first + 1)
  field.run((state, dispatch) => {
    const [from, to] = [first + 1, last < 0 ? first + 1 : last]
    dispatch?.(state.tr.setSelection(TextSelection.create(state.doc, from, to)))
    return true
  })
  field.run(formatCommand(format))
  expect(field.body()).toBe(expected)
})

test('Tab indents items and code, and leaves the field elsewhere', () => {
  const list = createTestField('- a\n- b')
  expect(list.press('Tab').body()).toBe('- a\n  - b')
  expect(list.press('Tab').body()).toBe('- a\n  - b')
  expect(list.press('Shift Tab').body()).toBe('- a\n- b')
  expect(list.press('Shift Tab').body()).toBe('- a\n\nb')
  expect(createTestField('```\na\n```').press('Tab').type('b').body()).toBe('```\na  b\n```')
})

test('Backspace at the beginning of a block makes it plain, and joins what is below a list', () => {
  const atStart = (body: string) => {
    const field = createTestField(body)
    field.run((state, dispatch) => {
      const last = state.doc.resolve(state.selection.$head.start())
      dispatch?.(state.tr.setSelection(TextSelection.create(state.doc, last.pos)))
      return true
    })
    return field.press('Backspace')
  }
  expect(atStart('- a\n- b').body()).toBe('- a\n\nb')
  expect(atStart('> a').body()).toBe('a')
  expect(atStart('```\na\nb\n```').body()).toBe('a\nb')
  expect(atStart('- a\n\nb').body()).toBe('- ab')
})

test('Tab in a list never leaves the field, and Shift+Tab leaves it below the last level', () => {
  const field = createTestField('- a')
  expect([field.run(indent), field.body()]).toEqual([true, '- a'])
  field.run(selectAll)
  expect([field.run(indent), field.body()]).toEqual([true, '- a'])
  expect([field.run(outdent), field.body()]).toEqual([true, 'a'])
  expect(field.run(outdent)).toBe(false)
})

test('a format of everything is applied, changed and removed', () => {
  const field = createTestField('a\nb')
  const apply = (format: 'bullets' | 'numbers' | 'quote' | 'codeBlock' | 'bold') => {
    field.run(selectAll)
    field.run(formatCommand(format))
    return field.body()
  }
  expect(apply('bullets')).toBe('- a\n- b')
  expect(apply('numbers')).toBe('1. a\n2. b')
  expect(apply('numbers')).toBe('a\n\nb')
  expect(apply('quote')).toBe('> a\n>\n> b')
  expect(apply('quote')).toBe('a\n\nb')
  expect(apply('codeBlock')).toBe('```\na\nb\n```')
  expect(apply('codeBlock')).toBe('a\nb')
  const mixed = createTestField('one **two** three')
  for (const expected of ['**one two three**', 'one two three']) {
    mixed.run(selectAll)
    mixed.run(formatCommand('bold'))
    expect(mixed.body()).toBe(expected)
  }
})

test('a quote ends for the line of the caret alone', () => {
  const field = createTestField('> a\n> b\n> c')
  field.run((state, dispatch) => {
    dispatch?.(state.tr.setSelection(TextSelection.create(state.doc, 4)))
    return true
  })
  field.run(formatCommand('quote'))
  expect(field.body()).toBe('> a\n\nb\n\n> c')
})

test('Delete joins the next line, and lists that nothing divides any more are one', () => {
  const endOfFirst = (body: string) => {
    const field = createTestField(body)
    field.run((state, dispatch) => {
      const first = Selection.atStart(state.doc).$from
      dispatch?.(state.tr.setSelection(TextSelection.create(state.doc, first.end())))
      return true
    })
    return field.press('Delete').body()
  }
  expect(endOfFirst('- a\n- b')).toBe('- ab')
  expect(endOfFirst('a\n\n- b\n- c')).toBe('ab\n\n- c')
  expect(endOfFirst('a\n\n> b')).toBe('ab')
  const list = createTestField('1. a\n2. b\n3. c')
  list.run((state, dispatch) => {
    dispatch?.(state.tr.setSelection(TextSelection.create(state.doc, 8)).delete(8, 9))
    return true
  })
  expect(list.press('Backspace').press('Backspace').body()).toBe('1. a\n2. c')
})

test('a mention is deleted as a whole', () => {
  const field = createTestField('hi <@00000000-0000-4000-8000-00000000000a>')
  expect(field.type(' a').press('Ctrl z').body()).toContain('<@')
  expect(field.press('Backspace').body()).toBe('hi')
  expect(field.press('Ctrl z').body()).toContain('<@')
})

test('what is replaced is undone', () => {
  const field = createTestField('one')
  field.run((state, dispatch) => {
    dispatch?.(state.tr.setSelection(new AllSelection(state.doc)).deleteSelection())
    return true
  })
  expect(field.body()).toBe('')
  expect(field.press('Ctrl z').body()).toBe('one')
})
