import { expect, test, type Page } from '@playwright/test'
import { Client } from 'pg'
import { composerOf, enterDemo, goTo, openChannel, person, sendMessage, type Demo } from './support.ts'
import { startDemo } from './startDemo.ts'

let demo: Demo
let ann: Page
let tomas: Page
const faults: string[] = []

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser }) => {
  demo = await startDemo()
  ;[ann, tomas] = (await Promise.all(
    ['ann', 'tomas'].map(async (nick) => {
      const page = await person(browser, faults, { allowed: [/ERR_CONNECTION_RESET/, /status of 40[04]/] })
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

/** Opens a pane of the settings by keyboard. */
async function openPane(page: Page, name: string): Promise<void> {
  await goTo(page, '/settings')
  // The links of a pane that was open before leave the page with it, and with them the focus.
  await expect(page.getByRole('heading', { level: 1, name: /^(Profile|Settings)$/ })).toBeFocused()
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name }).press('Enter')
  await expect(page.getByRole('heading', { level: 1, name })).toBeFocused()
}

test('an owner finds two channels, archives and unarchives them by keyboard at 390 px', async () => {
  await ann.setViewportSize({ width: 390, height: 844 })
  await openPane(ann, 'Manage channels')
  const table = ann.getByRole('table', { name: 'Manage channels' })
  const rows = table.locator('tbody').getByRole('row')
  await expect(rows).toHaveCount(9)
  await ann.getByRole('searchbox').focus()
  await ann.keyboard.type('night')
  await expect(rows).toHaveCount(1)
  await expect(ann).toHaveURL(/\/settings\/channels\?q=night$/)
  await ann.keyboard.press('ControlOrMeta+A')
  await ann.keyboard.press('Delete')
  await expect(rows).toHaveCount(9)
  await table.getByRole('checkbox', { name: 'Select night-team' }).press('Space')
  await table.getByRole('checkbox', { name: 'Select pharmacy' }).press('Space')
  const actions = ann.getByRole('group', { name: 'Actions for the selected channels' })
  await expect(actions).toContainText('2 selected')
  await actions.getByRole('button', { name: 'Archive' }).press('Enter')
  const dialog = ann.getByRole('dialog', { name: 'Archive 2 channels?' })
  await dialog.getByRole('button', { name: 'Archive' }).press('Enter')
  await expect(rows).toHaveCount(7)
  expect(await ann.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  await ann.getByRole('combobox', { name: 'State' }).selectOption('Archived')
  await expect(rows).toHaveCount(3)
  await table.getByRole('checkbox', { name: 'Select all in the list' }).press('Space')
  await expect(actions).toContainText('3 selected')
  await actions.getByRole('button', { name: 'Clear selection' }).press('Enter')
  await table.getByRole('checkbox', { name: 'Select night-team' }).press('Space')
  await table.getByRole('checkbox', { name: 'Select pharmacy' }).press('Space')
  await actions.getByRole('button', { name: 'Unarchive' }).press('Enter')
  await ann.getByRole('dialog').getByRole('button', { name: 'Unarchive' }).press('Enter')
  await expect(rows).toHaveCount(1)
})

test('an owner sorts channels and people, opens a channel, and finds the same list when they go back', async () => {
  await ann.setViewportSize({ width: 1440, height: 900 })
  await openPane(ann, 'Manage channels')
  const links = ann.getByRole('navigation', { name: 'Settings' })
  await expect(links.getByRole('link', { name: 'Manage channels' })).toHaveAttribute('aria-current', 'page')
  await ann.getByRole('combobox', { name: 'State' }).selectOption('All')
  const table = ann.getByRole('table', { name: 'Manage channels' })
  const byPeople = table.getByRole('columnheader', { name: 'People' })
  await table.getByRole('button', { name: 'People' }).press('Enter')
  await expect(byPeople).toHaveAttribute('aria-sort', 'ascending')
  const channels = table.getByRole('rowheader').getByRole('link')
  await expect(channels.first()).toHaveText('partners')
  await table.getByRole('button', { name: 'People' }).press('Enter')
  await expect(byPeople).toHaveAttribute('aria-sort', 'descending')
  await expect(channels.last()).toHaveText('partners')
  await expect(channels).toHaveCount(10)
  const names = await channels.allTextContents()
  await channels.first().press('Enter')
  await expect(ann.getByRole('textbox', { name: /^Message / })).toBeVisible()
  await ann.goBack()
  await expect(channels).toHaveText(names)
  await expect(ann.getByRole('combobox', { name: 'State' })).toHaveValue('all')

  await openPane(ann, 'Manage people')
  const people = ann.getByRole('table', { name: 'Manage people' })
  const persons = people.getByRole('rowheader')
  await expect(persons.first()).toContainText('Ann')
  const byName = (await persons.allTextContents()).length
  const order = ann.getByRole('combobox', { name: 'Sort by' })
  await expect(order).toBeHidden()
  await people.getByRole('button', { name: 'Role' }).press('Enter')
  await expect(people.getByRole('columnheader', { name: 'Role' })).toHaveAttribute('aria-sort', 'ascending')
  await expect(people.getByRole('row').nth(1)).toContainText('Owner')
  await expect(ann).toHaveURL(/\/settings\/people\?sort=role$/)
  await ann.setViewportSize({ width: 390, height: 844 })
  await expect(people.getByRole('button', { name: 'Role' })).toBeHidden()
  await expect(order).toHaveValue('role')
  await order.selectOption('Role, descending')
  await expect(people.getByRole('row').nth(1)).toContainText('Guest')
  await expect(persons).toHaveCount(byName)
  await expect(ann).toHaveURL(/\/settings\/people\?sort=role\.desc$/)
  await ann.setViewportSize({ width: 1440, height: 900 })
  await expect(people.getByRole('columnheader', { name: 'Role' })).toHaveAttribute('aria-sort', 'descending')
})

test('an owner sees who and what uses the storage, and what needs attention', async () => {
  await openPane(ann, 'File storage')
  await expect(ann.getByRole('meter', { name: 'File storage used' })).toHaveAttribute(
    'aria-valuetext',
    /^\d+ .B of 100 GB used$/,
  )
  await ann.getByRole('tab', { name: 'People' }).press('ArrowRight')
  const channels = ann.getByRole('list', { name: 'Channels by storage' })
  await expect(channels.getByRole('listitem').first()).toContainText(/\d.(kB|MB|bytes)/)
  const sql = new Client(demo.server.dbUrl)
  await sql.connect()
  await sql.query(
    `insert into public.jobs (kind, owner_id, payload, run_at, attempts, error)
     values ('push', gen_random_uuid(), '{}', now() + interval '1 hour', 2, 'The push service could not be reached.')`,
  )
  await sql.end()
  await openPane(ann, 'Server health')
  const attention = ann.getByRole('region', { name: 'Needs attention' })
  await expect(attention).toContainText(
    /Push notifications1 waiting since .* couldn’t be reached\. Next attempt: /,
  )
  await expect(ann.getByRole('region', { name: 'Working' })).toContainText('Database')
  expect(await ann.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
})

test('a guest is deactivated from their card, and gets access with an end again', async () => {
  const openCard = async () => {
    await goTo(ann, '/people')
    await ann.getByRole('searchbox', { name: 'Search people' }).fill('gus')
    await ann.keyboard.press('Enter')
    await ann.getByRole('button', { name: 'Manage Gus Patel' }).press('Enter')
  }
  await openCard()
  await ann.getByRole('menuitem', { name: 'Deactivate' }).press('Enter')
  await ann
    .getByRole('dialog', { name: 'Deactivate Gus Patel?' })
    .getByRole('button', { name: 'Deactivate' })
    .press('Enter')
  await expect(ann.getByRole('dialog')).toBeHidden()
  await openPane(ann, 'Manage people')
  await ann.getByRole('combobox', { name: 'State' }).selectOption('Deactivated')
  await ann.getByRole('checkbox', { name: /Gus/ }).press('Space')
  await ann.getByRole('button', { name: 'Actions', exact: true }).press('Enter')
  await ann.getByRole('menuitem', { name: 'Reactivate' }).press('Enter')
  const dialog = ann.getByRole('dialog', { name: 'Reactivate Gus Patel?' })
  await expect(dialog.getByLabel('Access until')).toHaveValue(/^\d{4}-\d\d-\d\d$/)
  await dialog.getByRole('button', { name: 'Reactivate' }).press('Enter')
  await expect(dialog).toBeHidden()
  await ann.getByRole('combobox', { name: 'State' }).selectOption('Active')
  await expect(
    ann.getByRole('table', { name: 'Manage people' }).getByRole('row').filter({ hasText: 'Gus' }),
  ).toContainText(/ · until /)
})

test('slow mode lets a member wait, and a deleted channel leaves their page at once', async () => {
  await ann.setViewportSize({ width: 1440, height: 900 })
  await goTo(ann, '/')
  await goTo(tomas, '/')
  for (const page of [ann, tomas]) await openChannel(page, 'front-desk')
  await ann.getByRole('heading', { level: 1 }).getByRole('button').click()
  await ann.getByRole('tab', { name: 'Settings' }).click()
  // On a phone, no control beside a text leaves it a narrow column.
  await ann.setViewportSize({ width: 390, height: 844 })
  const texts = ann.getByRole('tabpanel').locator('p.note')
  await expect(texts.first()).toBeVisible()
  const widthsOf = (all: { clientWidth: number }[]) => all.map(({ clientWidth }) => clientWidth)
  expect(Math.min(...(await texts.evaluateAll(widthsOf)))).toBeGreaterThan(300)
  await ann.setViewportSize({ width: 1440, height: 900 })
  await ann.getByRole('combobox', { name: 'Slow mode' }).selectOption('A minute')
  await expect(tomas.getByText('Slow mode: 1 minute between your messages.')).toBeVisible()
  await sendMessage(tomas, '#front-desk', 'Once')
  await expect(tomas.getByText(/^Slow mode: you can send your next message in [01]:\d\d\.$/)).toBeVisible()
  await composerOf(tomas, '#front-desk').fill('Twice')
  await expect(tomas.getByRole('button', { name: 'Send', exact: true })).toBeDisabled()

  await ann.getByRole('button', { name: 'Delete channel' }).press('Enter')
  const dialog = ann.getByRole('dialog', { name: /^Delete .*front-desk/ })
  await dialog.getByRole('textbox').fill('front')
  await dialog.getByRole('button', { name: 'Delete channel' }).press('Enter')
  await expect(dialog.getByText('That isn’t the name of the channel. Check the spelling.')).toBeVisible()
  await dialog.getByRole('textbox').fill('front-desk')
  await dialog.getByRole('button', { name: 'Delete channel' }).press('Enter')
  await expect(ann.getByText('Channel deleted.').last()).toBeVisible()
  // The details of the channel are not open behind it, with a notice that somebody has removed her.
  await expect(ann.getByRole('dialog')).toHaveCount(0)
  for (const page of [ann, tomas])
    await expect(page.getByRole('navigation').getByRole('link', { name: /^front-desk/ })).toHaveCount(0)
  await expect(composerOf(tomas, '#front-desk')).toHaveCount(0)
})

test('everyone sees that the workspace will be deleted, until an owner cancels', async () => {
  await goTo(ann, '/settings/permissions')
  const field = ann.getByRole('textbox', { name: 'Name of the workspace' })
  await field.fill('Harbour Street')
  await ann.getByRole('button', { name: 'Delete workspace' }).press('Enter')
  const notices = (page: Page) =>
    page.getByRole('status').filter({ hasText: /^This workspace and everything in it will be deleted on / })
  for (const page of [ann, tomas]) await expect(notices(page)).toBeVisible()
  await expect(tomas.getByRole('link', { name: 'Cancel deletion' })).toHaveCount(0)
  await ann.getByRole('button', { name: 'Keep workspace' }).press('Enter')
  for (const page of [ann, tomas]) await expect(notices(page)).toHaveCount(0)
})

test('a member sees none of it', async () => {
  await goTo(tomas, '/settings')
  await expect(tomas.getByRole('heading', { name: 'Profile' })).toBeVisible()
  for (const name of ['Manage channels', 'File storage', 'Server health'])
    await expect(tomas.getByRole('link', { name })).toHaveCount(0)
  await goTo(tomas, '/people')
  await tomas.getByRole('searchbox', { name: 'Search people' }).fill('gus')
  await tomas.keyboard.press('Enter')
  await expect(tomas.getByRole('dialog', { name: 'Gus Patel' })).toContainText('Guest')
  await expect(tomas.getByRole('button', { name: /^Manage/ })).toHaveCount(0)
})
