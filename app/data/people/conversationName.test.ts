import { i18n } from '@lingui/core'
import { beforeAll, expect, test } from 'vitest'
import { conversationName } from './conversationName.ts'

beforeAll(() =>
  i18n.loadAndActivate({
    locale: 'en',
    messages: { '{names} and {count} more': [['names'], ' and ', ['count'], ' more'] },
  }),
)

test('alone it is a notebook, with one it has their whole name', () => {
  expect(conversationName([])).toBe('Notes to yourself')
  expect(conversationName(['Bea Lindqvist'])).toBe('Bea Lindqvist')
})

test('a group is called by first names, a large one by two of them and a number', () => {
  expect(conversationName(['Ann Okafor', 'Bea Lindqvist'])).toBe('Ann, Bea')
  expect(conversationName(['Gus', 'Ann Okafor', 'Bea Lindqvist'])).toBe('Ann, Bea, Gus')
  expect(conversationName(['Ann Okafor', 'Bea Lindqvist', 'Gus', 'Noor', 'Tomás', 'Yuki'])).toBe(
    'Ann, Bea and 4 more',
  )
})

test('whole names where first ones are shared, or are none', () => {
  expect(conversationName(['Ann Okafor', 'Ann Weiß', 'Bea Lindqvist'])).toBe('Ann Okafor, Ann Weiß, Bea')
  expect(conversationName(['J. R. Smith', 'Dr. Mai Lê', '田中由紀'])).toBe(
    'Dr. Mai Lê, J. R. Smith, 田中由紀',
  )
})

test('names written from right to left are isolated from adjacent text', () => {
  expect(conversationName(['دانا محمود', 'Bea Lindqvist'])).toBe('Bea, \u2068دانا\u2069')
})

test('unknown people are still counted', () => {
  expect(conversationName([], 1)).toBe('Former member')
  expect(conversationName(['Ann Okafor'], 1)).toBe('Ann, Former member')
})
