import { expect, type Page } from '@playwright/test'
import { enterDemo, openChannel, person, phoneScreen, sendMessage } from './support.ts'
import { test } from './sharedServer.ts'

const titles = (page: Page) => page.getByRole('list', { name: 'Bookmarks' }).getByRole('link')

test('bookmarks are live and sorted by keyboard; who has read a message is shown once the owner chooses so', async ({
  browser,
  demo,
}) => {
  const { server } = demo
  const faults: string[] = []
  const ann = await person(browser, faults)
  const bea = await person(browser, faults, phoneScreen)
  await enterDemo(ann, demo, 'ann')
  await enterDemo(bea, demo, 'bea')
  for (const page of [ann, bea]) await openChannel(page, 'rota')

  await ann.getByRole('button', { name: 'rota', exact: true }).press('Enter')
  await ann.getByRole('button', { name: 'Add a bookmark' }).press('Enter')
  await ann.getByLabel('Link', { exact: true }).last().fill('rota.example/week')
  await ann.getByLabel('Name (optional)').fill('This week')
  await ann.keyboard.press('Enter')
  await expect(titles(ann)).toHaveText(['This week'])
  await expect(titles(bea)).toHaveText(['This week'])
  await expect(titles(bea)).toHaveAttribute('href', 'https://rota.example/week')

  await ann
    .getByRole('list', { name: 'Bookmarks' })
    .getByRole('button', { name: 'Add a bookmark' })
    .press('Enter')
  await ann.getByLabel('Link', { exact: true }).last().fill('https://swaps.example')
  await ann.keyboard.press('Enter')
  for (const page of [ann, bea]) await expect(titles(page)).toHaveText(['This week', 'swaps.example'])
  await titles(ann).last().focus()
  await ann.keyboard.press('ContextMenu')
  await ann.getByRole('menuitem', { name: 'Move earlier' }).press('Enter')
  await expect(titles(bea)).toHaveText(['swaps.example', 'This week'])

  await ann.goto(`${server.url}/settings/general`)
  await ann.getByRole('radio', { name: 'In all conversations' }).press('Space')
  await expect(ann.getByRole('dialog')).toContainText('which others have read up to it')
  await ann.getByRole('button', { name: 'Show read receipts' }).click()
  await expect(ann.getByRole('radio', { name: 'In all conversations' })).toBeChecked()
  await openChannel(ann, 'rota')
  await sendMessage(ann, '#rota', 'Who has seen this?')
  await expect(bea.getByText('Who has seen this?')).toBeVisible()
  const row = ann.getByRole('article').filter({ hasText: 'Who has seen this?' })
  const dialog = ann.getByRole('dialog', { name: 'Who can read this?' })
  await expect(async () => {
    await row.hover()
    await row.getByRole('button', { name: 'More actions' }).click()
    await ann.getByRole('menuitem', { name: 'Who can read this?', exact: true }).click()
    await expect(dialog).toContainText('Members of')
    const isSeen = await dialog.getByRole('heading', { name: 'Seen by (1)' }).isVisible()
    await ann.keyboard.press('Escape')
    expect(isSeen).toBe(true)
  }).toPass()
  expect(faults).toEqual([])
})
