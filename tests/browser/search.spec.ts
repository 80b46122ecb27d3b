import { expect, test, type Page } from '@playwright/test'
import { startDemo } from './startDemo.ts'
import { signInDemoClient } from './demoClient.ts'
import { enterOnTwoDevices, goTo } from './support.ts'

const field = (page: Page) => page.getByRole('combobox', { name: 'Search messages' })
const results = (page: Page) => page.getByRole('region', { name: 'Messages', exact: true })

test('a half-remembered sentence is found, opened in its conversation, and the search is as it was', async ({
  browser,
}) => {
  const demo = await startDemo()
  const { server } = demo
  const faults: string[] = []
  try {
    const { laptop, phone } = await enterOnTwoDevices(browser, faults, demo, 'ann')

    await test.step('by keyboard alone', async () => {
      const { keyboard } = laptop
      await expect(laptop.getByRole('navigation').first()).toBeVisible()
      await keyboard.press('ControlOrMeta+Shift+F')
      await expect(field(laptop)).toBeFocused()
      await keyboard.type('bank holi from:an')
      await expect(laptop.getByRole('option', { name: /Ann Okafor/ })).toBeVisible()
      await keyboard.press('Enter')
      await expect(field(laptop)).toHaveValue('bank holi from:me ')
      await keyboard.press('Enter')
      const found = results(laptop).getByRole('article')
      await expect(found.first().locator('mark').first()).toHaveText('bank')
      await expect(found.filter({ hasText: /(Previous|Next) message: / }).first()).toBeVisible()
      await expect(laptop).toHaveURL(/\/search\?q=bank\+holi\+from%3Ame$/)
      await expect(laptop.getByLabel('Sort by')).toHaveCSS('height', '28px')
      await keyboard.press('ArrowDown')
      const links = results(laptop).getByRole('link', { name: /Ann Okafor/ })
      await expect(links.first()).toBeFocused()
      for (const index of [1, 2, 3, 4, 5, 6, 7, 8]) {
        await keyboard.press('ArrowDown')
        await expect(links.nth(index)).toBeFocused()
      }
      const opened = await links.nth(8).getAttribute('data-result')
      await keyboard.press('Enter')
      await expect(laptop).toHaveURL(new RegExp(`/m/${opened}$`))
      const text = 'Please look at the bank holiday plan. I would rather know now than on the morning itself.'
      await expect(laptop.getByLabel('Messages in #rota').getByText(text).first()).toBeVisible()
      // The keys of the browser itself don't reach a headless one.
      await laptop.goBack()
      await expect(laptop.locator(`[data-result="${opened}"]`)).toBeFocused()
      await expect(laptop.locator(`[data-result="${opened}"]`)).toBeInViewport()
      await expect(field(laptop)).toHaveValue('bank holi from:me ')
      // The palette leads to a search as well, also from what is typed while it opens.
      await keyboard.press('ControlOrMeta+K')
      await keyboard.type('orchid', { delay: 25 })
      const palette = laptop.getByRole('dialog', { name: 'Jump to' }).getByRole('combobox')
      await expect(palette).toBeFocused()
      // The line between the field and the results.
      await expect(palette).toHaveCSS('box-shadow', /inset/)
      await expect(laptop.getByRole('option', { name: 'Search messages for “orchid”' })).toBeVisible()
      await keyboard.press('ArrowUp')
      await keyboard.press('Enter')
      await expect(results(laptop).locator('mark').first()).toHaveText('orchid')
    })

    await test.step('by touch', async () => {
      await goTo(phone, '/')
      await phone.getByRole('button', { name: 'Search messages' }).tap()
      await expect(field(phone)).toBeFocused()
      await phone.getByRole('button', { name: 'In', exact: true }).tap()
      await expect(field(phone)).toHaveValue('in:')
      await field(phone).pressSequentially('ro')
      await phone.getByRole('option', { name: 'rota' }).tap()
      await expect(field(phone)).toHaveValue('in:#rota ')
      await field(phone).pressSequentially('bank')
      await expect(results(phone).locator('mark').first()).toHaveText('bank')
      await results(phone).getByRole('link').nth(1).tap()
      await expect(phone).toHaveURL(/\/m\//)
      const opened = phone.url().split('/m/')[1]
      await phone.getByRole('link', { name: 'Back' }).tap()
      await expect(phone.locator(`[data-result="${opened}"]`)).toBeInViewport()
      await phone.getByRole('button', { name: 'Remove filter in: #rota' }).tap()
      await expect(field(phone)).toHaveValue('bank')
    })
    await test.step('the text of an attached file is found, with the passage that has the words', async () => {
      await goTo(laptop, '/')
      const buffer = Buffer.from(`${'The pump was checked. '.repeat(40)}The seal of the bilge pump drips.`)
      await laptop
        .locator('input[type=file]')
        .first()
        .setInputFiles({ name: 'log.txt', mimeType: 'text/plain', buffer })
      // The file is in the composer, and then in a message.
      await expect(laptop.locator('form').getByText('log.txt')).toBeVisible()
      await laptop.getByRole('textbox', { name: /^Message/ }).press('Enter')
      await expect(laptop.getByRole('log').getByText('log.txt')).toBeVisible()
      const ann = await signInDemoClient(demo, 'ann')
      const workspace = ann.bootstrap.workspace!.id
      const search = { workspace, query: 'bilge drips' }
      await expect
        .poll(async () => (await ann.call('search_messages', search)).hits.length)
        .toBeGreaterThan(0)
      await phone.goto(`${server.url}/search?q=bilge+drips`)
      await expect(results(phone).locator('mark')).toHaveText(['bilge', 'drips'])
      await expect(results(phone).getByText('log.txt')).toBeVisible()
      await expect(results(phone).getByText(/The seal of the bilge pump drips\.$/)).toBeVisible()
    })
    await test.step('a saved search is on the other device at once, and comes back after it was deleted', async () => {
      await goTo(phone, '/search')
      const saved = phone.getByRole('region', { name: 'Saved searches' })
      await expect(saved.getByText('to find it here')).toBeVisible()
      await goTo(laptop, '/search?q=bank+from%3Ame')
      await laptop.getByRole('button', { name: 'Save this search' }).click()
      const dialog = laptop.getByRole('dialog', { name: 'Save search' })
      await dialog.getByLabel('Name').fill('My holidays')
      await dialog.getByLabel('Name').press('Enter')
      await expect(laptop.getByRole('button', { name: 'Rename My holidays' })).toBeFocused()

      await saved.getByRole('button', { name: 'Rename My holidays' }).tap()
      const rename = phone.getByRole('dialog', { name: 'Rename search' })
      await rename.getByLabel('Name').fill('Days off')
      await rename.getByRole('button', { name: 'Save' }).tap()
      await expect(saved.getByRole('button', { name: 'Days off', exact: true })).toBeVisible()

      await laptop.goto(`${server.url}/search`)
      const listed = laptop.getByRole('button', { name: 'Days off', exact: true })
      await laptop.getByRole('button', { name: 'Delete the saved search “Days off”' }).focus()
      await laptop.keyboard.press('Enter')
      await expect(laptop.getByRole('heading', { name: 'Saved searches' })).toBeFocused()
      // While it has the focus, it stays.
      await laptop.getByRole('button', { name: 'Undo' }).focus()
      await expect(saved.getByRole('listitem')).toHaveCount(0)
      await laptop.keyboard.press('Enter')
      await expect(saved.getByRole('listitem')).toHaveCount(1)
      await listed.focus()
      await laptop.keyboard.press('Enter')
      await expect(field(laptop)).toHaveValue('bank from:me ')
      await expect(field(laptop)).toBeFocused()
      await expect(results(laptop).locator('mark').first()).toHaveText('bank')
    })
    expect(faults).toEqual([])
  } finally {
    await demo.end()
  }
})
