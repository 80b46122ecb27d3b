import { expect } from '@playwright/test'
import type { Page } from '@playwright/test'
import { Client } from 'pg'
import { signInDemoClient } from './demoClient.ts'
import { enterOnTwoDevices, openChannel } from './support.ts'
import { test } from './sharedServer.ts'

test('a reminder set by /remind is on both devices of a person, is changed on one and completed', async ({
  browser,
  demo,
}) => {
  const { server } = demo
  const faults: string[] = []
  const { laptop, phone } = await enterOnTwoDevices(browser, faults, demo, 'ann')
  await openChannel(laptop, 'front-desk')
  const field = laptop.getByRole('textbox', { name: 'Message #front-desk' })
  await field.fill('/remind me to water the plants every weekday at nine')
  await field.press('Enter')
  await expect(laptop.getByRole('textbox', { name: 'Remind me to' })).toHaveValue('water the plants')
  await expect(laptop.getByLabel('Time', { exact: true })).toHaveValue(/T09:00$/)
  await expect(laptop.getByRole('radio', { name: 'Every weekday' })).toBeChecked()
  await laptop.getByLabel('Time in words').fill('tomorrow at half past ten')
  await expect(laptop.getByLabel('Time', { exact: true })).toHaveValue(/T10:30$/)
  await laptop.getByRole('button', { name: 'Save' }).click()
  await expect(laptop.getByText(/^Reminder: /).first()).toBeVisible()

  const saved = (page: Page) => page.getByRole('navigation').getByRole('link', { name: /^Saved/ })
  await saved(phone).tap()
  await phone.getByRole('tab', { name: 'Reminders' }).tap()
  const items = phone.getByRole('tabpanel').getByRole('listitem')
  await expect(items).toContainText('water the plants')
  await expect(items).toContainText('Every weekday')
  await items.getByRole('button', { name: 'Edit' }).tap()
  await phone.getByRole('dialog').getByText('Never').tap()
  await phone.getByRole('button', { name: 'Save' }).tap()
  await expect(items).not.toContainText('Every weekday')
  await items.getByRole('button', { name: 'Complete' }).tap()
  await expect(items).toHaveCount(0)
  await expect(saved(laptop)).toHaveCount(0)

  // A reminder becomes due: what cron runs each minute.
  const ann = await signInDemoClient(demo, 'ann')
  const id = crypto.randomUUID()
  await ann.call('set_reminder', {
    id,
    workspace: ann.bootstrap.workspace!.id,
    due_at: new Date(Date.now() + 60_000).toISOString(),
    time_zone: 'UTC',
    text: 'Lock the boathouse',
  })
  await laptop
    .getByRole('navigation')
    .getByRole('link', { name: /^Activity/ })
    .click()
  const db = new Client(server.dbUrl)
  await db.connect()
  await db.query(`update public.jobs set run_at = now() where payload ->> 'reminder_id' = $1`, [id])
  await db.query('select app.run_reminders()')
  await db.end()
  const entry = laptop.getByRole('feed').getByRole('article', { name: /Reminder/ })
  await expect(entry).toContainText('Lock the boathouse')
  await ann.call('complete_reminder', { id })
  await expect(entry).toHaveCount(0)
  expect(faults).toEqual([])
})
