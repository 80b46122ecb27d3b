import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, type Locator, type Page } from '@playwright/test'
import { signInDemoClient } from './demoClient.ts'
import { test } from './sharedServer.ts'
import { enterDemo, person } from './support.ts'

const laptopView = { viewport: { width: 1440, height: 900 } }
const phoneView = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

async function openFrontDesk(page: Page): Promise<void> {
  await page
    .getByRole('navigation')
    .getByRole('link', { name: /^front-desk/ })
    .first()
    .click()
  await expect(page.getByRole('textbox', { name: 'Message #front-desk' })).toBeVisible()
}

const rowOf = (page: Page, text: string): Locator =>
  page.getByLabel('Messages in #front-desk').getByRole('article').filter({ hasText: text }).last()

test('a report is made by keyboard and handled on a phone: removal with a reason, and an hour of silence', async ({
  browser,
  demo,
}) => {
  const faults: string[] = []
  const tomasClient = await signInDemoClient(demo, 'tomas')
  const frontDesk = tomasClient.bootstrap.channels.find(({ channel }) => channel.name === 'front-desk')!
    .channel.id
  const post = (body: string) =>
    tomasClient.call('send_message', { id: randomUUID(), channel: frontDesk, body })
  await post('Who took the good chair?')
  await post('Sam is useless')

  const bea = await person(browser, faults, laptopView)
  const tomas = await person(browser, faults, laptopView)
  const ann = await person(browser, faults, phoneView)
  await enterDemo(bea, demo, 'bea')
  await enterDemo(tomas, demo, 'tomas')
  await enterDemo(ann, demo, 'ann')
  await openFrontDesk(tomas)

  // Bea reports by keyboard alone.
  await openFrontDesk(bea)
  const row = rowOf(bea, 'Sam is useless')
  await row.focus()
  await row.getByRole('button', { name: 'More actions' }).press('Enter')
  await bea.getByRole('menuitem', { name: 'Report message…' }).press('Enter')
  const dialog = bea.getByRole('dialog', { name: 'Report message' })
  await expect(dialog).toContainText('Sam is useless')
  await expect(dialog.getByLabel(/What’s wrong with it/)).toBeFocused()
  await bea.keyboard.type('An insult')
  await bea.keyboard.press('Tab')
  await bea.keyboard.press('Space')
  await expect(dialog.getByLabel(/Include the three messages/)).toBeChecked()
  await dialog.getByRole('button', { name: 'Report', exact: true }).press('Enter')
  await expect(bea.getByText('Reported. The admins will look at it.').first()).toBeVisible()

  // Ann's phone announces it; she removes the message and silences its author.
  await ann.getByRole('link', { name: /^Reports.*1 new report/ }).tap()
  const report = ann.getByRole('listitem').filter({ hasText: 'Bea Lindqvist' })
  await expect(report).toContainText('Tomás Ferreira')
  await expect(report).toContainText('An insult')
  await expect(report.getByRole('link', { name: '#front-desk' })).toHaveAttribute('href', /^\/c\/.+\/m\/.+/)
  await expect(report.locator('blockquote')).toContainText('Who took the good chair?')
  await expect(report.locator('blockquote')).toContainText('Sam is useless')
  await report.getByRole('button', { name: 'Remove message…' }).tap()
  await ann.getByLabel('Reason', { exact: true }).fill('We don’t insult each other')
  await ann.getByRole('button', { name: 'Remove message', exact: true }).tap()
  await expect(report).toContainText('The message is deleted.')
  // The snapshot survives.
  await expect(report.locator('blockquote')).toContainText('Sam is useless')
  await report.getByRole('button', { name: /^Silence/ }).tap()
  const silence = ann.getByRole('dialog', { name: /^Silence/ })
  await expect(silence.getByRole('radio', { name: 'An hour' })).toBeChecked()
  await silence.getByLabel('Reason', { exact: true }).fill('Insults')
  await silence.getByRole('button', { name: 'Silence', exact: true }).tap()
  await expect(ann.getByRole('region', { name: 'Silenced people' })).toContainText('Tomás Ferreira')

  // Tomás and Bea see the reason in place of the message; Tomás learns until when he can't write.
  await expect(rowOf(bea, 'We don’t insult each other')).toContainText('An admin removed this message')
  await expect(bea.getByLabel('Messages in #front-desk')).not.toContainText('Sam is useless')
  const notice = tomas.getByText(/An admin has silenced you until .*Insults/)
  await expect(notice).toBeVisible()
  await expect(tomas.getByRole('textbox', { name: 'Message #front-desk' })).toHaveCount(0)
  await tomas.reload()
  await expect(notice).toBeVisible()
  await expect(post('Again')).rejects.toThrow('silenced')

  await report.getByRole('button', { name: 'Close report' }).tap()
  await expect(report).toHaveCount(0)
  await expect(ann.getByRole('link', { name: /^Reports/ })).toHaveCount(0)
  await ann.getByRole('tab', { name: 'Done' }).tap()
  await expect(report).toContainText('Message removed')
  await expect(report.locator('blockquote')).toHaveCount(0)
  await ann.getByRole('button', { name: /^End silence of/ }).tap()
  await expect(notice).toHaveCount(0)
  await expect(tomas.getByRole('textbox', { name: 'Message #front-desk' })).toBeVisible()
  expect(faults).toEqual([])
})

test('the audit log is filtered and exported by keyboard, and has nothing for members', async ({
  browser,
  demo,
}) => {
  const faults: string[] = []
  const annClient = await signInDemoClient(demo, 'ann')
  const { workspace, members } = annClient.bootstrap
  const tomas = members.find(({ profile }) => profile.name.startsWith('Tomás'))!.profile.id
  const silence = { workspace: workspace!.id, person: tomas, minutes: 60, reason: '=Insults' }
  await annClient.call('silence_member', silence)
  await annClient.call('end_silence', { workspace: workspace!.id, person: tomas })

  const ann = await person(browser, faults, laptopView)
  await enterDemo(ann, demo, 'ann', '/settings')
  await ann.getByRole('link', { name: 'Audit log' }).press('Enter')
  // Without the row of the titles.
  const entries = ann.getByRole('table', { name: 'Entries' }).locator('tbody').getByRole('row')
  // Ann's sign-in is the latest entry.
  await expect(entries.nth(1)).toContainText(/Silence ended.*Tomás Ferreira/)
  const action = ann.getByLabel('Action')
  await action.focus()
  await action.selectOption('Person silenced')
  await expect(entries).toHaveCount(1)
  await expect(entries).toContainText('Reason: =Insults')
  await expect(entries).toContainText('Ann Okafor')

  const exported = async (name: string) => {
    const download = ann.waitForEvent('download')
    await ann.getByRole('button', { name: 'Export' }).press('Enter')
    await ann.getByRole('menuitem', { name }).press('Enter')
    return readFileSync(await (await download).path(), 'utf8')
  }
  const csv = (await exported('Export as CSV')).trimEnd().split('\r\n')
  expect(csv).toHaveLength(2)
  expect(csv[1]).toContain('"Ann Okafor","member.silenced"')
  expect(csv[1]).toContain(`"'=Insults"`)
  const lines = (await exported('Export as JSON Lines')).trimEnd().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { action: string }).action)).toEqual(['member.silenced'])

  const member = await person(browser, faults, laptopView)
  await enterDemo(member, demo, 'tomas', '/settings')
  await expect(member.getByRole('navigation', { name: 'Settings' })).toBeVisible()
  await expect(member.getByRole('link', { name: 'Audit log' })).toHaveCount(0)
  expect(faults).toEqual([])
})
