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

const titleOf = (page: Page, name: string) => page.getByRole('heading', { level: 2, name, exact: true })
const linkTo = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name, exact: true })

for (const [size, screen] of [
  ['390', phoneScreen],
  ['1440', laptopScreen],
] as const) {
  test(`a person finds everything of their account on one page by keyboard at ${size} px`, async ({
    browser,
  }) => {
    const page = await person(browser, faults, screen)
    // The link of a mail. What is above the section is loaded after it, and must not move it away.
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/auth/v1/user', async (route) => {
      await released
      await route.continue()
    })
    await enterDemo(page, demo, 'ann', '/settings/notifications')
    await expect(titleOf(page, 'Notifications')).toBeFocused()
    await expect(page.getByRole('heading', { name: 'Quiet hours' })).toBeAttached()
    // After a frame, in which the page follows what has loaded.
    const top = (): Promise<number> =>
      titleOf(page, 'Notifications').evaluate((title) => {
        const { requestAnimationFrame } = globalThis as unknown as {
          requestAnimationFrame: (run: () => void) => void
        }
        return new Promise((resolve) => {
          const measure = () => resolve(title.getBoundingClientRect().top)
          requestAnimationFrame(() => setTimeout(measure))
        })
      })
    let before = await top()
    await expect
      .poll(async () => {
        const earlier = before
        before = await top()
        return before - earlier
      })
      .toBe(0)
    release()
    await expect(page.getByRole('heading', { name: 'Active sessions' })).toBeAttached()
    await expect(page.getByRole('button', { name: 'Sign in on your phone' })).toBeAttached()
    await expect.poll(top).toBe(before)
    await expect(linkTo(page, 'Notifications')).toHaveAttribute('aria-current', 'location')

    await linkTo(page, 'Your data').press('Enter')
    await expect(page).toHaveURL(/\/settings\/export$/)
    await expect(titleOf(page, 'Your data')).toBeFocused()
    await expect(titleOf(page, 'Your data')).toBeInViewport()
    await page.keyboard.press('Tab')
    await expect(page.getByRole('button', { name: 'Export your data' })).toBeFocused()
    // Scrolling, here by the focus, moves the mark.
    await page.getByRole('textbox', { name: 'Your name' }).focus()
    await expect(linkTo(page, 'Profile')).toHaveAttribute('aria-current', 'location')
    await expect(linkTo(page, 'Your data')).not.toHaveAttribute('aria-current')

    // What belongs to the workspace has pages of its own, which lead back to their links.
    await page.getByRole('link', { name: 'Audit log' }).press('Enter')
    await expect(page.getByRole('heading', { level: 1, name: 'Audit log' })).toBeFocused()
    await page.goBack()
    await expect(titleOf(page, 'Workspace')).toBeFocused()
    await expect(page.getByRole('link', { name: 'Audit log' })).toBeInViewport()
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await page.context().close()
  })
}
