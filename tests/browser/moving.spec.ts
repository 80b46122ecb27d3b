import { readFileSync } from 'node:fs'
import { expect, test, type Page } from '@playwright/test'
import { openSettings, person, setUp, startTestInstance, type TestInstance } from './support.ts'

let instance: TestInstance
let ann: Page
const faults: string[] = []

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser }) => {
  instance = await startTestInstance()
  ann = await person(browser, faults, { viewport: { width: 1440, height: 900 } })
  await setUp(ann, instance)
})

test.afterAll(async () => {
  await ann.context().close()
  await instance.end()
  expect(faults).toEqual([])
})

const button = (name: string) => ann.getByRole('button', { name, exact: true })

test('an owner exports the workspace, downloads the archive and deletes it', async () => {
  await openSettings(ann)
  await ann.getByRole('link', { name: 'Export', exact: true }).click()
  await button('Start export').click()
  await expect(ann.getByText(/^The export of .* is ready/)).toBeVisible()
  const downloading = ann.waitForEvent('download')
  await button('Download').click()
  const download = await downloading
  expect(download.suggestedFilename()).toMatch(/^linnet-[\d-]+\.zip$/)
  const zip = readFileSync(await download.path())
  expect(zip.subarray(0, 2).toString()).toBe('PK')
  expect(zip.includes('rows/messages.jsonl')).toBe(true)
  await button('Delete now').click()
  await button('Delete export').click()
  await expect(button('Start export')).toBeVisible()
})
