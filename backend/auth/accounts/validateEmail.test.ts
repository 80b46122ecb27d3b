import { expect, it } from 'vitest'
import { usableEmails } from '../providers/identityData.ts'
import { validateEmail } from './validateEmail.ts'

it('both spellings of a domain are one address, which is stored in ASCII', () => {
  for (const spelling of ['Jo@Müller.example', 'jo@mu\u0308ller.example', 'jo@xn--mller-kva.example'])
    expect(validateEmail(spelling)).toBe('jo@xn--mller-kva.example')
  // As Supabase Auth does.
  expect(validateEmail('Ann@localhost')).toBe('ann@localhost')
})

it.each([
  'jörg@example.com',
  ' ann@example.com',
  'ann@ü/x',
  'ann@@ü.example',
  'ann',
  `ann@${'ü'.repeat(64)}`,
])('%j is refused', (email) => {
  expect(() => validateEmail(email)).toThrow('invalid format')
})

it('an address from a provider is usable only in ASCII', () => {
  const verified = (email: string) => ({ email, verified: true, primary: true })
  const emails = ['ann@kelvin.example', 'ann@\u212aelvin.example', 'jo@müller.example'].map(verified)
  expect(usableEmails(emails).map(({ email }) => email)).toEqual(['ann@kelvin.example'])
})
