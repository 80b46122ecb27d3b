import { expect, type Browser, type Locator, type Page } from '@playwright/test'
import { composerOf, enterDemo, goTo, person, type Demo } from './support.ts'
import { test } from './sharedServer.ts'

const channelName = '#rota'

test.describe.configure({ mode: 'serial' })

let demo: Demo
let ann: Page
let bea: Page
const faults: string[] = []

async function enter(browser: Browser, nick: string, path: string): Promise<Page> {
  const page = await person(browser, faults)
  await enterDemo(page, demo, nick, path)
  return page
}

const open = async (page: Page) => {
  await page.getByRole('navigation').getByRole('link', { name: /^rota/ }).click()
  await expect(composerOf(page, channelName)).toBeVisible()
}

test.beforeAll(async ({ browser, createDemo }) => {
  demo = await createDemo()
  ;[ann, bea] = await Promise.all([enter(browser, 'ann', '/settings/groups'), enter(browser, 'bea', '/')])
})

test.afterAll(async () => {
  await Promise.all([ann.context().close(), bea.context().close()])
  await demo.end()
  expect(faults).toEqual([])
})

const messageWith = (page: Page, text: string): Locator =>
  page.getByLabel(`Messages in ${channelName}`).getByRole('article').filter({ hasText: text })

test('a group is created by keyboard, and a mention of it counts at once for its members', async () => {
  const rotaOfBea = bea.getByRole('navigation').getByRole('link', { name: /^rota/ })
  await expect(rotaOfBea).toHaveAccessibleName('rota, 3 unread, 1 mention')
  await ann.getByRole('button', { name: 'Create a group' }).focus()
  await ann.keyboard.press('Enter')
  await expect(ann.getByLabel('Name', { exact: true })).toBeFocused()
  await ann.keyboard.type('Florists')
  await ann.keyboard.press('Tab')
  await ann.keyboard.type('Orchids and tulips')
  await ann.keyboard.press('Tab')
  await ann.keyboard.type('Bea')
  await ann.keyboard.press('Enter')
  await expect(ann.getByRole('list', { name: 'Selected' })).toContainText('Bea')
  await ann.keyboard.press('Enter')
  await expect(ann.getByRole('listitem').filter({ hasText: '@Florists' })).toContainText('Orchids and tulips')

  await goTo(ann, '/')
  await open(ann)
  await composerOf(ann, channelName).click()
  await ann.keyboard.type('Vases are here, @Flo')
  await expect(ann.getByRole('option', { name: /Florists/ })).toBeVisible()
  await ann.keyboard.press('Enter')
  await ann.keyboard.press('Enter')
  await expect(messageWith(ann, 'Vases are here')).toContainText('@Florists')

  // Bea is somewhere else: her sidebar counts it as a mention, without a reload.
  await expect(rotaOfBea).toHaveAccessibleName('rota, 4 unread, 2 mentions')
  await open(bea)
  await expect(messageWith(bea, 'Vases are here').getByTitle('Orchids and tulips')).toHaveText('@Florists')

  // On a phone, the page has no wider content than the screen, and its buttons can be touched.
  await ann.setViewportSize({ width: 390, height: 844 })
  await goTo(ann, '/settings/groups')
  const row = ann.getByRole('listitem').filter({ hasText: '@Florists' })
  await expect(row).toBeVisible()
  await ann.screenshot({ path: 'test-results/groups-390.png' })
  expect(await ann.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  await row.getByRole('button', { name: 'Archive Florists' }).click()
  await expect(ann.getByRole('heading', { name: 'Archived' })).toBeVisible()

  // An archived group keeps its name in messages, and is no longer offered.
  await expect(messageWith(bea, 'Vases are here')).toContainText('@Florists')
  await composerOf(bea, channelName).click()
  await bea.keyboard.type('Thanks, @Flo')
  await expect(bea.getByRole('option', { name: /Florists/ })).toBeHidden()
})
