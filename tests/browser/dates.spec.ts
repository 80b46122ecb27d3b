import { expect, type Page } from '@playwright/test'
import { enterDemo, laptopScreen, openChannel, person, phoneScreen } from './support.ts'
import { test } from './sharedServer.ts'

const list = (page: Page) => page.getByLabel('Messages in #front-desk')
const days = (page: Page) => list(page).getByRole('button', { name: /^(Today|Yesterday|\w+day\b.*)$/ })

async function openFrontDesk(page: Page): Promise<void> {
  await openChannel(page, 'front-desk')
  await expect(list(page).getByRole('article').first()).toBeVisible()
}

test('a conversation is opened at a date by keyboard, by a command and by touch', async ({
  browser,
  demo,
}) => {
  const faults: string[] = []
  const laptop = await person(browser, faults, laptopScreen)
  await enterDemo(laptop, demo, 'ann')
  await openFrontDesk(laptop)
  await days(laptop).last().focus()
  await expect(days(laptop).last()).toBeFocused()
  await laptop.keyboard.press('Enter')
  const menu = laptop.getByRole('menu', { name: 'Jump to a date' })
  await expect(menu.getByRole('menuitem', { name: 'Today' })).toBeFocused()
  await laptop.keyboard.press('t')
  await expect(menu.getByRole('menuitem', { name: 'The beginning' })).toBeFocused()
  await laptop.keyboard.press('Enter')
  // The address is that of a message, which has the focus; above it is its day.
  await expect(laptop).toHaveURL(/\/c\/[^/]+\/m\/[^/]+$/)
  const first = list(laptop).locator('article:focus')
  await expect(first).toBeInViewport()
  const link = laptop.url()

  // A day without messages leads to the next one.
  await laptop.getByLabel('Message #front-desk').fill('/date 2001-02-03')
  await laptop.keyboard.press('Enter')
  const dialog = laptop.getByRole('dialog', { name: 'Jump to a date' })
  await expect(dialog.getByLabel('Date', { exact: true })).toHaveValue('2001-02-03')
  await dialog.getByRole('button', { name: 'Jump' }).press('Enter')
  await expect(
    laptop.getByText('No messages on February 3, 2001. This is the next one.').first(),
  ).toBeVisible()
  await expect(laptop).toHaveURL(link)

  const phone = await person(browser, faults, phoneScreen)
  await enterDemo(phone, demo, 'bea')
  await openFrontDesk(phone)
  await phone.goto(link)
  await expect(list(phone).locator('article:focus')).toBeInViewport()
  await days(phone).first().tap()
  await phone.getByRole('menuitem', { name: 'A week ago' }).tap()
  await expect(phone).not.toHaveURL(link)
  await expect(list(phone).locator('article:focus')).toBeInViewport()
  expect(faults).toEqual([])
})
