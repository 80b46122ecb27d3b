import { randomUUID } from 'node:crypto'
import { expect } from '@playwright/test'
import type { Page } from '@playwright/test'
import { signInDemoClient } from './demoClient.ts'
import { enterDemo, laptopScreen, openChannel, person, phoneScreen } from './support.ts'
import { test } from './sharedServer.ts'

const rowOf = (page: Page, text: string) => page.getByRole('article').filter({ hasText: text })

test('a thread moves to another channel with its replies and files, and shows the way only to those who may read it there', async ({
  browser,
  demo,
}) => {
  const { server } = demo
  const faults: string[] = []
  const annClient = await signInDemoClient(demo, 'ann')
  const beaClient = await signInDemoClient(demo, 'bea')
  const idOf = (name: string) =>
    annClient.bootstrap.channels.find(({ channel }) => channel.name === name)!.channel.id
  const [frontDesk, pharmacy] = [idOf('front-desk'), idOf('pharmacy')]
  const channel = randomUUID()
  await annClient.call('create_channel', {
    id: channel,
    workspace: annClient.bootstrap.workspace!.id,
    kind: 'private',
    name: 'owners only',
  })
  await annClient.attach({
    channel: frontDesk,
    name: 'menu.txt',
    type: 'text/plain',
    bytes: Buffer.from('Leek soup on Thursday'),
  })
  const { messages } = await annClient.call('channel_page', { channel: frontDesk, limit: 1 })
  const root = messages[0]!.id
  await beaClient.call('send_message', {
    id: randomUUID(),
    channel: frontDesk,
    body: 'With bread, please',
    thread_root: root,
  })
  const secret = randomUUID()
  await annClient.call('send_message', { id: secret, channel: frontDesk, body: 'Wrong place' })

  const ann = await person(browser, faults, laptopScreen)
  const bea = await person(browser, faults, phoneScreen)
  await enterDemo(ann, demo, 'ann')
  await enterDemo(bea, demo, 'bea')
  await openChannel(ann, 'front-desk')
  await openChannel(bea, 'front-desk')
  await expect(rowOf(bea, 'Wrong place')).toBeVisible()

  const openDialog = async (text: string) => {
    const row = rowOf(ann, text).last()
    await row.focus()
    await expect(row).toBeFocused()
    await row.getByRole('button', { name: 'More actions' }).press('Enter')
    await ann.getByRole('menuitem', { name: 'Move to another channel…' }).press('Enter')
    const dialog = ann.getByRole('dialog', { name: 'Move to another channel' })
    await expect(dialog).toBeVisible()
    return dialog
  }

  // By keyboard alone: the filter, the list, and Enter.
  const dialog = await openDialog('menu.txt')
  await dialog.getByLabel('To', { exact: true }).fill('pharm')
  await dialog.getByRole('radio', { name: '#pharmacy' }).press('Space')
  await expect(dialog).toContainText('The message moves with 1 reply.')
  await dialog.getByRole('button', { name: 'Move', exact: true }).press('Enter')
  await expect(ann.getByText('Moved to #pharmacy.').first()).toBeVisible()
  await ann.getByRole('button', { name: 'Open', exact: true }).press('Enter')
  await expect(ann).toHaveURL(new RegExp(`/c/${pharmacy}/m/`))
  await expect(rowOf(ann, 'moved here from #front-desk')).toContainText('1 reply')

  const link = bea.getByRole('link', { name: /Ann Okafor moved this to #pharmacy/ })
  await expect(link).toBeVisible()
  await link.tap()
  await expect(bea).toHaveURL(new RegExp(`/c/${pharmacy}/m/`))
  const copy = rowOf(bea, 'moved here from #front-desk')
  // Its bytes are still at the path of the upload.
  await copy.getByRole('button', { name: 'Preview of menu.txt' }).tap()
  await expect(copy.locator('pre')).toHaveText('Leek soup on Thursday')
  await copy.getByRole('link', { name: /1 reply/ }).tap()
  await expect(rowOf(bea, 'With bread, please')).toBeVisible()

  // A link to the former place leads to the new one.
  await bea.goto(`${server.url}/c/${frontDesk}/m/${root}`)
  await expect(bea).toHaveURL(new RegExp(`/c/${pharmacy}`))

  // Bea may not read where the next one goes: she gets neither a link nor the name.
  await openChannel(ann, 'front-desk')
  await bea.goto(`${server.url}/c/${frontDesk}`)
  await expect(rowOf(bea, 'Wrong place')).toBeVisible()
  const second = await openDialog('Wrong place')
  await second.getByRole('radio', { name: '#owners only' }).check()
  await expect(second).toContainText(/\d+ people who can read it here can’t read .*#owners only/)
  await second.getByRole('button', { name: 'Move', exact: true }).click()
  await expect(ann.getByRole('link', { name: /moved this to #owners only/ })).toBeVisible()
  await expect(bea.getByText('Ann Okafor moved this to another channel')).toBeVisible()
  await expect(rowOf(bea, 'Wrong place')).toHaveCount(0)
  expect(await bea.content()).not.toContain('owners only')

  // Back to where more people read it: that must be confirmed.
  await ann.getByRole('link', { name: /moved this to #owners only/ }).click()
  const third = await openDialog('Wrong place')
  await third.getByRole('radio', { name: '#front-desk' }).check()
  const consent = third.getByRole('checkbox', { name: /^Let \d+ more people read it/ })
  await expect(consent).toBeVisible()
  await third.getByRole('button', { name: 'Move', exact: true }).click()
  await expect(third.getByRole('alert')).toContainText('Confirm first')
  await consent.check()
  await third.getByRole('button', { name: 'Move', exact: true }).click()
  await expect(rowOf(bea, 'Wrong place')).toBeVisible()
  expect(faults).toEqual([])
})
