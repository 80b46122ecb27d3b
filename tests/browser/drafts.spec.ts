import { expect } from '@playwright/test'
import type { Page } from '@playwright/test'
import { composerOf, enterOnTwoDevices, openChannel } from './support.ts'
import { test } from './sharedServer.ts'

const DESK = '#front-desk'

const draftsLink = (page: Page) => page.getByRole('navigation').getByRole('link', { name: /^Drafts/ })

test('a draft is on both devices of a person until one of them sends or discards it', async ({
  browser,
  demo,
}) => {
  const faults: string[] = []
  const { laptop, phone } = await enterOnTwoDevices(browser, faults, demo, 'ann', [
    /ERR_INTERNET_DISCONNECTED/,
  ])
  await openChannel(laptop, 'front-desk')
  await openChannel(phone, 'front-desk')
  const [field, phoneField] = [composerOf(laptop, DESK), composerOf(phone, DESK)]

  // With a quote, and after a reload.
  const row = laptop.getByLabel(`Messages in ${DESK}`).getByRole('article').last()
  await row.hover()
  await row.getByRole('button', { name: 'More actions' }).click()
  await laptop.getByRole('menuitem', { name: 'Quote', exact: true }).click()
  await field.pressSequentially('Keys are at the')
  await expect(phoneField).toHaveValue('Keys are at the')
  const quoteIn = (page: Page) => page.locator('form').getByRole('blockquote')
  await expect(quoteIn(phone)).toHaveCount(1)
  await laptop.reload()
  await expect(field).toHaveValue('Keys are at the')
  await expect(quoteIn(laptop)).toHaveCount(1)

  // Continued on the phone; the marker and the list are on the laptop.
  await phoneField.fill('Keys are at the gate.')
  await expect(field).toHaveValue('Keys are at the gate.')
  const attached = laptop.getByRole('list', { name: 'Attached files' })
  await laptop
    .getByLabel('Files to attach')
    .setInputFiles({ name: 'keys.txt', mimeType: 'text/plain', buffer: Buffer.from('Gate: brass') })
  await expect(attached).toContainText('keys.txt')
  await openChannel(laptop, 'rota')
  await expect(composerOf(laptop, '#rota')).toBeVisible()
  await expect(attached).toHaveCount(0)
  await expect(laptop.getByRole('navigation').getByRole('link', { name: /^front-desk.*draft/ })).toBeVisible()
  await draftsLink(laptop).click()
  const item = laptop.getByRole('main').getByRole('listitem').filter({ hasText: 'Keys are at the gate.' })
  await expect(item).toBeVisible()

  // Sent on the phone, it is nowhere else.
  await phone.getByRole('button', { name: 'Send', exact: true }).tap()
  await expect(item).toHaveCount(0)
  await expect(phoneField).toHaveValue('')
  await openChannel(laptop, 'front-desk')
  await expect(field).toHaveValue('')
  await expect(quoteIn(laptop)).toHaveCount(0)
  // Files are not part of it: they stay where they were added.
  await laptop.getByRole('button', { name: 'Remove keys.txt' }).click()
  await expect(attached).toHaveCount(0)

  // What was typed without a connection follows what another device has saved meanwhile.
  await phone.context().setOffline(true)
  await phoneField.fill('from the phone')
  const saved = laptop.waitForResponse('**/rest/v1/rpc/save_draft')
  await field.fill('from the laptop')
  await saved
  await phone.context().setOffline(false)
  await expect(phoneField).toHaveValue('from the laptop\nfrom the phone')
  await expect(field).toHaveValue('from the laptop\nfrom the phone')

  // Discarded by keyboard, and brought back.
  await draftsLink(laptop).press('Enter')
  const joined = laptop.getByRole('main').getByRole('listitem').filter({ hasText: 'from the phone' })
  await joined.getByRole('button', { name: 'Discard the draft in #front-desk' }).press('Enter')
  // While it has the focus, it stays.
  await laptop.getByRole('button', { name: 'Undo' }).focus()
  await expect(joined).toHaveCount(0)
  await expect(phoneField).toHaveValue('')
  await laptop.keyboard.press('Enter')
  await expect(joined).toBeVisible()
  await expect(phoneField).toHaveValue('from the laptop\nfrom the phone')
  expect(faults).toEqual([])
})
