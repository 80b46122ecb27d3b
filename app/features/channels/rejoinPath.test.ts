import { expect, test } from 'vitest'
import { rejoinPath } from './rejoinPath.ts'

test('one comes back by oneself to an open public channel alone, and as a guest never', () => {
  expect(rejoinPath('public', false, 'member')).toBe('alone')
  expect(rejoinPath('public', true, 'owner')).toBe('opened')
  expect(rejoinPath('private', false, 'owner')).toBe('added')
  expect(rejoinPath('public', false, 'guest')).toBe('added')
})
