import { expect, it } from 'vitest'
import { isEmailAddress, normalizeEmailAddress, toAsciiDomain } from './emailAddress.ts'

it.each([
  ['Ann@Example.COM ', 'ann@example.com'],
  ['jo@müller.example', 'jo@xn--mller-kva.example'],
  ['jo@MÜLLER.example', 'jo@xn--mller-kva.example'],
  // The same letters, as a letter with a combining mark.
  ['jo@mu\u0308ller.example', 'jo@xn--mller-kva.example'],
  ['jo@xn--mller-kva.example', 'jo@xn--mller-kva.example'],
  ['jo@straße.example', 'jo@xn--strae-oqa.example'],
  ['jo@例え。テスト', 'jo@xn--r8jz45g.xn--zckzah'],
  ['jo@пример.рф', 'jo@xn--e1afmkfd.xn--p1ai'],
  ["o'hara+tag@mail.example", "o'hara+tag@mail.example"],
  ['otto@coop', 'otto@coop'],
])('%s is stored as %s', (entered, stored) => {
  expect(normalizeEmailAddress(entered)).toBe(stored)
})

it.each([
  '',
  'ann',
  '@example.com',
  'ann@',
  'ann@@example.com',
  'ann b@example.com',
  'jörg@example.com',
  'ann@exa mple.com',
  'ann@example..com',
  'ann@-example.com',
  'ann@example.com/x',
  'ann@example.com:25',
  'ann@ex%61mple.com',
  'ann@[127.0.0.1]',
  'ann@ü\u202e.example',
  'ann@xn--.ü',
  `ann@${'ü'.repeat(64)}.example`,
  `${'a'.repeat(250)}@example.com`,
])('%j is no address', (entered) => {
  expect(normalizeEmailAddress(entered)).toBeNull()
})

it('an address that people enter has a domain with a dot', () => {
  expect(['otto@coop', 'otto@co.op', 'otto@münchen', 'otto@münchen.example'].map(isEmailAddress)).toEqual([
    false,
    true,
    false,
    true,
  ])
})

it('a domain in ASCII stays as it is, also one that looks like a number', () => {
  expect(['1.2.3', '0x7f.1', 'a.example'].map(toAsciiDomain)).toEqual(['1.2.3', '0x7f.1', 'a.example'])
})
