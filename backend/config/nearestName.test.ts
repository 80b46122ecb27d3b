import { expect, it } from 'vitest'
import { nearestName } from './nearestName.ts'

const names = ['start', 'status', 'stop', 'migration list']

it.each([
  ['strat', 'start'],
  ['Status', 'status'],
  ['migrations list', 'migration list'],
  ['sto', 'stop'],
])('takes %s for %s', (typed, meant) => expect(nearestName(typed, names)).toBe(meant))

it('names nothing that is merely the least far', () => {
  expect(nearestName('deploy', names)).toBeNull()
  expect(nearestName('x', [])).toBeNull()
})
