import { expect, test } from 'vitest'
import { rank } from './rank.ts'

const named = (...names: string[]) => names.map((name) => ({ name }))
const found = (names: string[], query: string) => rank(named(...names), query).map((choice) => choice.name)

test('the start of a name comes before a word’s start, and that before the middle', () => {
  expect(found(['night-rota', 'the rota', 'protagonist', 'rota', 'desk'], 'rota')).toEqual([
    'rota',
    'night-rota',
    'the rota',
    'protagonist',
  ])
})

test('a leading # or @, accents and case don’t matter', () => {
  expect(found(['Tomás', 'rota'], '@TOMAS')).toEqual(['Tomás'])
  expect(found(['Tomás', 'rota'], '#rota')).toEqual(['rota'])
  expect(found(['Ann Weiß', 'Søren', 'Łukasz'], 'weiss')).toEqual(['Ann Weiß'])
  expect(found(['Ann Weiß', 'Søren', 'Łukasz'], 'soren')).toEqual(['Søren'])
  expect(found(['Ann Weiß', 'Søren', 'Łukasz'], 'luk')).toEqual(['Łukasz'])
})

test('right-to-left names are found, with or without isolating characters', () => {
  expect(found(['\u2068دانا\u2069, Bea', 'أحمد'], 'دانا')).toEqual(['\u2068دانا\u2069, Bea'])
  // Many people type without the hamza.
  expect(found(['أحمد'], 'احمد')).toEqual(['أحمد'])
})

test('the starts of several words find a name in any order', () => {
  expect(found(['Ann Okafor', 'Oka Annan', 'Anna Lind'], 'an ok')).toEqual(['Ann Okafor', 'Oka Annan'])
})

test('unread conversations come first among equal matches, never before a better match', () => {
  const choices = [
    { name: 'desk-old', weight: 1 },
    { name: 'desk-new', weight: 5 },
    { name: 'front-desk', weight: 9 },
    { name: 'desk' },
  ]
  expect(rank(choices, 'desk').map(({ name }) => name)).toEqual([
    'desk-new',
    'desk-old',
    'desk',
    'front-desk',
  ])
  expect(rank(choices, '').map(({ name }) => name)).toEqual(['front-desk', 'desk-new', 'desk-old', 'desk'])
})

test('other terms match last', () => {
  const choices = [{ name: 'Ann, Bea and 4 more', also: 'Ann Okafor Gus Wren' }, { name: 'Gus Wren' }]
  expect(rank(choices, 'gus').map(({ name }) => name)).toEqual(['Gus Wren', 'Ann, Bea and 4 more'])
})

test('an empty query keeps the order', () => {
  expect(found(['b', 'a'], '  ')).toEqual(['b', 'a'])
})

test('initial letters of words in their order match a name', () => {
  expect(found(['night-rota', 'front-desk', 'floor-plans'], 'fd')).toEqual(['front-desk'])
  expect(found(['night-rota', 'front-desk'], 'frde')).toEqual(['front-desk'])
  expect(found(['The front desk'], 'fd')).toEqual(['The front desk'])
  expect(found(['Ann Okafor', 'Oka Annan'], 'ao')).toEqual(['Ann Okafor'])
  expect(found(['front-desk', 'fd-archive'], 'fd')).toEqual(['fd-archive', 'front-desk'])
  expect(found(['front-desk'], 'df')).toEqual([])
})

test('a name is found with one letter inserted, deleted, replaced or swapped', () => {
  for (const query of ['nightt', 'nihgt', 'nigt', 'nikht', 'nigh trota', 'night rtoa'])
    expect([query, found(['front-desk', 'night-rota'], query)]).toEqual([query, ['night-rota']])
  expect(found(['announcements'], 'anouncemnets')).toEqual(['announcements'])
  expect(found(['announcements'], 'anouncmnets')).toEqual([])
})

test('a word is found with letters left out', () => {
  expect(found(['marketing', 'metrics'], 'mktg')).toEqual(['marketing'])
})

test('short queries and exact matches ignore typos', () => {
  expect(found(['rota', 'rosa'], 'ros')).toEqual(['rosa'])
  expect(found(['rota', 'rosa'], 'rosa')).toEqual(['rosa'])
  expect(found(['rota'], 'xot')).toEqual([])
})

test('punctuation alone and very long queries find nothing', () => {
  expect(found(['rota'], '--')).toEqual([])
  expect(found(['rota'], 'rota '.repeat(1000))).toEqual(['rota'])
  expect(found(['a'.repeat(5000)], 'ab'.repeat(2000))).toEqual([])
})
