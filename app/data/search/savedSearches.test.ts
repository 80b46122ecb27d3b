import { i18n } from '@lingui/core'
import { beforeAll, expect, test } from 'vitest'
import { sortByName } from './savedSearches.ts'

beforeAll(() => i18n.loadAndActivate({ locale: 'de', locales: ['de'], messages: {} }))

const namesSorted = (...names: string[]) =>
  sortByName(names.map((name, index) => ({ id: `${index}`, name, query: 'x' }))).map(
    ({ id, name }) => `${name} ${id}`,
  )

test('saved searches are ordered by name without case, numbers by value, and equal names by id', () => {
  expect(namesSorted('Woche 10', 'ärzte', 'Zug', 'woche 9', 'Boot', 'boot')).toEqual([
    'ärzte 1',
    'Boot 4',
    'boot 5',
    'woche 9 3',
    'Woche 10 0',
    'Zug 2',
  ])
})
