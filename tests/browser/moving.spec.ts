import { readFileSync } from 'node:fs'
import { expect, test, type Page } from '@playwright/test'
import { generateSlackZip } from '../support/generateSlackZip.ts'
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

test('an owner imports an export of Slack from the page, and reads a message of it', async () => {
  const zip = await generateSlackZip({ seed: 3, people: 5, channels: 2, messages: 60, files: 2, days: 1 })
  await openSettings(ann)
  await ann.getByRole('link', { name: 'Imports', exact: true }).click()
  await expect(button('Upload export')).toBeVisible()
  await ann
    .getByLabel('Export file')
    .setInputFiles({ name: 'harbour-slack.zip', mimeType: 'application/zip', buffer: zip })
  await button('Show preview').click()
  await expect(ann.getByText('This is a preview of harbour-slack.zip.')).toBeVisible()
  await button('Choose the member for Person 0').click()
  const dialog = ann.getByRole('dialog', { name: 'Who is Person 0?' })
  await dialog.getByRole('checkbox').first().check()
  await dialog.getByRole('button', { name: 'Choose member' }).click()
  await expect(ann.getByText(/is the member/)).toBeVisible()
  await ann.getByRole('checkbox', { name: /^channel-1/ }).uncheck()
  await ann.getByLabel('Name of channel-0 here').fill('old-desk')
  await button('Start import').click()
  await expect(ann.getByText('The import is complete.')).toBeVisible()
  await button('Done').click()
  await expect(button('Upload export')).toBeVisible()
  await expect(ann.getByText(/^Slack: /)).toBeVisible()
  await expect(ann.getByRole('button', { name: 'Transfer messages: Person 1' })).toBeVisible()
  await ann.goto(instance.server.url)
  await ann.getByRole('link', { name: /old-desk/ }).click()
  await expect(ann.getByRole('article').first()).toBeVisible()
})
