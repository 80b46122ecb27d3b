import { expect, test } from 'vitest'
import { rank } from './rank.ts'

const choices = ['night-team', 'Tomás Ferreira', 'building-works', 'Noor Haddad'].map((name) => ({ name }))
const found = (query: string) => rank(choices, query).map((choice) => choice.name)

test('the start of a name beats the start of a word, which beats the middle', () => {
  expect(found('t')).toEqual(['Tomás Ferreira', 'night-team'])
  expect(found('o')).toEqual(['Tomás Ferreira', 'building-works', 'Noor Haddad'])
  expect(found('wor')).toEqual(['building-works'])
})

test('diacritics and the sign in front do not matter', () => {
  expect(found('@tomas')).toEqual(['Tomás Ferreira'])
  expect(found('#night')).toEqual(['night-team'])
})

test('no query keeps everything in order', () => {
  expect(found(' ')).toHaveLength(4)
})
