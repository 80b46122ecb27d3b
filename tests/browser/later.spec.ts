import { expect, type Page } from '@playwright/test'
import { Client } from 'pg'
import { signInDemoClient } from './demoClient.ts'
import { test } from './sharedServer.ts'
import {
  composerOf,
  emailOf,
  enterOnTwoDevices,
  expectText,
  goTo,
  messageOf,
  openChannel,
  sendMessage,
  type Demo,
} from './support.ts'

const DESK = '#front-desk'

// Ann uses a laptop and a phone; each test leaves her signed in on both.
test.describe.configure({ mode: 'serial' })

let demo: Demo
let laptop: Page
let phone: Page
const faults: string[] = []

test.beforeAll(async ({ browser, createDemo }) => {
  demo = await createDemo()
  ;({ laptop, phone } = await enterOnTwoDevices(browser, faults, demo, 'ann', [/ERR_INTERNET_DISCONNECTED/]))
})

test.afterEach(() => {
  expect(faults).toEqual([])
})

test.afterAll(() => demo.end())

const draftsLink = (page: Page) => page.getByRole('navigation').getByRole('link', { name: /^Drafts/ })

/** Shows the list of conversations on the phone. */
const openList = (): Promise<void> => phone.getByRole('link', { name: 'Back' }).tap()

test('a message saved for later is on both devices of a person, and opens in its conversation', async () => {
  await openChannel(laptop, 'front-desk')
  // By keyboard alone, and before the actions of the message are loaded.
  const row = laptop.getByLabel('Messages in #front-desk').getByRole('article').last()
  await expect(laptop.getByRole('heading', { name: /front-desk/ })).toBeFocused()
  await row.focus()
  await laptop.keyboard.press('a')
  await expect(laptop.getByText('Saved for later.').first()).toBeVisible()
  const savedLink = (page: Page) => page.getByRole('navigation').getByRole('link', { name: /^Saved/ })
  await expect(savedLink(laptop)).toHaveAccessibleName('Saved, 1 saved message')

  await goTo(phone, '/saved')
  const items = (page: Page) => page.getByRole('tabpanel').getByRole('listitem')
  await expect(items(phone)).toHaveCount(1)
  await phone.getByRole('button', { name: 'Mark as done' }).tap()
  await expect(items(phone)).toHaveCount(0)
  await expect(savedLink(laptop)).toHaveAccessibleName('Saved')

  await goTo(laptop, '/saved')
  await laptop.getByRole('tab', { name: 'Done' }).click()
  await expect(items(laptop)).toHaveCount(1)
  await items(laptop).getByRole('link').first().click()
  await expect(laptop).toHaveURL(/\/c\/[^/]+\/m\//)
  await expect(laptop.getByLabel('Messages in #front-desk').getByRole('article').first()).toBeVisible()

  await phone.getByRole('tab', { name: 'Done' }).tap()
  await phone.getByRole('button', { name: 'Remove from saved' }).tap()
  await expect(items(phone)).toHaveCount(0)
})

test('an edit that was begun before another device edited the message shows the other text, and asks which one stays', async () => {
  await openChannel(laptop, 'front-desk')
  await goTo(phone, '/')
  await openChannel(phone, 'front-desk')
  await sendMessage(laptop, DESK, 'Tea at four')
  await expect(messageOf(phone, DESK, 'Tea at four')).toBeVisible()
  const editOn = async (page: Page) => {
    await composerOf(page, DESK).press('ArrowUp')
    return page.getByRole('textbox', { name: 'Edit message' })
  }
  const field = await editOn(laptop)
  await field.fill('Tea at five')
  await (await editOn(phone)).fill('Coffee at four')
  await phone.getByRole('button', { name: 'Save', exact: true }).tap()
  const present = laptop.getByRole('region', { name: 'Current text' })
  await expect(present).toContainText('Coffee at four')

  // Also after a reload, and before the choice the edit is not saved.
  await laptop.reload()
  // The page first displays the rows that it stored, which can lack the message.
  await expect(messageOf(laptop, DESK, 'Coffee at four')).toBeVisible()
  await editOn(laptop)
  await expectText(field, 'Tea at five')
  await expect(present).toContainText('Coffee at four')
  await field.press('Enter')
  await expectText(field, 'Tea at five')
  await laptop.getByRole('button', { name: 'Use this text' }).click()
  await expectText(field, 'Coffee at four')
  await laptop.keyboard.press('Control+z')
  await expectText(field, 'Tea at five')
  await expect(present).toHaveCount(0)
  await laptop.keyboard.press('Enter')
  await expect(phone.getByRole('article').filter({ hasText: 'Tea at five' })).toBeVisible()
})

test('a draft is on both devices of a person until one of them sends or discards it', async () => {
  await openChannel(laptop, 'front-desk')
  await openList()
  await openChannel(phone, 'front-desk')
  const [field, phoneField] = [composerOf(laptop, DESK), composerOf(phone, DESK)]

  // Typed just before a reload, and emptied just before one.
  for (const text of ['Keys are', '']) {
    await field.fill(text)
    await laptop.reload()
    await expectText(field, text)
  }

  // With a quote, and after a reload.
  const row = laptop.getByLabel(`Messages in ${DESK}`).getByRole('article').last()
  await row.hover()
  await row.getByRole('button', { name: 'More actions' }).click()
  await laptop.getByRole('menuitem', { name: 'Quote', exact: true }).click()
  await expect(laptop.getByRole('menu')).toHaveCount(0)
  const section = laptop.getByRole('navigation').getByRole('heading', { name: 'Channels' })
  const before = await section.boundingBox()
  await field.pressSequentially('Keys are at the')
  await expectText(phoneField, 'Keys are at the')
  // No row of the sidebar moves while one writes, and a draft in sight is not counted.
  expect(await section.boundingBox()).toEqual(before)
  await expect(draftsLink(laptop)).toHaveAccessibleName('Drafts')
  const quoteIn = (page: Page) => page.locator('form').getByRole('blockquote')
  await expect(quoteIn(phone)).toHaveCount(1)
  await laptop.reload()
  await expectText(field, 'Keys are at the')
  await expect(quoteIn(laptop)).toHaveCount(1)

  // Continued on the phone; the marker and the list are on the laptop.
  await phoneField.fill('Keys are at the gate.')
  await expectText(field, 'Keys are at the gate.')
  const attached = laptop.getByRole('list', { name: 'Attached files' })
  await laptop
    .getByLabel('Files to attach')
    .setInputFiles({ name: 'keys.txt', mimeType: 'text/plain', buffer: Buffer.from('Gate: brass') })
  await expect(attached).toContainText('keys.txt')
  await openChannel(laptop, 'rota')
  await expect(composerOf(laptop, '#rota')).toBeVisible()
  await expect(attached).toHaveCount(0)
  await expect(laptop.getByRole('navigation').getByRole('link', { name: /^front-desk.*draft/ })).toBeVisible()
  await expect(draftsLink(laptop)).toHaveAccessibleName('Drafts, 1 draft')
  await draftsLink(laptop).click()
  const item = laptop.getByRole('main').getByRole('listitem').filter({ hasText: 'Keys are at the gate.' })
  await expect(item).toBeVisible()

  // Sent on the phone, it is nowhere else.
  await phone.getByRole('button', { name: 'Send', exact: true }).tap()
  await expect(item).toHaveCount(0)
  await expectText(phoneField, '')
  await openChannel(laptop, 'front-desk')
  await expectText(field, '')
  await expect(quoteIn(laptop)).toHaveCount(0)
  // Files are not part of it: they stay where they were added.
  await laptop.getByRole('button', { name: 'Remove keys.txt' }).click()
  await expect(attached).toHaveCount(0)

  // What was typed without a connection follows what another device has saved meanwhile.
  await phone.context().setOffline(true)
  await phoneField.fill('from the phone')
  const saved = laptop.waitForResponse('**/rest/v1/rpc/save_draft')
  await field.fill('from the laptop')
  await saved
  await phone.context().setOffline(false)
  await expectText(phoneField, 'from the laptop\nfrom the phone')
  await expectText(field, 'from the laptop\nfrom the phone')

  // Discarded by keyboard, and brought back.
  await draftsLink(laptop).press('Enter')
  const joined = laptop.getByRole('main').getByRole('listitem').filter({ hasText: 'from the phone' })
  await joined.getByRole('button', { name: 'Discard the draft in #front-desk' }).press('Enter')
  // While it has the focus, it stays.
  await laptop.getByRole('button', { name: 'Undo' }).focus()
  await expect(joined).toHaveCount(0)
  // The toast is in the sidebar, and covers no message.
  const toast = (await laptop.locator('[data-toast]').boundingBox())!
  expect(toast.x + toast.width).toBeLessThanOrEqual((await laptop.getByRole('main').boundingBox())!.x)
  await expectText(phoneField, '')
  await laptop.keyboard.press('Enter')
  await expect(joined).toBeVisible()
  await expectText(phoneField, 'from the laptop\nfrom the phone')
})

test('a draft mentions the person who was picked, on another device and with their new name', async () => {
  const [field, phoneField] = [composerOf(laptop, DESK), composerOf(phone, DESK)]
  await openChannel(laptop, 'front-desk')
  await field.fill('')
  await field.pressSequentially('@bea')
  await expect(laptop.getByRole('option', { name: /Bea Lindqvist/ })).toHaveAttribute('aria-selected', 'true')
  await field.press('Enter')
  await expectText(field, '@Bea Lindqvist ')
  await expectText(phoneField, '@Bea Lindqvist ')

  const db = new Client(demo.server.dbUrl)
  await db.connect()
  const { rows } = await db.query<{ id: string }>(
    `update public.profiles set name = 'Beate Lund' where user_id = (
       select id from auth.users where email = $1) returning id`,
    [emailOf(demo, 'bea')],
  )
  await db.end()
  await laptop.reload()
  await expectText(field, '@Beate Lund ')
  await draftsLink(laptop).click()
  await expect(laptop.getByRole('main').getByRole('listitem')).toContainText('@Beate Lund')
  await phone.reload()
  await expectText(phoneField, '@Beate Lund ')
  const sent = phone.waitForRequest('**/rest/v1/rpc/send_message')
  await phone.getByRole('button', { name: 'Send', exact: true }).tap()
  expect((await sent).postDataJSON()).toMatchObject({ body: `<@${rows[0]?.id}>` })
})

test('a message scheduled on one device is edited on another, and sent there at once', async () => {
  await openChannel(laptop, 'front-desk')
  const field = laptop.getByRole('textbox', { name: 'Message #front-desk' })
  await field.fill('The boat leaves at ten.')
  await laptop.getByRole('button', { name: 'Schedule message' }).click()
  await laptop.getByRole('menuitem', { name: /^Tomorrow/ }).click()
  await expect(laptop.getByText(/^Scheduled: tomorrow/).first()).toBeVisible()
  await expectText(field, '')
  const row = (page: Page) => page.getByRole('navigation').getByRole('link', { name: /^Scheduled/ })
  await expect(row(laptop)).toHaveAccessibleName('Scheduled, 1 scheduled message')

  await openList()
  await expect(row(phone)).toHaveAccessibleName('Scheduled, 1 scheduled message')
  // Its page You lists what contains nothing.
  await expect(phone.getByRole('navigation').getByRole('link', { name: /^Saved/ })).toHaveCount(0)
  await row(phone).tap()
  const items = phone.getByRole('region', { name: 'Scheduled' }).locator('ul > li:has(time)')
  await expect(items).toHaveCount(1)
  await items.getByRole('button', { name: 'Edit' }).tap()
  await phone.getByRole('textbox', { name: 'Message', exact: true }).fill('The boat leaves at eleven.')
  await phone.getByLabel('Send at').fill('2020-01-01T09:00')
  await phone.getByRole('button', { name: 'Save' }).tap()
  await expect(phone.getByText('Choose a time in the future.')).toBeVisible()
  const later = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 16)
  await phone.getByLabel('Send at').fill(later)
  const choosing = phone.waitForEvent('filechooser')
  await phone.getByRole('button', { name: 'Attach files' }).tap()
  await (
    await choosing
  ).setFiles({ name: 'crew.txt', mimeType: 'text/plain', buffer: Buffer.from('Bea, Gus') })
  await phone.getByRole('button', { name: 'Remove crew.txt' }).waitFor()
  await phone.getByRole('button', { name: 'Save' }).tap()
  await expect(items).toContainText('The boat leaves at eleven.')
  await expect(items).toContainText('crew.txt')

  await items.getByRole('button', { name: 'Send now' }).tap()
  await expect(items).toHaveCount(0)
  await expect(row(laptop)).toHaveAccessibleName('Scheduled')
  const message = laptop.getByLabel('Messages in #front-desk').getByRole('article').last()
  await expect(message).toContainText('The boat leaves at eleven.')
  await expect(message).toContainText('crew.txt')
})

test('files of a scheduled message are removed and added by keyboard, deleted with it after a confirmation, or sent with it', async () => {
  const page = laptop
  await openChannel(page, 'front-desk')
  const attached = page.getByRole('list', { name: 'Attached files' })
  const attach = async (...names: string[]) => {
    const files = names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) }))
    await page.getByLabel('Files to attach').setInputFiles(files)
    await expect(attached.getByRole('listitem')).toHaveCount(names.length)
  }
  const schedule = async () => {
    await page.getByRole('button', { name: 'Schedule message' }).click()
    await page.getByRole('menuitem', { name: /^Tomorrow/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Schedule', exact: true }).click()
    await expect(attached).toHaveCount(0)
  }
  await attach('tides.txt', 'boats.txt')
  await schedule()
  await page
    .getByRole('navigation')
    .getByRole('link', { name: /^Scheduled/ })
    .click()
  const items = page.getByRole('region', { name: 'Scheduled' }).locator('ul > li:has(time)')
  await expect(items.getByRole('listitem')).toHaveText([/^tides\.txt/, /^boats\.txt/])

  await items.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Remove tides.txt' }).click()
  await expect(dialog.getByRole('button', { name: 'Remove boats.txt' })).toBeFocused()
  const chooseByKeyboard = async (count: number) => {
    const choosing = page.waitForEvent('filechooser')
    await dialog.getByRole('button', { name: 'Attach files' }).press('Enter')
    const files = Array.from({ length: count }, (_, i) => ({
      name: `rota-${i}.txt`,
      mimeType: 'text/plain',
      buffer: Buffer.from(`${i}`),
    }))
    await (await choosing).setFiles(files)
  }
  await chooseByKeyboard(11)
  await expect(dialog.getByRole('alert')).toHaveText('You can attach up to 10 files. 9 of 11 were added.')
  for (let i = 8; i > 0; i--) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await dialog.getByRole('button', { name: `Remove rota-${i}.txt` }).press('Enter')
  }
  await dialog.getByRole('textbox', { name: 'Message', exact: true }).fill('The boats of the week')
  await dialog.getByRole('button', { name: 'Save' }).press('Enter')
  await expect(items.getByRole('listitem')).toHaveText([/^boats\.txt/, /^rota-0\.txt/])
  await items.getByRole('button', { name: 'Delete' }).click()
  await page
    .getByRole('dialog', { name: 'Delete scheduled message?' })
    .getByRole('button', { name: 'Delete' })
    .click()
  await expect(items).toHaveCount(0)

  await openChannel(page, 'front-desk')
  await attach('crew.txt')
  await schedule()
  await page
    .getByRole('navigation')
    .getByRole('link', { name: /^Scheduled/ })
    .click()
  await items.getByRole('button', { name: 'Send now' }).click()
  await expect(items).toHaveCount(0)
  await openChannel(page, 'front-desk')
  await expect(page.getByLabel('Messages in #front-desk').getByRole('article').last()).toContainText(
    'crew.txt',
  )
})

test('a reminder set by /remind is on both devices of a person, is changed on one and completed', async () => {
  await openChannel(laptop, 'front-desk')
  const field = laptop.getByRole('textbox', { name: 'Message #front-desk' })
  await field.fill('/remind me to water the plants every weekday at nine')
  await field.press('Enter')
  await expect(laptop.getByRole('textbox', { name: 'Remind me to' })).toHaveValue('water the plants')
  await expect(laptop.getByLabel('Time', { exact: true })).toHaveValue(/T09:00$/)
  await expect(laptop.getByRole('radio', { name: 'Every weekday' })).toBeChecked()
  // Another time in words changes the repeat, too.
  await laptop.getByLabel('Time in words').fill('tomorrow at half past ten')
  await expect(laptop.getByLabel('Time', { exact: true })).toHaveValue(/T10:30$/)
  await expect(laptop.getByRole('radio', { name: 'Never' })).toBeChecked()
  await laptop.getByLabel('Time in words').fill('every weekday at half past ten')
  await expect(laptop.getByRole('radio', { name: 'Every weekday' })).toBeChecked()
  await laptop.getByRole('button', { name: 'Save' }).click()
  await expect(laptop.getByText(/^Reminder: /).first()).toBeVisible()

  const saved = (page: Page) => page.getByRole('navigation').getByRole('link', { name: /^Saved/ })
  await openList()
  await saved(phone).tap()
  await phone.getByRole('tab', { name: 'Reminders' }).tap()
  const items = phone.getByRole('tabpanel').getByRole('listitem')
  await expect(items).toContainText('water the plants')
  await expect(items).toContainText('Every weekday')
  await items.getByRole('button', { name: 'Edit' }).tap()
  await phone.getByRole('dialog').getByText('Never').tap()
  await phone.getByRole('button', { name: 'Save' }).tap()
  await expect(items).not.toContainText('Every weekday')
  await items.getByRole('button', { name: 'Edit' }).tap()
  // The time of a button is saved at once.
  await phone.getByRole('button', { name: 'Next week' }).tap()
  await expect(phone.getByRole('dialog')).toHaveCount(0)
  await expect(items).toContainText('9:00 AM')
  await items.getByRole('button', { name: 'Complete' }).tap()
  await expect(items).toHaveCount(0)
  await expect(saved(laptop)).toHaveAccessibleName('Saved')

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
  const db = new Client(demo.server.dbUrl)
  await db.connect()
  await db.query(`update public.jobs set run_at = now() where payload ->> 'reminder_id' = $1`, [id])
  await db.query('select app.run_reminders()')
  await db.end()
  const entry = laptop.getByRole('feed').getByRole('article', { name: /Reminder/ })
  await expect(entry).toContainText('Lock the boathouse')
  await ann.call('complete_reminder', { id })
  await expect(entry).toHaveCount(0)
})
