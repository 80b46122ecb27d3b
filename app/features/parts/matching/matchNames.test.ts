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
})
