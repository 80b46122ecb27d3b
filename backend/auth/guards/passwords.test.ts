import { hash as bcryptHash } from 'bcryptjs'
import { describe, expect, it } from 'vitest'
import { AuthError } from '../asking/AuthError.ts'
import { checkPasswordStrength, createPasswords, isPasswordHash } from './passwords.ts'

describe('passwords', () => {
  const passwords = createPasswords()

  it('fit the hash that was made of them, and no other', async () => {
    const stored = await passwords.hash('pässword')
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(await passwords.verify(stored, 'pässword')).toBe(true)
    expect(await passwords.verify(stored, 'password')).toBe(false)
  })

  it('fit the forms that hosted rows have', async () => {
    const bcrypt = await bcryptHash('moved', 4)
    expect(await passwords.verify(bcrypt, 'moved')).toBe(true)
    expect(await passwords.verify(bcrypt, 'other')).toBe(false)
  })

  it('fit nothing where there is no hash, an unknown one, or one that would stall the server', async () => {
    const greedy = '$argon2id$v=19$m=4000000,t=2,p=1$c29tZXNhbHQ$5QcGAXSsLVqqN8JN1ZVqbFKwzlTOHQIVsTYVTLbmbwA'
    for (const stored of [null, '', 'plain', '$fbscrypt$v=1', '$2a$10$short', '$argon2id$broken', greedy]) {
      expect(await passwords.verify(stored, 'plain')).toBe(false)
    }
  })

  it('wait their turn, and are turned away when too many wait', async () => {
    const few = createPasswords({ atOnce: 1, queue: 2 })
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => few.hash('x')))
    expect(results.map((one) => one.status).sort()).toEqual([
      ...Array.from({ length: 3 }, () => 'fulfilled'),
      ...Array.from({ length: 3 }, () => 'rejected'),
    ])
    const refusal = results.find((one) => one.status === 'rejected')?.reason as AuthError
    expect([refusal.status, refusal.code]).toEqual([429, 'over_request_rate_limit'])
    expect(await few.hash('x')).toMatch(/^\$argon2id/)
  })
})

it('tells hashes from passwords', () => {
  expect(isPasswordHash('$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy')).toBe(true)
  expect(isPasswordHash('$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaA')).toBe(true)
  for (const text of ['', 'password', '$2b$10$short', '$argon2id$v=19$m=99999999,t=2,p=1$c2FsdA$aGFzaA']) {
    expect(isPasswordHash(text)).toBe(false)
  }
})

describe('rules', () => {
  const reasonsOf = (password: string, required: string[] = []): string[] | null => {
    try {
      checkPasswordStrength(password, { minimumLength: 8, required, refuseLeaked: false })
      return null
    } catch (error) {
      return (error as AuthError).reasons
    }
  }
  it('count bytes, and ask for characters of each set', () => {
    expect(reasonsOf('12345678')).toBeNull()
    expect(reasonsOf('ééé')).toEqual(['length'])
    expect(reasonsOf('éééé')).toBeNull()
    expect(reasonsOf('abc', ['0123456789'])).toEqual(['length', 'characters'])
    expect(reasonsOf('abcdefg1', ['0123456789'])).toBeNull()
    expect(reasonsOf('x'.repeat(72))).toBeNull()
    const tooLong = { minimumLength: 8, required: [], refuseLeaked: false }
    expect(() => checkPasswordStrength('x'.repeat(73), tooLong)).toThrow('longer than 72')
  })
})
