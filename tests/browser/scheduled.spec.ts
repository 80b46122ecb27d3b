import { expect } from '@playwright/test'
import type { Page } from '@playwright/test'
import { enterDemo, enterOnTwoDevices, laptopScreen, openChannel, person } from './support.ts'
import { test } from './sharedServer.ts'

test('a message scheduled on one device is edited on another, and sent there at once', async ({
  browser,
  demo,
}) => {
  const faults: string[] = []
  const { laptop, phone } = await enterOnTwoDevices(browser, faults, demo, 'ann')
  await openChannel(laptop, 'front-desk')
  const field = laptop.getByRole('textbox', { name: 'Message #front-desk' })
  await field.fill('The boat leaves at ten.')
  await laptop.getByRole('button', { name: 'Schedule message' }).click()
  await laptop.getByRole('menuitem', { name: /^Tomorrow/ }).click()
  await expect(laptop.getByText(/^Scheduled: tomorrow/).first()).toBeVisible()
  await expect(field).toHaveValue('')
  const row = (page: Page) => page.getByRole('navigation').getByRole('link', { name: /^Scheduled/ })
  await expect(row(laptop)).toHaveAccessibleName('Scheduled, 1 scheduled message')

  await expect(row(phone)).toHaveAccessibleName('Scheduled, 1 scheduled message')
  await row(phone).tap()
  const items = phone.getByRole('region', { name: 'Scheduled' }).locator('ul > li:has(time)')
  await expect(items).toHaveCount(1)
  await items.getByRole('button', { name: 'Edit' }).tap()
  await phone.getByRole('textbox', { name: 'Message', exact: true }).fill('The boat leaves at eleven.')
  await phone.getByLabel('Send at').fill('2020-01-01T09:00')
  await phone.getByRole('button', { name: 'Save' }).tap()
  await expect(phone.getByText('Choose a time in the future.')).toBeVisible()
  const later = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 16)
  await phone.getByLabel('Send at').fill(later)
  const choosing = phone.waitForEvent('filechooser')
  await phone.getByRole('button', { name: 'Attach files' }).tap()
  await (
    await choosing
  ).setFiles({ name: 'crew.txt', mimeType: 'text/plain', buffer: Buffer.from('Bea, Gus') })
  await phone.getByRole('button', { name: 'Remove crew.txt' }).waitFor()
  await phone.getByRole('button', { name: 'Save' }).tap()
  await expect(items).toContainText('The boat leaves at eleven.')
  await expect(items).toContainText('crew.txt')

  await items.getByRole('button', { name: 'Send now' }).tap()
  await expect(items).toHaveCount(0)
  await expect(row(laptop)).toHaveCount(0)
  const message = laptop.getByLabel('Messages in #front-desk').getByRole('article').last()
  await expect(message).toContainText('The boat leaves at eleven.')
  await expect(message).toContainText('crew.txt')
  expect(faults).toEqual([])
})

test('files of a scheduled message are removed and added by keyboard, deleted with it after a confirmation, or sent with it', async ({
  browser,
  demo,
}) => {
  const faults: string[] = []
  const page = await person(browser, faults, laptopScreen)
  await enterDemo(page, demo, 'ann')
  await openChannel(page, 'front-desk')
  const attached = page.getByRole('list', { name: 'Attached files' })
  const attach = async (...names: string[]) => {
    const files = names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) }))
    await page.getByLabel('Files to attach').setInputFiles(files)
    await expect(attached.getByRole('listitem')).toHaveCount(names.length)
  }
  const schedule = async () => {
    await page.getByRole('button', { name: 'Schedule message' }).click()
    await page.getByRole('menuitem', { name: /^Tomorrow/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Schedule', exact: true }).click()
    await expect(attached).toHaveCount(0)
  }
  await attach('tides.txt', 'boats.txt')
  await schedule()
  await page
    .getByRole('navigation')
    .getByRole('link', { name: /^Scheduled/ })
    .click()
  const items = page.getByRole('region', { name: 'Scheduled' }).locator('ul > li:has(time)')
  await expect(items.getByRole('listitem')).toHaveText([/^tides\.txt/, /^boats\.txt/])

  await items.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Remove tides.txt' }).click()
  await expect(dialog.getByRole('button', { name: 'Remove boats.txt' })).toBeFocused()
  const chooseByKeyboard = async (count: number) => {
    const choosing = page.waitForEvent('filechooser')
    await dialog.getByRole('button', { name: 'Attach files' }).press('Enter')
    const files = Array.from({ length: count }, (_, i) => ({
      name: `rota-${i}.txt`,
      mimeType: 'text/plain',
      buffer: Buffer.from(`${i}`),
    }))
    await (await choosing).setFiles(files)
  }
  await chooseByKeyboard(11)
  await expect(dialog.getByRole('alert')).toHaveText('You can attach up to 10 files. 9 of 11 were added.')
  for (let i = 8; i > 0; i--) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await dialog.getByRole('button', { name: `Remove rota-${i}.txt` }).press('Enter')
  }
  await dialog.getByRole('textbox', { name: 'Message', exact: true }).fill('The boats of the week')
  await dialog.getByRole('button', { name: 'Save' }).press('Enter')
  await expect(items.getByRole('listitem')).toHaveText([/^boats\.txt/, /^rota-0\.txt/])
  await items.getByRole('button', { name: 'Delete' }).click()
  await page
    .getByRole('dialog', { name: 'Delete scheduled message?' })
    .getByRole('button', { name: 'Delete' })
    .click()
  await expect(items).toHaveCount(0)

  await openChannel(page, 'front-desk')
  await attach('crew.txt')
  await schedule()
  await page
    .getByRole('navigation')
    .getByRole('link', { name: /^Scheduled/ })
    .click()
  await items.getByRole('button', { name: 'Send now' }).click()
  await expect(items).toHaveCount(0)
  await openChannel(page, 'front-desk')
  await expect(page.getByLabel('Messages in #front-desk').getByRole('article').last()).toContainText(
    'crew.txt',
  )
  expect(faults).toEqual([])
})
