import { expect, test, type Browser, type Locator, type Page } from '@playwright/test'
import type { Server } from '../support/server.ts'
import { enterDemo, person } from './support.ts'
import { startDemo } from './startDemo.ts'

async function signIn(browser: Browser, server: Server, faults: string[], nick: string): Promise<Page> {
  const page = await person(browser, faults, { allowed: [/net::ERR_/] })
  await enterDemo(page, server, nick)
  await page.getByRole('navigation').getByRole('link', { name: /^rota/ }).click()
  await expect(page.getByRole('textbox', { name: 'Message #rota' })).toBeVisible()
  return page
}

const words = (page: Page, text: string): Locator => page.getByRole('article').filter({ hasText: text })

/** In the page: the words of messages that the device keeps, as JSON. */
const keptWords = `(async () => {
  const open = (name) => new Promise((resolve) => {
    indexedDB.open(name).onsuccess = (event) => resolve(event.target.result)
  })
  const name = (await indexedDB.databases()).map((one) => one.name).find((one) => one.startsWith('linnet-'))
  const tables = await open(name)
  return new Promise((resolve) => {
    tables.transaction('words').objectStore('words').getAll().onsuccess = (event) => {
      tables.close()
      resolve(JSON.stringify(event.target.result))
    }
  })
})()`

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message #rota' }).fill(text)
  await page.keyboard.press('Enter')
  await expect(words(page, text)).toBeVisible()
}

test('what was done without a server survives reload and crash, and is done once', async ({ browser }) => {
  const { server, end } = await startDemo()
  const faults: string[] = []
  try {
    const [ann, bea] = await Promise.all([
      signIn(browser, server, faults, 'ann'),
      signIn(browser, server, faults, 'bea'),
    ])
    await say(ann, 'high tide at noon')
    await say(ann, 'never mind this')
    await expect(words(bea, 'never mind this')).toBeVisible()

    // The page and its cache stay, the server's commands don't answer. Words reach the device behind the reader's
    // back: what is not there yet is not there after a reload without a server.
    await expect.poll(() => ann.evaluate(keptWords)).toContain('never mind this')
    let cut = true
    await ann.context().route('**/rest/v1/rpc/**', (route) => (cut ? route.abort() : route.continue()))
    await say(ann, 'written without a server')
    await words(ann, 'high tide at noon').hover()
    await words(ann, 'high tide at noon').getByRole('button', { name: 'Edit message' }).click()
    await ann.getByRole('textbox', { name: 'Edit message' }).fill('low tide at noon')
    await ann.keyboard.press('Enter')
    await expect(words(ann, 'low tide at noon')).toBeVisible()
    await ann.reload()
    await expect(words(ann, 'written without a server')).toBeVisible()
    await expect(words(ann, 'low tide at noon')).toBeVisible()
    expect(await words(bea, 'high tide at noon').count()).toBe(1)

    // A second tab shows what waits; the first one ends, and the second does it.
    const other = await ann.context().newPage()
    await other.goto(ann.url())
    await expect(words(other, 'written without a server')).toBeVisible()
    await ann.close()
    cut = false
    await other.evaluate("dispatchEvent(new Event('online'))")
    await expect(words(bea, 'written without a server')).toHaveCount(1)
    await expect(words(bea, 'low tide at noon')).toHaveCount(1)

    // The tab that took over is live.
    await say(bea, 'thanks')
    await expect(words(other, 'thanks')).toBeVisible()

    // A deletion waits for its undo, also through a reload.
    await words(other, 'never mind this').click({ button: 'right' })
    await other.getByRole('menuitem', { name: /^Delete/ }).click()
    await expect(words(other, 'never mind this')).toBeHidden()
    await other.reload()
    await expect(words(other, 'thanks')).toBeVisible()
    await expect(words(other, 'never mind this')).toBeHidden()
    expect(faults).toEqual([])
  } finally {
    await end()
  }
})
