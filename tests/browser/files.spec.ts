import { expect, test, type Browser, type Locator, type Page } from '@playwright/test'
import { join } from 'node:path'
import { startServer, temporaryData, type Server } from '../support/server.ts'
import { composerOf, enterDemo, person } from './support.ts'

const root = join(import.meta.dirname, '../..')
const place = '#rota'

// One house for all of them: two people who are signed in, each in a browser of their own. A test leaves both in the
// channel, and cuts no connection that the next one needs.
test.describe.configure({ mode: 'serial' })

let data: { dir: string; remove(): void }
let server: Server
let ann: Page
let bea: Page
const faults: string[] = []

async function enter(browser: Browser, nick: string): Promise<Page> {
  const page = await person(browser, faults, { allowed: [/net::ERR_/] })
  await enterDemo(page, server, nick)
  await page.getByRole('navigation').getByRole('link', { name: /^rota/ }).click()
  await expect(composerOf(page, place)).toBeVisible()
  return page
}

test.beforeAll(async ({ browser }) => {
  data = temporaryData()
  server = await startServer({ root, dataDir: data.dir, args: ['--demo'] })
  ;[ann, bea] = await Promise.all([enter(browser, 'ann'), enter(browser, 'bea')])
})

test.afterEach(() => {
  // Emptied as well: one test's faults are not the next one's.
  expect(faults.splice(0)).toEqual([])
})

test.afterAll(async () => {
  await Promise.all([ann.context().close(), bea.context().close()])
  await server.end('SIGTERM')
  data.remove()
})

/** The message with these words, with all that hangs on it. */
const messageWith = (page: Page, words: string): Locator =>
  page.getByLabel(`Messages in ${place}`).getByRole('article').filter({ hasText: words })

interface Chosen {
  name: string
  mimeType: string
  buffer: Buffer
}

/** Chooses files by the button, and sends them with these words. */
async function send(page: Page, words: string, files: Chosen[]): Promise<void> {
  await page.getByLabel('Files to attach').first().setInputFiles(files)
  await composerOf(page, place).fill(words)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
}

test('files that are sent together are seen by another at once, each under its name', async () => {
  const text = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(`${name} says hello`) })
  await send(ann, 'three lists', [text('bread.txt'), text('milk.txt'), text('rota.txt')])
  const seen = messageWith(bea, 'three lists')
  await expect(seen).toHaveCount(1)
  for (const name of ['bread.txt', 'milk.txt', 'rota.txt']) await expect(seen).toContainText(name)
})
