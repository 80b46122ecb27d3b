import { expect, test } from 'vitest'
import { findLanguage } from './languages.ts'

test.each([
  [['de-AT', 'en'], 'de'],
  [['fr', 'DE-ch'], 'de'],
  [['fr'], 'en'],
  [[null, undefined, ''], 'en'],
  [['constructor'], 'en'],
])('of the languages %j, the first one that Linnet has is %s', (tags, language) => {
  expect(findLanguage(tags)).toBe(language)
})
