import { expect, test } from 'vitest'
import {
  applyEdit,
  indent,
  insertLine,
  insertLink,
  isInFence,
  outdent,
  pasteLink,
  toggleLines,
  toggleMark,
  wrapInCodeBlock,
  type TextEdit,
  type TextState,
} from './textEdits.ts'

/** `|` is the caret, or each end of the selection. */
function read(marked: string): TextState {
  const start = marked.indexOf('|')
  const end = marked.lastIndexOf('|')
  return { text: marked.replaceAll('|', ''), start, end: end > start ? end - 1 : start }
}

function show({ text, start, end }: TextState): string {
  const tail = start === end ? text.slice(end) : `${text.slice(start, end)}|${text.slice(end)}`
  return `${text.slice(0, start)}|${tail}`
}

/** The text after an edit; null if the edit does not apply. */
function edited(marked: string, edit: (state: TextState) => TextEdit | null): string | null {
  const state = read(marked)
  const change = edit(state)
  return change && show(applyEdit(state, change))
}

test.each([
  ['a |word| b', '**', 'a **|word|** b'],
  ['a **|word|** b', '**', 'a |word| b'],
  ['a |**word**| b', '**', 'a |word| b'],
  ['a |word | b', '*', 'a *|word|*  b'],
  ['|', '**', '**|**'],
  ['**|**', '**', '|'],
  ['**|bold|**', '*', '***|bold|***'],
  ['***|both|***', '*', '**|both|**'],
  ['***|both|***', '**', '*|both|*'],
  ['*|italic|*', '**', '***|italic|***'],
  ['|struck|', '~~', '~~|struck|~~'],
  ['|code|', '`', '`|code|`'],
  ['|- a\n- b|', '**', '|**- a**\n- **b**|'],
  ['|one\n\ntwo|', '~~', '|~~one~~\n\n~~two~~|'],
] as const)('%s marked with %s is %s', (before, mark, after) => {
  expect(edited(before, (state) => toggleMark(state, mark))).toBe(after)
})

test.each([
  ['- one|', '- one\n- |'],
  ['* one|', '* one\n* |'],
  ['1. one|', '1. one\n2. |'],
  ['9) one|', '9) one\n10) |'],
  ['- [x] done|', '- [x] done\n- [ ] |'],
  ['> word|', '> word\n> |'],
  ['> - word|', '> - word\n> - |'],
  ['  - inner|', '  - inner\n  - |'],
  ['- on|e', '- on\n- |e'],
  ['- one\n- |', '- one\n|'],
  ['- one\n  - |', '- one\n- |'],
  ['1. one\n2. |', '1. one\n|'],
  ['> a\n> |', '> a\n|'],
  ['> - a\n> - |', '> - a\n> |'],
  ['- [ ] |', '|'],
  ['plain|', 'plain\n|'],
  ['|- one', '\n|- one'],
  ['-not a list|', '-not a list\n|'],
  ['a|b|c', 'a\n|c'],
  ['```\n  code|', '```\n  code\n  |'],
  ['```\n- code|', '```\n- code\n|'],
])('a new line in %j is %j', (before, after) => {
  expect(edited(before, insertLine)).toBe(after)
})

test('a fence is open from its line to the closing one', () => {
  for (const text of ['```', '```js', '```\ncode', '~~~\n```', '```\n~~~\n', '````\n```\n', 'a\n```\nb'])
    expect(isInFence(text, text.length)).toBe(true)
  for (const text of ['', 'a', '```\ncode\n```', '```a``` b', '`code`', '    ```', '~~~\n~~~\n'])
    expect(isInFence(text, text.length)).toBe(false)
  expect(isInFence('a\n```\nb\n```', 1)).toBe(false)
})

test.each([
  ['|', '```\n|\n```'],
  ['a |b| c', 'a \n```\n|b|\n```\n c'],
  ['|one\ntwo|', '```\n|one\ntwo|\n```'],
  ['|```\na\n```|', '````\n|```\na\n```|\n````'],
])('%j in a code block is %j', (before, after) => {
  expect(edited(before, wrapInCodeBlock)).toBe(after)
})

test('a code block contains no other', () => {
  expect(edited('```\na|', wrapInCodeBlock)).toBeNull()
})

test.each([
  ['|', '[|]()'],
  ['see |this|', 'see [this](|)'],
  ['|https://a.example/|', '[|](https://a.example/)'],
])('a link from %j is %j', (before, after) => {
  expect(edited(before, insertLink)).toBe(after)
})

test('an address pasted over text makes it a link', () => {
  const paste = (marked: string, pasted: string) => edited(marked, (state) => pasteLink(state, pasted))
  expect(paste('see |this| now', ' https://a.example/x_(y)\n')).toBe(
    'see [this](https://a.example/x_%28y%29)| now',
  )
  expect(paste('|Ann|', 'mailto:ann@a.example')).toBe('[Ann](mailto:ann@a.example)|')
  expect(paste('see |', 'https://a.example')).toBeNull()
  expect(paste('|this|', 'not an address')).toBeNull()
  expect(paste('|this|', 'javascript:alert(1)')).toBeNull()
  expect(paste('|https://b.example|', 'https://a.example')).toBeNull()
  expect(paste('|two\nlines|', 'https://a.example')).toBeNull()
  expect(paste('```\n|code|', 'https://a.example')).toBeNull()
})

test.each([
  ['bullets', 'a|b', '- a|b'],
  ['bullets', '- a|b', 'a|b'],
  ['bullets', '1. a|', '- a|'],
  ['bullets', '|a\nb|', '|- a\n- b|'],
  ['bullets', '|- a\nb|', '|- a\n- b|'],
  ['numbers', '|a\n\nb\n|', '|1. a\n\n2. b|\n'],
  ['numbers', '|1. a\n2. b|', '|a\nb|'],
  ['tasks', '- a|', '- [ ] a|'],
  ['tasks', '- [x] a|', 'a|'],
  ['quote', '|a\n\nb|', '|> a\n> \n> b|'],
  ['quote', '|> a\n> \n> b|', '|a\n\nb|'],
  ['quote', '> > a|', '> a|'],
  ['bullets', '|', '- |'],
] as const)('%s of %j are %j', (kind, before, after) => {
  expect(edited(before, (state) => toggleLines(state, kind))).toBe(after)
})

test.each([
  ['- a\n- b|', '- a\n  - b|'],
  ['1. a\n2. b|', '1. a\n   1. b|'],
  ['1. a\n   1. b\n2. c|', '1. a\n   1. b\n   2. c|'],
  ['- [ ] a\n- [ ] |b', '- [ ] a\n  - [ ] |b'],
  ['> - a\n> - b|', '> - a\n>   - b|'],
])('%j indented is %j', (before, after) => {
  expect(edited(before, indent)).toBe(after)
})

test('Tab leaves the field where nothing can be indented', () => {
  for (const marked of ['- a|', '- a\n  - b|', 'text|', '- a\n|- b|', 'a\n\n- b|'])
    expect(edited(marked, indent)).toBeNull()
  for (const marked of ['- a|', 'text|', '  text|']) expect(edited(marked, outdent)).toBeNull()
})

test('an outdented item follows its parent', () => {
  expect(edited('- a\n  - b|', outdent)).toBe('- a\n- b|')
  expect(edited('1. a\n   1. b|', outdent)).toBe('1. a\n2. b|')
  expect(edited('  - a|', outdent)).toBe('- a|')
})
