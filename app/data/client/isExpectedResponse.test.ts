import { expect, it } from 'vitest'
import { isAnswer } from './isExpectedResponse.ts'

it('tells what the server said from what something between said', () => {
  expect(isAnswer('send_message', { message: {}, epoch: 1 })).toBe(true)
  expect(isAnswer('typing', null)).toBe(true)
  for (const odd of [null, '', 'welcome', 0, [], {}, { error: 'sign in' }]) {
    expect(isAnswer('bootstrap', odd)).toBe(false)
    expect(isAnswer('send_message', odd)).toBe(false)
  }
})
