import { expect, it } from 'vitest'
import type { AuthError } from '../http/AuthError.ts'
import { checkPasswordStrength } from './checkPasswordStrength.ts'

const digits = '0123456789'

async function reasonsOf(
  password: string,
  o: { required?: string[]; rejectLeaked?: boolean } = {},
): Promise<string[] | null> {
  try {
    await checkPasswordStrength(password, { minimumLength: 8, required: [], rejectLeaked: false, ...o })
    return null
  } catch (error) {
    return (error as AuthError).reasons
  }
}

it.each<[password: string, required: string[], reasons: string[] | null]>([
  ['12345678', [], null],
  ['ééé', [], ['length']],
  ['éééé', [], null],
  ['abc', [digits], ['length', 'characters']],
  ['abcdefg1', [digits], null],
  ['x'.repeat(72), [], null],
])('counts bytes, and requires a character of each set: %s, %j: %j', async (password, required, reasons) => {
  expect(await reasonsOf(password, { required })).toEqual(reasons)
})

it('rejects passwords longer than bcrypt reads', async () => {
  const rules = { minimumLength: 8, required: [], rejectLeaked: false }
  await expect(checkPasswordStrength('é'.repeat(37), rules)).rejects.toMatchObject({
    status: 400,
    code: 'validation_failed',
  })
})

it.each<[password: string, reasons: string[] | null]>([
  ['qwertyuiop', ['pwned']],
  ['Trustno1', ['pwned']],
  ['1234', ['length', 'pwned']],
  ['correct horse battery staple', null],
  ['', ['length']],
  ['Grüße an alle', null],
])('rejects leaked passwords in any case: %s: %j', async (password, reasons) => {
  expect(await reasonsOf(password, { rejectLeaked: true })).toEqual(reasons)
})
