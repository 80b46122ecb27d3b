import { expect, it } from 'vitest'
import { createBudget } from '../../budgets/createBudget.ts'
import { createByteAccount } from './createByteAccount.ts'

const kibibyte = 1024

it('counts buffered bytes beyond a few KiB, for the current caller', () => {
  const budget = createBudget({ capacity: 100 * kibibyte })
  const account = createByteAccount(budget)
  expect([account.set('network', 4 * kibibyte), budget.stats().used]).toEqual([true, 0])
  expect([account.set('network', 20 * kibibyte), account.set('network', 10 * kibibyte)]).toEqual([true, true])
  expect(budget.takenBy('network')).toBe(10 * kibibyte)
  expect(account.set('person', 12 * kibibyte)).toBe(true)
  expect([budget.takenBy('network'), budget.takenBy('person')]).toEqual([0, 12 * kibibyte])
  expect([account.set('person', 0), budget.stats().used]).toEqual([true, 0])
})

it('refuses an amount above the share of the caller, and then counts nothing', () => {
  const budget = createBudget({ capacity: 100 * kibibyte })
  const [first, second] = [createByteAccount(budget), createByteAccount(budget)]
  expect([first.set('omar', 40 * kibibyte), second.set('omar', 20 * kibibyte)]).toEqual([true, false])
  expect([budget.takenBy('omar'), second.set('bea', 20 * kibibyte)]).toEqual([40 * kibibyte, true])
  expect([first.set('omar', 70 * kibibyte), budget.takenBy('omar')]).toEqual([false, 0])
})
