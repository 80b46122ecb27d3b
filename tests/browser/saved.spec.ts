import { expect } from '@playwright/test'
import type { Page } from '@playwright/test'
import { enterOnTwoDevices, openChannel } from './support.ts'
import { test } from './sharedServer.ts'

test('a message saved for later is on both devices of a person, and opens in its conversation', async ({
  browser,
  demo,
}) => {
  const { server } = demo
  const faults: string[] = []
  const { laptop, phone } = await enterOnTwoDevices(browser, faults, demo, 'ann')
  await openChannel(laptop, 'front-desk')
  // By keyboard alone, and before the actions of the message are loaded.
  const row = laptop.getByLabel('Messages in #front-desk').getByRole('article').last()
  await expect(laptop.getByRole('heading', { name: /front-desk/ })).toBeFocused()
  await row.focus()
  await laptop.keyboard.press('a')
  await expect(laptop.getByText('Saved for later.').first()).toBeVisible()
  const savedLink = (page: Page) => page.getByRole('navigation').getByRole('link', { name: /^Saved/ })
  await expect(savedLink(laptop)).toHaveAccessibleName('Saved, 1 saved message')

  await phone.goto(`${server.url}/`)
  await phone.goto(`${server.url}/saved`)
  const items = (page: Page) => page.getByRole('tabpanel').getByRole('listitem')
  await expect(items(phone)).toHaveCount(1)
  await phone.getByRole('button', { name: 'Mark as done' }).tap()
  await expect(items(phone)).toHaveCount(0)
  await expect(savedLink(laptop)).toHaveCount(0)

  await laptop.goto(`${server.url}/saved`)
  await laptop.getByRole('tab', { name: 'Done' }).click()
  await expect(items(laptop)).toHaveCount(1)
  await items(laptop).getByRole('link').first().click()
  await expect(laptop).toHaveURL(/\/c\/[^/]+\/m\//)
  await expect(laptop.getByLabel('Messages in #front-desk').getByRole('article').first()).toBeVisible()

  await phone.getByRole('tab', { name: 'Done' }).tap()
  await phone.getByRole('button', { name: 'Remove from saved' }).tap()
  await expect(items(phone)).toHaveCount(0)
  expect(faults).toEqual([])
})
