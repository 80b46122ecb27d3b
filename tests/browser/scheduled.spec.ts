import { expect, test } from '@playwright/test'
import type { Page } from '@playwright/test'
import { enterDemo, enterOnTwoDevices, laptopScreen, openChannel, person } from './support.ts'
import { startDemo } from './startDemo.ts'

test('a message scheduled on one device is edited on another, and sent there at once', async ({
  browser,
}) => {
  const { server, end } = await startDemo()
  const faults: string[] = []
  try {
    const { laptop, phone } = await enterOnTwoDevices(browser, faults, server, 'ann')
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
    const items = phone.getByRole('region', { name: 'Scheduled' }).getByRole('listitem')
    await expect(items).toHaveCount(1)
    await items.getByRole('button', { name: 'Edit' }).tap()
    await phone.getByRole('textbox', { name: 'Message', exact: true }).fill('The boat leaves at eleven.')
    await phone.getByLabel('Send at').fill('2020-01-01T09:00')
    await phone.getByRole('button', { name: 'Save' }).tap()
    await expect(phone.getByText('Choose a time in the future.')).toBeVisible()
    const later = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 16)
    await phone.getByLabel('Send at').fill(later)
    await phone.getByRole('button', { name: 'Save' }).tap()
    await expect(items).toContainText('The boat leaves at eleven.')

    await items.getByRole('button', { name: 'Send now' }).tap()
    await expect(items).toHaveCount(0)
    await expect(row(laptop)).toHaveCount(0)
    await expect(laptop.getByLabel('Messages in #front-desk').getByRole('article').last()).toContainText(
      'The boat leaves at eleven.',
    )
    expect(faults).toEqual([])
  } finally {
    await end()
  }
})

test('a message with files is scheduled, loses one, is deleted after a confirmation, and another is sent with its file', async ({
  browser,
}) => {
  const { server, end } = await startDemo()
  const faults: string[] = []
  try {
    const page = await person(browser, faults, laptopScreen)
    await enterDemo(page, server, 'ann')
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
    await dialog.getByRole('textbox', { name: 'Message', exact: true }).fill('The boats of the week')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(items.getByRole('listitem')).toHaveText([/^boats\.txt/])
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
  } finally {
    await end()
  }
})
