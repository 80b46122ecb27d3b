import { expect, test } from 'vitest'
import { matchNames } from './matchNames.ts'

const named = ['Ann', 'Ann Okafor', 'Tomás (he/him)', 'نور حداد', 'garden-beds'].map((name) => ({ name }))
const found = (query: string, max?: number) => matchNames(named, query, max).map(({ name }) => name)

test('names are found without diacritics and by each of their words, first words first', () => {
  expect(found('tomas')).toEqual(['Tomás (he/him)'])
  expect(found('oka')).toEqual(['Ann Okafor'])
  expect(found('he')).toEqual(['Tomás (he/him)'])
  expect(found('حد')).toEqual(['نور حداد'])
  expect(found('beds')).toEqual(['garden-beds'])
  expect(found('', 2)).toHaveLength(2)
  expect(found('-')).toEqual([])
})

test('letters without accents find those with strokes and ligatures', () => {
  const names = ['Søren Ærø', 'Łukasz Weiß', 'Дмитрий Орлов', 'Ελένη Παππά'].map((name) => ({ name }))
  const first = (query: string) => matchNames(names, query)[0]?.name
  expect(first('soren')).toBe('Søren Ærø')
  expect(first('weiss')).toBe('Łukasz Weiß')
  expect(first('орл')).toBe('Дмитрий Орлов')
  expect(first('παπ')).toBe('Ελένη Παππά')
})

test('punctuation behind a name ends the search', () => {
  expect(matchNames([{ name: 'Ann Okafor' }], 'Ann.')).toEqual([])
  expect(matchNames([{ name: 'Ann Okafor' }], 'Okafor,')).toEqual([])
})

test('several words find a name in any order', () => {
  expect(matchNames([{ name: 'Ann Okafor' }, { name: 'Oka Lind' }], 'oka an')).toEqual([
    { name: 'Ann Okafor' },
  ])
})
