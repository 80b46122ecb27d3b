import { expect, it } from 'vitest'
import { parsePhoneNumber } from './parsePhoneNumber.ts'

it.each([
  ['+49 30 901820', '+4930901820'],
  ['0049 (30) 90-18.20', '+4930901820'],
  [' +1/202-555-0123 ', '+12025550123'],
])('parses %s', (typed, number) => {
  expect(parsePhoneNumber(typed)).toBe(number)
})

it.each(['', '030 901820', '+0 123456789', '+49 30 ann', '+123', '+1234567890123456'])(
  'rejects %j',
  (typed) => {
    expect(parsePhoneNumber(typed)).toBeNull()
  },
)
