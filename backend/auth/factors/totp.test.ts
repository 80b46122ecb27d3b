import { Secret, TOTP, URI } from 'otpauth'
import { expect, it } from 'vitest'
import { createTotp, stepOfCode } from './totp.ts'

// RFC 6238, appendix B: the secret is "12345678901234567890", codes cut to 6 digits.
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
it.each([
  [59_000, '287082', 1],
  [1_111_111_109_000, '081804', 37_037_036],
  [2_000_000_000_000, '279037', 66_666_666],
])('accepts the code of %i ms, one step before and after', (time, code, step) => {
  expect(stepOfCode(secret, code, time)).toBe(step)
  expect(stepOfCode(secret, ` ${code} `, time + 30_000)).toBe(step)
  expect(stepOfCode(secret, code, time - 30_000)).toBe(step)
  expect(stepOfCode(secret, code, time + 60_000)).toBeNull()
  expect(stepOfCode(secret, code, time - 60_000)).toBeNull()
})

it.each(['', '28708', '2870822', 'abcdef', '２８７０８２', '287083'])('rejects %j', (code) => {
  expect(stepOfCode(secret, code, 59_000)).toBeNull()
})

it('rejects every code for an unreadable secret', () => {
  expect(stepOfCode('{"data":"…"}', '287082', 59_000)).toBeNull()
})

it('creates URIs that authenticator apps can read', () => {
  const made = createTotp({ issuer: 'Café & Söhne', label: 'bea+chat@example.com' })!
  const read = URI.parse(made.uri) as TOTP
  expect(read).toMatchObject({ issuer: 'Café & Söhne', label: 'bea+chat@example.com', period: 30, digits: 6 })
  expect(read.secret.base32).toBe(made.secret)
  expect(Secret.fromBase32(made.secret).bytes).toHaveLength(20)
  expect(made.qrCode).toMatch(/^<svg [\s\S]*<\/svg>$/)
  expect(stepOfCode(made.secret, read.generate(), Date.now())).not.toBeNull()
})

it('replaces an unpaired surrogate', () => {
  expect(createTotp({ issuer: 'x\ud83c', label: 'bea@example.com' })!.uri).toContain('issuer=x%EF%BF%BD')
})

it('rejects an issuer that is too long for a QR code', () => {
  expect(createTotp({ issuer: 'x'.repeat(600), label: 'bea@example.com' })).toBeNull()
})
