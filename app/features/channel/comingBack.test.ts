import { expect, test } from 'vitest'
import { comingBack } from './comingBack.ts'

test('one comes back by oneself to an open public channel alone, and as a guest never', () => {
  expect(comingBack('public', false, 'member')).toBe('alone')
  expect(comingBack('public', true, 'owner')).toBe('opened')
  expect(comingBack('private', false, 'owner')).toBe('added')
  expect(comingBack('public', false, 'guest')).toBe('added')
})
