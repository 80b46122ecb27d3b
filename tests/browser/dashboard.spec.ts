import { AxeBuilder } from '@axe-core/playwright'
import { expect, test, type Page } from '@playwright/test'
import { join } from 'node:path'
import { writeHostileProject } from '../integration/dashboard/hostileProject.ts'
import { startServer, temporaryData, type Server } from '../support/server.ts'
import { laptopScreen, person } from './support.ts'

const root = join(import.meta.dirname, '../..')
const data = temporaryData()
const project = writeHostileProject()
let server: Server

test.beforeAll(async () => {
  server = await startServer({ root, dataDir: data.dir, args: ['--no-app', '--supabase', project.dir] })
})

test.afterAll(async () => {
  await server.end('SIGTERM')
  data.remove()
  project.remove()
})

async function findViolations(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
    .analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
}

test('the administration page of a server with hostile names', async ({ browser }) => {
  const faults: string[] = []
  const page = await person(browser, faults, laptopScreen)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])

  await page.goto(server.dashboard)
  await expect(page.getByText('Row security is off for public.open_notes')).toBeVisible()
  await page.getByRole('button', { name: 'Copy Public key', exact: true }).click()
  await expect(page.getByRole('status')).toHaveText('Copied')
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(server.publishableKey)
  await expect(page.getByText(server.secretKey)).toBeHidden()
  await page.getByRole('button', { name: 'Show secret keys' }).click()
  await expect(page.getByText(server.secretKey)).toBeVisible()
  await page.getByRole('link', { name: 'Hide secret keys' }).click()
  await expect(page.getByText(server.secretKey)).toBeHidden()

  await page.getByRole('link', { name: 'Show the table' }).first().click()
  await expect(page.getByRole('heading', { name: 'public.open_notes' })).toBeVisible()

  await page.getByRole('link', { name: 'Logs', exact: true }).click()
  await expect(page.getByText('Newest first, live.')).toBeVisible()
  const lines = page.getByRole('list', { name: 'Log, newest first' }).getByRole('listitem')
  const call = (table: string): Promise<Response> =>
    fetch(`${server.url}/rest/v1/${table}`, { headers: { apikey: server.publishableKey } })
  await call('first_call')
  await expect(lines.filter({ hasText: 'first_call' })).toContainText('GET /rest/v1/first_call 404')
  await page.getByLabel('Containing').fill('second_call')
  await expect(lines).toHaveCount(0)
  await call('second_call')
  await expect(lines).toHaveCount(1)
  await page.getByRole('button', { name: 'Pause' }).click()
  await call('second_call')
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect(lines).toHaveCount(2)

  const views: [path: string, scheme: 'light' | 'dark', width: number][] = [
    ['', 'light', 1440],
    ['tables', 'light', 768],
    ['table?schema=public&name=visits', 'light', 1440],
    ['users', 'light', 390],
    ['logs', 'light', 1440],
    ['', 'dark', 390],
    ['tables', 'dark', 1440],
    ['logs', 'dark', 390],
  ]
  for (const [path, colorScheme, width] of views) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 900 })
    await page.goto(`${server.dashboard}${path}`)
    expect([path, colorScheme, width, ...(await findViolations(page))]).toEqual([path, colorScheme, width])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  }
  // No hostile name ran as a script, and the page's own script was not blocked.
  expect(faults).toEqual([])
})
