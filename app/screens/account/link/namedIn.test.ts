import { expect, test } from 'vitest'
import { namedIn } from './namedIn.ts'

test('the fragment of a mailed link names an address', () => {
  expect(namedIn('#bea%2Bteam%40harbour.example')).toBe('bea+team@harbour.example')
  expect(namedIn('#bea@harbour.example')).toBe('bea@harbour.example')
})

test('any other fragment names nobody', () => {
  const long = `#${'a'.repeat(250)}@harbour.example`
  for (const hash of ['', '#', '#main', '#%E0%A4%A', '#Ann, your boss <a@b.example>', '#a@b@c', long])
    expect(namedIn(hash)).toBeNull()
})
