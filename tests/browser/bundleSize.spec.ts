import { expect, test } from '@playwright/test'
import { join } from 'node:path'
import { budgets, measureShell } from '../../bench/shell.ts'
import { LANGUAGES } from '../../wire/languages.ts'

test('the scripts of the first download stay within their budgets in each language', () => {
  const sizes = measureShell(join(import.meta.dirname, '../../dist/app'))
  expect(sizes.map(({ language }) => language).toSorted()).toEqual(Object.keys(LANGUAGES).toSorted())
  for (const { language, critical, usable } of sizes) {
    // A build without scripts would be within any budget.
    expect(critical).toBeGreaterThan(50)
    expect(usable).toBeGreaterThan(critical)
    const help = `${language}: LINNET_COMPARE=main npm run bench -- shell lists the modules that grew`
    expect(critical, help).toBeLessThanOrEqual(budgets.critical)
    expect(usable, help).toBeLessThanOrEqual(budgets.usable)
  }
})
