import { expect, test } from '@playwright/test'
import type { Page } from '@playwright/test'
import { enterDemo, person } from './support.ts'
import { startDemo } from './startDemo.ts'

test('a reminder set by /remind is on both devices of a person, is changed on one and completed', async ({
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
    await field.fill('/remind Water the plants')
    await field.press('Enter')
    await expect(laptop.getByRole('textbox', { name: 'Remind me to' })).toHaveValue('Water the plants')
    await laptop.getByRole('button', { name: 'In an hour' }).click()
    await laptop.getByRole('dialog').getByText('Every weekday').click()
    await laptop.getByRole('button', { name: 'Save' }).click()
    await expect(laptop.getByText(/^Reminder: /).first()).toBeVisible()

    const saved = (page: Page) => page.getByRole('navigation').getByRole('link', { name: /^Saved/ })
    await saved(phone).tap()
    await phone.getByRole('tab', { name: 'Reminders' }).tap()
    const items = phone.getByRole('tabpanel').getByRole('listitem')
    await expect(items).toContainText('Water the plants')
    await expect(items).toContainText('Every weekday')
    await items.getByRole('button', { name: 'Edit' }).tap()
    await phone.getByRole('dialog').getByText('Never').tap()
    await phone.getByRole('button', { name: 'Save' }).tap()
    await expect(items).not.toContainText('Every weekday')
    await items.getByRole('button', { name: 'Complete' }).tap()
    await expect(items).toHaveCount(0)
    await expect(saved(laptop)).toHaveCount(0)
    expect(faults).toEqual([])
  } finally {
    await end()
  }
})
