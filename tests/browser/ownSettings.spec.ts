import { expect, type Page } from '@playwright/test'
import { laptopScreen, enterDemo, person, phoneScreen, type Demo } from './support.ts'
import { test } from './sharedServer.ts'

let demo: Demo
const faults: string[] = []

test.beforeAll(async ({ createDemo }) => {
  demo = await createDemo()
})

test.afterAll(async () => {
  await demo.end()
  expect(faults).toEqual([])
})

const titleOf = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const linkTo = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name, exact: true })

test('the list of settings stays beside each page at 1440 px, by keyboard', async ({ browser }) => {
  const page = await person(browser, faults, laptopScreen)
  await enterDemo(page, demo, 'ann', '/settings')
  await expect(titleOf(page, 'Profile')).toBeFocused()
  await expect(linkTo(page, 'Profile')).toHaveAttribute('aria-current', 'page')
  await linkTo(page, 'Your data').press('Enter')
  await expect(page).toHaveURL(/\/settings\/export$/)
  await expect(titleOf(page, 'Your data')).toBeFocused()
  await expect(linkTo(page, 'Your data')).toHaveAttribute('aria-current', 'page')
  await expect(linkTo(page, 'Profile')).not.toHaveAttribute('aria-current')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Export your data' })).toBeFocused()
  await linkTo(page, 'Audit log').press('Enter')
  await expect(titleOf(page, 'Audit log')).toBeFocused()
  await page.goBack()
  await expect(titleOf(page, 'Your data')).toBeFocused()
  await page.context().close()
})

test('the list of settings is a page of its own at 390 px, to which each page leads back', async ({
  browser,
}) => {
  const page = await person(browser, faults, phoneScreen)
  // The link of a mail.
  await enterDemo(page, demo, 'ann', '/settings/notifications')
  await expect(titleOf(page, 'Notifications')).toBeFocused()
  await expect(linkTo(page, 'Audit log')).toHaveCount(0)
  await page.getByRole('link', { name: 'Back' }).press('Enter')
  await expect(titleOf(page, 'Settings')).toBeFocused()
  await linkTo(page, 'Audit log').press('Enter')
  await expect(titleOf(page, 'Audit log')).toBeFocused()
  await page.goBack()
  await expect(titleOf(page, 'Settings')).toBeFocused()
  await expect(linkTo(page, 'Audit log')).toBeInViewport()
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  await page.context().close()
})
