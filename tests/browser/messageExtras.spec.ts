import { expect } from '@playwright/test'
import type { Page } from '@playwright/test'
import {
  composerOf,
  enterDemo,
  laptopScreen,
  openChannel,
  person,
  phoneScreen,
  sendMessage,
} from './support.ts'
import { test } from './sharedServer.ts'

/** Chooses from the "More" menu of a message. */
async function choose(page: Page, channel: string, text: string, item: string): Promise<void> {
  const row = page.getByLabel(`Messages in ${channel}`).getByRole('article').filter({ hasText: text })
  await row.hover()
  await row.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

const rowOf = (page: Page, text: string) => page.getByRole('article').filter({ hasText: text })

test('polls, tasks, quotes and forwarded messages are live for everyone who may read them', async ({
  browser,
  demo,
}) => {
  const faults: string[] = []
  const ann = await person(browser, faults, laptopScreen)
  const bea = await person(browser, faults, phoneScreen)
  await enterDemo(ann, demo, 'ann')
  await enterDemo(bea, demo, 'bea')
  await openChannel(ann, 'front-desk')
  await openChannel(bea, 'front-desk')

  // By keyboard alone: Enter moves through the options, and the poll starts with its last button.
  await ann.getByRole('button', { name: 'Start a poll' }).press('Enter')
  await expect(ann.getByLabel('Question')).toBeFocused()
  await ann.keyboard.type('Where do we eat?')
  await ann.keyboard.press('Tab')
  for (const option of ['Soup', 'Salad']) {
    await ann.keyboard.type(option)
    await ann.keyboard.press('Enter')
  }
  await ann.getByRole('button', { name: 'Start poll' }).press('Enter')
  const soup = (page: Page) => page.getByRole('radio', { name: /^Soup/ })
  const salad = (page: Page) => page.getByRole('radio', { name: /^Salad/ })
  // Nobody votes before the poll is sent.
  await expect(soup(ann)).toBeEnabled()
  await soup(ann).press('Space')
  await expect(soup(bea)).toHaveAccessibleName(/1 vote, Ann Okafor/)
  await soup(bea).tap()
  await salad(bea).tap()
  await expect(salad(ann)).toHaveAccessibleName(/1 vote, Bea Lindqvist/)
  await expect(soup(ann)).toHaveAccessibleName(/1 vote, You/)
  await ann.getByRole('button', { name: 'Close poll' }).click()
  await expect(salad(bea)).toBeDisabled()
  await expect(salad(bea)).toBeChecked()

  await composerOf(ann, '#front-desk').fill('Before Friday\n- [ ] order paint\n- [x] sweep')
  await ann.keyboard.press('Enter')
  const paint = (page: Page) => page.getByRole('checkbox', { name: 'order paint' })
  await paint(bea).tap()
  await expect(paint(ann)).toBeChecked()
  await ann.getByRole('checkbox', { name: 'sweep' }).press('Space')
  await expect(bea.getByRole('checkbox', { name: 'sweep' })).not.toBeChecked()
  await paint(ann).click()
  await expect(paint(bea)).not.toBeChecked()

  await choose(ann, '#front-desk', 'Before Friday', 'Quote')
  await composerOf(ann, '#front-desk').pressSequentially('Who orders it?')
  await ann.keyboard.press('Enter')
  const quote = rowOf(bea, 'Who orders it?').getByRole('blockquote')
  await expect(quote).toContainText('order paint')
  await expect(composerOf(ann, '#front-desk').locator('..').getByRole('blockquote')).toHaveCount(0)

  // Bea is no member of this conversation.
  await openChannel(ann, 'Noor Haddad')
  await sendMessage(ann, 'Noor Haddad', 'The sum is 4,711')
  await choose(ann, 'Noor Haddad', 'The sum is 4,711', 'Forward…')
  const dialog = ann.getByRole('dialog', { name: 'Forward message' })
  await dialog.getByLabel('To', { exact: true }).fill('front')
  await dialog.getByRole('radio', { name: '#front-desk' }).check()
  await dialog.getByLabel('Comment (optional)').fill('As agreed')
  await dialog.getByRole('button', { name: 'Forward', exact: true }).click()
  await ann.getByRole('button', { name: 'Open', exact: true }).click()
  await expect(rowOf(ann, 'As agreed').getByRole('blockquote')).toContainText('4,711')
  await expect(rowOf(bea, 'As agreed')).toContainText('You don’t have access to this message.')
  expect(faults).toEqual([])
})
