import { expect, test } from '@playwright/test'
import type { Page } from '@playwright/test'
import { enterDemo, person } from './support.ts'
import { startDemo } from './startDemo.ts'

test('a message scheduled on one device is edited on another, and sent there at once', async ({
  browser,
}) => {
  const { server, end } = await startDemo()
  const faults: string[] = []
  try {
    const laptop = await person(browser, faults, { viewport: { width: 1440, height: 900 } })
    const phone = await person(browser, faults, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    })
    await enterDemo(laptop, server, 'ann')
    await enterDemo(phone, server, 'ann')
    await laptop
      .getByRole('navigation')
      .getByRole('link', { name: /^front-desk/ })
      .first()
      .click()
    const field = laptop.getByRole('textbox', { name: 'Message #front-desk' })
    await field.fill('The boat leaves at ten.')
    await laptop.getByRole('button', { name: 'Schedule message' }).click()
    await laptop.getByRole('menuitem', { name: /^Tomorrow/ }).click()
    await expect(laptop.getByText(/^Scheduled: Tomorrow/).first()).toBeVisible()
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
