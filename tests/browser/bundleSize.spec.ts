import { expect, test } from '@playwright/test'
import { join } from 'node:path'
import { budgets, measureShell } from '../../bench/shell.ts'

test('the scripts of the first download stay within their budgets', () => {
  const { critical, usable } = measureShell(join(import.meta.dirname, '../../dist/app'))
  // A build without scripts would be within any budget.
  expect(critical).toBeGreaterThan(50)
  expect(usable).toBeGreaterThan(critical)
  expect(critical).toBeLessThanOrEqual(budgets.critical)
  expect(usable).toBeLessThanOrEqual(budgets.usable)
})
