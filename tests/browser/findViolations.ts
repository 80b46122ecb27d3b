import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'

/**
 * Violations that axe finds against WCAG 2.2 A and AA, or only against one rule, one line for each rule. `part` selects the
 * part of the page that is checked.
 */
export async function findViolations(
  page: Page,
  rule: string | null = null,
  part = 'html',
): Promise<string[]> {
  const axe = new AxeBuilder({ page }).include(part)
  const { violations } = await (
    rule === null
      ? axe.withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
      : axe.withRules(rule)
  ).analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
}
