import { expect, type Page } from '@playwright/test'
import { enterDemo, goTo, leaveOverlays, person, type Demo } from './support.ts'
import { test } from './sharedServer.ts'

let demo: Demo
let ann: Page
let tomas: Page
const faults: string[] = []

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser, createDemo }) => {
  demo = await createDemo()
  ;[ann, tomas] = (await Promise.all(
    ['ann', 'tomas'].map(async (nick) => {
      const page = await person(browser, faults, { allowed: [/ERR_CONNECTION_RESET/, /status of 403/] })
      await enterDemo(page, demo, nick)
      return page
    }),
  )) as [Page, Page]
})

test.afterAll(async () => {
  await Promise.all([ann.context().close(), tomas.context().close()])
  await demo.end()
  expect(faults).toEqual([])
})

for (const [width, name] of [
  [1440, 'All channels'],
  [390, 'Direct and group messages'],
] as const) {
  test(`an owner previews and sets a limit by keyboard at ${width} px`, async () => {
    await ann.setViewportSize({ width, height: 844 })
    await goTo(ann, '/settings')
    const link = ann.getByRole('link', { name: 'Message retention' })
    await link.focus()
    await ann.keyboard.press('Enter')
    const section = ann.getByRole('region', { name, exact: true })
    await expect(section).toContainText('Messages are kept forever.')
    await section.getByRole('button').focus()
    await ann.keyboard.press('Enter')
    const dialog = ann.getByRole('dialog', { name: `Limit: ${name}` })
    await dialog.getByRole('radio', { name: 'Forever' }).focus()
    await ann.keyboard.press('ArrowDown')
    await dialog.getByRole('textbox', { name: 'Days' }).focus()
    await ann.keyboard.press('ControlOrMeta+A')
    await ann.keyboard.type('0')
    await expect(dialog.getByRole('alert').filter({ hasText: 'between 1 and 3,650' })).toBeVisible()
    await ann.keyboard.press('ControlOrMeta+A')
    await ann.keyboard.type('1')
    // The first Enter shows what would be deleted, and switches nothing on.
    await ann.keyboard.press('Enter')
    await expect(dialog.getByRole('status')).toContainText('would be deleted today')
    await expect(dialog.getByRole('button', { name: 'Delete after 1 day' })).toBeVisible()
    await test.info().attach(`preview ${width}`, { body: await ann.screenshot(), contentType: 'image/png' })
    await ann.keyboard.press('Enter')
    await expect(dialog).toBeHidden()
    await expect(section).toContainText(/Messages will be deleted after 1 day, from /)
    await leaveOverlays(ann)
    await ann.reload()
    await expect(section).toContainText(/Messages will be deleted after 1 day, from /)
    expect(await ann.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await test.info().attach(`page ${width}`, { body: await ann.screenshot(), contentType: 'image/png' })
  })
}

test('a member sees no limits', async () => {
  await goTo(tomas, '/settings')
  await expect(tomas.getByRole('heading', { name: 'Profile' })).toBeVisible()
  await expect(tomas.getByRole('link', { name: 'Message retention' })).toHaveCount(0)
  await tomas.goto(`${demo.server.url}/settings/retention`)
  // A pane that a person may not open shows the settings instead.
  await expect(tomas.getByRole('heading', { name: 'Profile' })).toBeVisible()
  await expect(tomas.getByRole('heading', { name: 'Message retention' })).toHaveCount(0)
})
