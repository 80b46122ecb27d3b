import { expect, it } from 'vitest'
import { isExpectedResponse } from './isExpectedResponse.ts'

it('distinguishes responses of the server from those of a proxy or portal', () => {
  expect(isExpectedResponse('send_message', { message: {}, epoch: 1 })).toBe(true)
  expect(isExpectedResponse('typing', null)).toBe(true)
  for (const odd of [null, '', 'welcome', 0, [], {}, { error: 'sign in' }]) {
    expect(isExpectedResponse('bootstrap', odd)).toBe(false)
    expect(isExpectedResponse('send_message', odd)).toBe(false)
  }
})
