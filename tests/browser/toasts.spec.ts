import { expect, type Locator, type Page } from '@playwright/test'
import { test } from './sharedServer.ts'
import { enterDemo, goTo, openChannel, person, phoneScreen } from './support.ts'

const pictures = process.env['LINNET_PICTURES']

const toastOf = (page: Page): Locator => page.locator('[data-toast]')

/** Keeps a toast until it is tapped, as a pointer over it does. */
const hold = (page: Page): Promise<void> =>
  toastOf(page).dispatchEvent('pointerover', { pointerType: 'mouse' })

/** Expects that the toast is on the screen, and covers none of `elements`. */
async function expectUncovered(page: Page, elements: Locator[]): Promise<void> {
  await expect(toastOf(page)).toBeVisible()
  for (const element of elements) await expect(element).toBeVisible()
  // A list follows a change of its height with the next frame.
  await expect(async () => {
    const toast = (await toastOf(page).boundingBox())!
    expect(toast.y).toBeGreaterThanOrEqual(0)
    expect(toast.y + toast.height).toBeLessThanOrEqual(page.viewportSize()!.height)
    for (const element of elements) {
      const box = (await element.boundingBox())!
      expect(
        box.y + box.height <= toast.y || toast.y + toast.height <= box.y,
        `${String(element)}: ${box.y} to ${box.y + box.height}, toast: ${toast.y} to ${toast.y + toast.height}`,
      ).toBe(true)
    }
  }).toPass()
}

const looks = [
  { locale: 'en-GB', colorScheme: 'light', copy: 'Copy link', jumpTo: 'Jump to', pages: 'Main pages' },
  {
    locale: 'de-DE',
    colorScheme: 'dark',
    copy: 'Link kopieren',
    jumpTo: 'Springen zu',
    pages: 'Hauptseiten',
  },
] as const

for (const { locale, colorScheme, copy, jumpTo, pages } of looks) {
  test(`a toast on a phone covers neither controls nor the newest message (${locale})`, async ({
    browser,
    demo,
  }) => {
    const faults: string[] = []
    const phone = await person(browser, faults, { ...phoneScreen, locale, colorScheme })
    const take = async (name: string) => {
      if (pictures) await phone.screenshot({ path: `${pictures}/toast-${name}-${locale}.png` })
    }
    await enterDemo(phone, demo, 'ann')
    const tabs = phone.getByRole('navigation', { name: pages })
    const header = phone.locator('header:has(h1)')
    const newest = phone.getByRole('article').last()
    const composer = phone.locator('form').filter({ has: phone.getByRole('textbox') })

    // In a conversation, after the sheet of its details.
    await openChannel(phone, 'rota')
    await expect(newest).toBeVisible()
    const dialog = phone.getByRole('dialog')
    const copyLink = async () => {
      await phone.locator('header h1 button').tap()
      await dialog.getByRole('button', { name: copy }).tap()
    }
    await copyLink()
    await hold(phone)
    await phone.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    await expectUncovered(phone, [header, newest, composer])
    await take('conversation')
    const field = composer.getByRole('textbox')
    await field.fill('@')
    await expectUncovered(phone, [header, phone.getByRole('listbox'), composer])
    await take('suggestions')
    await field.fill('')
    // Another toast replaces it: the list stays at its end.
    await copyLink()
    await hold(phone)
    await phone.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    await expectUncovered(phone, [header, newest, composer])

    // The same toast on other pages.
    await phone
      .getByRole('link', { name: /4 (replies|Antworten)/ })
      .last()
      .tap()
    await expect(phone).toHaveURL(/\/t\//)
    await expectUncovered(phone, [header, newest, composer])
    await take('thread')
    await goTo(phone, '/')
    const jump = phone.getByRole('button', { name: jumpTo })
    await expectUncovered(phone, [phone.locator('nav a[href^="/c/"]').first(), jump, tabs])
    await take('home')
    for (const path of ['/unread', '/settings/appearance', '/search']) {
      await goTo(phone, path)
      await expectUncovered(phone, [header, tabs])
      await take(path.slice(1).replace('/', '-'))
    }
    // Its space is used again once it is closed.
    const pageHeight = () => phone.locator('main').evaluate(({ clientHeight }) => clientHeight)
    const withToast = await pageHeight()
    await toastOf(phone).tap()
    await expect(toastOf(phone)).toHaveCount(0)
    expect(await pageHeight()).toBeGreaterThan(withToast)

    // Over a dialog that is as high as a dialog becomes.
    await goTo(phone, '/')
    await openChannel(phone, 'rota')
    await expect(newest).toBeVisible()
    await copyLink()
    await hold(phone)
    await expectUncovered(phone, [dialog])
    await take('dialog')
    expect(faults).toEqual([])
  })
}
