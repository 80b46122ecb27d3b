import { expect, test } from 'vitest'
import { rejoinPath } from './rejoinPath.ts'

test('members rejoin a public channel unless it is archived; guests have to be added', () => {
  expect(rejoinPath('public', false, 'member')).toBe('alone')
  expect(rejoinPath('public', true, 'owner')).toBe('opened')
  expect(rejoinPath('private', false, 'owner')).toBe('added')
  expect(rejoinPath('public', false, 'guest')).toBe('added')
})
