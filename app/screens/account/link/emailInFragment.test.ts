import { expect, test } from 'vitest'
import { emailInFragment } from './emailInFragment.ts'

test('the fragment of an emailed link contains an address', () => {
  expect(emailInFragment('#bea%2Bteam%40harbour.example')).toBe('bea+team@harbour.example')
  expect(emailInFragment('#bea@harbour.example')).toBe('bea@harbour.example')
})

test('any other fragment contains none', () => {
  const long = `#${'a'.repeat(250)}@harbour.example`
  for (const hash of ['', '#', '#main', '#%E0%A4%A', '#Ann, your boss <a@b.example>', '#a@b@c', long])
    expect(emailInFragment(hash)).toBeNull()
})
