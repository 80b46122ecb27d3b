import { expect, test } from 'vitest'
import { completionAt, shortcodeAt } from './completionAt.ts'

/** `|` is the caret. */
function at(marked: string, commands = true) {
  const caret = marked.indexOf('|')
  return completionAt(marked.replace('|', ''), caret, commands)
}

test('the words at the caret complete a person', () => {
  expect(at('hi @to|')).toEqual({ kind: 'person', from: 3, query: 'to' })
  expect(at('@|')).toEqual({ kind: 'person', from: 0, query: '' })
  expect(at('@Ann Ok|')).toEqual({ kind: 'person', from: 0, query: 'Ann Ok' })
  expect(at('明日は@田|')).toEqual({ kind: 'person', from: 3, query: '田' })
  expect(at('＠田|')).toEqual({ kind: 'person', from: 0, query: '田' })
  for (const text of ['ann@example|', '@Ann went home|', 'https://example.org/@ann|', 'a@@an|'])
    expect(at(text)).toBeNull()
})

test('a "#" completes a channel, but begins no heading', () => {
  expect(at('see #gar|')).toEqual({ kind: 'channel', from: 4, query: 'gar' })
  expect(at('#garden b|')).toEqual({ kind: 'channel', from: 0, query: 'garden b' })
  expect(at('#|')).toEqual({ kind: 'channel', from: 0, query: '' })
  for (const text of ['# gar|', '## gar|', 'a#b|', 'https://a.example/#top|', '?a#b|'])
    expect(at(text)).toBeNull()
})

test('a ":" and two letters complete an emoji', () => {
  expect(at('yes :th|')).toEqual({ kind: 'emoji', from: 4, query: 'th' })
  expect(at(':+1|')).toEqual({ kind: 'emoji', from: 0, query: '+1' })
  for (const text of [':t|', ':)|', '10:30|', 'https://|', 'a:bc|', '::ab|', ': ab|'])
    expect(at(text)).toBeNull()
})

test('a "/" completes a command at the beginning of a text only', () => {
  expect(at('/to|')).toEqual({ kind: 'command', from: 0, query: 'to' })
  expect(at('/|')).toEqual({ kind: 'command', from: 0, query: '' })
  for (const text of [' /to|', 'a /to|', '/etc/h|', '/topic |']) expect(at(text)).toBeNull()
  expect(at('/to|', false)).toBeNull()
})

test('nothing is completed in a code block', () => {
  for (const text of ['```\n@an|', '~~~\n:th|', '```sql\n#ga|']) expect(at(text)).toBeNull()
  expect(at('```\na\n```\n@an|')?.kind).toBe('person')
})

test('a complete shortcode is between two colons', () => {
  expect(shortcodeAt('go :tada:', 9)).toEqual({ from: 3, name: 'tada' })
  for (const text of ['10:30:', 'a:tada:', '::', ':t:', '```\n:tada:'])
    expect(shortcodeAt(text, text.length)).toBeNull()
})
