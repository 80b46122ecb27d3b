import { expect } from '@playwright/test'
import type { Page } from '@playwright/test'
import { enterDemo, openChannel, person, phoneScreen } from './support.ts'
import { test } from './sharedServer.ts'

const list = (page: Page) => page.getByLabel('Messages in #front-desk')
const bar = (page: Page) => page.getByRole('group', { name: 'Selected messages' })
const row = (page: Page, text: string) => list(page).getByRole('article').filter({ hasText: text })
const checkBox = (page: Page, text: string) => row(page, text).getByRole('checkbox')

async function openFrontDesk(page: Page): Promise<void> {
  await openChannel(page, 'front-desk')
  await expect(list(page).getByRole('article').first()).toBeVisible()
}

async function send(page: Page, ...texts: string[]): Promise<void> {
  for (const text of texts) {
    await page.getByLabel('Message #front-desk').fill(text)
    await page.keyboard.press('Enter')
    // It can be selected once it is sent.
    await expect(row(page, text)).not.toHaveAccessibleName(/sending/)
  }
}

test('several messages are selected by keyboard and by touch, copied, saved, forwarded and deleted', async ({
  browser,
  demo,
}) => {
  const faults: string[] = []
  const laptop = await person(browser, faults, {
    viewport: { width: 1440, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const phone = await person(browser, faults, phoneScreen)
  await enterDemo(laptop, demo, 'ann')
  await enterDemo(phone, demo, 'bea')
  await openFrontDesk(laptop)
  await openFrontDesk(phone)
  await send(laptop, 'First buoy', 'Second buoy', 'Third buoy')

  // By keyboard alone: X selects the focused row, Shift with an arrow extends the selection.
  await row(laptop, 'Third buoy').focus()
  await laptop.keyboard.press('x')
  await expect(bar(laptop)).toContainText('1 message selected')
  await expect(row(laptop, 'Third buoy')).toHaveAccessibleDescription('Selected')
  await expect(row(laptop, 'First buoy')).toHaveAccessibleDescription('Not selected')
  await laptop.keyboard.press('Shift+ArrowUp')
  await expect(row(laptop, 'Second buoy')).toBeFocused()
  await laptop.keyboard.press('Shift+ArrowUp')
  await expect(row(laptop, 'First buoy')).toBeFocused()
  await expect(bar(laptop)).toContainText('3 messages selected')
  await laptop.getByRole('button', { name: 'Copy text' }).press('Enter')
  await expect(bar(laptop)).toHaveCount(0)
  await expect(row(laptop, 'First buoy')).toBeFocused()
  const copied = await laptop.evaluate<string>('navigator.clipboard.readText()')
  expect(copied).toMatch(/^Ann .*\nFirst buoy\n\nAnn .*\nSecond buoy\n\nAnn .*\nThird buoy$/)

  // Escape ends the selection, and nothing else.
  await laptop.keyboard.press('x')
  await expect(checkBox(laptop, 'First buoy')).toBeChecked()
  await laptop.keyboard.press('Escape')
  await expect(bar(laptop)).toHaveCount(0)
  await expect(row(laptop, 'First buoy')).toBeFocused()

  // Shift and a click extend it; a press on a row selects it.
  await laptop.keyboard.press('x')
  await expect(checkBox(laptop, 'First buoy')).toBeChecked()
  await row(laptop, 'Third buoy').click({ modifiers: ['Shift'] })
  await expect(bar(laptop)).toContainText('3 messages selected')
  await row(laptop, 'Second buoy').click()
  await expect(bar(laptop)).toContainText('2 messages selected')
  await laptop.getByRole('button', { name: 'Forward…' }).click()
  const dialog = laptop.getByRole('dialog', { name: 'Forward 2 messages' })
  await dialog.getByRole('textbox', { name: 'To' }).fill('kitchen')
  await dialog.getByRole('radio').first().check()
  await dialog.getByRole('button', { name: 'Forward', exact: true }).click()
  await expect(bar(laptop)).toHaveCount(0)

  // One undo for all, while it is possible.
  await row(laptop, 'First buoy').focus()
  await laptop.keyboard.press('x')
  await expect(checkBox(laptop, 'First buoy')).toBeChecked()
  await laptop.keyboard.press('Shift+ArrowDown')
  await expect(bar(laptop)).toContainText('2 messages selected')
  await laptop.getByRole('button', { name: 'Delete your messages' }).click()
  await expect(row(laptop, 'First buoy')).toHaveCount(0)
  await expect(row(laptop, 'Second buoy')).toHaveCount(0)
  await laptop.getByRole('button', { name: 'Undo' }).click()
  await expect(row(laptop, 'First buoy')).toBeVisible()
  await expect(row(laptop, 'Second buoy')).toBeVisible()

  // By touch: other people's messages can be saved, not deleted.
  await row(phone, 'First buoy').dispatchEvent('contextmenu', { clientX: 40, clientY: 300 })
  await phone.getByRole('menuitem', { name: 'Select messages' }).tap()
  await expect(checkBox(phone, 'First buoy')).toBeChecked()
  expect((await row(phone, 'Second buoy').boundingBox())!.height).toBeGreaterThanOrEqual(44)
  await row(phone, 'Second buoy').tap()
  await expect(bar(phone)).toContainText('2 messages selected')
  await phone.getByRole('button', { name: 'Delete your messages' }).tap()
  await expect(phone.getByText('Only your own messages can be deleted this way.').first()).toBeVisible()

  // A message that its author deletes leaves the selection.
  await row(laptop, 'Second buoy').focus()
  await laptop.keyboard.press('x')
  await expect(checkBox(laptop, 'Second buoy')).toBeChecked()
  await laptop.getByRole('button', { name: 'Delete your messages' }).click()
  await expect(bar(phone)).toContainText('1 message selected')
  await phone.getByRole('button', { name: 'Save for later' }).tap()
  await expect(phone.getByText('1 message saved for later.').first()).toBeVisible()
  await expect(bar(phone)).toHaveCount(0)
  expect(faults).toEqual([])
})
