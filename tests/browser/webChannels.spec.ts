import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from './sharedServer.ts'
import {
  composerOf,
  enterDemo,
  laptopScreen,
  leaveOverlays,
  messageOf,
  openChannel,
  person,
  phoneScreen,
  sendMessage,
} from './support.ts'

/** Collects the titles and the text of the main button of each dialog of the page, as they change. */
async function recordDialogs(page: Page): Promise<void> {
  await page.evaluate(`(() => {
    window.recordedDialogs = new Set()
    const record = () => {
      for (const dialog of document.querySelectorAll('dialog[open]'))
        window.recordedDialogs.add(dialog.querySelector('h2')?.textContent + ' / ' + dialog.querySelector('button[type=submit]')?.textContent)
    }
    new MutationObserver(record).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true })
  })()`)
}
const recordedDialogs = (page: Page): Promise<string[]> => page.evaluate('[...window.recordedDialogs]')

const settingsOf = async (page: Page): Promise<void> => {
  await page.getByRole('heading', { level: 1 }).getByRole('button').click()
  await page.getByRole('tab', { name: 'Settings' }).click()
}
const closeDetails = async (page: Page): Promise<void> => {
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await leaveOverlays(page)
}
const GONE = 'There is no channel to read at this address.'
const sampleFile = (name: string, mimeType: string) => ({
  name,
  mimeType,
  buffer: readFileSync(join(import.meta.dirname, '../../supabase/demo', name)),
})
/** Attaches files and sends them with a text. */
const sendFiles = async (page: Page, text: string, files: ReturnType<typeof sampleFile>[]): Promise<void> => {
  await page.getByLabel('Files to attach').first().setInputFiles(files)
  await composerOf(page, '#rota').fill(text)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(messageOf(page, '#rota', text)).toBeVisible()
}

test('a channel is put on the web, is read there without an account, and is removed again', async ({
  browser,
  demo,
}) => {
  const { server } = demo
  const faults: string[] = []
  const allowed = [/net::ERR_/, /WebSocket/, /status of 409/, /occurred when fetching the script/]
  const [ann, noor, anyone, phone] = await Promise.all([
    person(browser, faults, { ...laptopScreen, allowed }),
    person(browser, faults, { ...laptopScreen, allowed }),
    // Storage refuses a file until its location was removed.
    person(browser, faults, { ...laptopScreen, allowed: [/status of 400/] }),
    person(browser, faults, { ...phoneScreen, locale: 'de-DE', colorScheme: 'dark' }),
  ])
  await Promise.all([enterDemo(ann, demo, 'ann'), enterDemo(noor, demo, 'noor')])
  await Promise.all([openChannel(ann, 'rota'), openChannel(noor, 'rota')])
  await sendMessage(ann, '#rota', 'Orchids for the staff')
  await expect(messageOf(noor, '#rota', 'Orchids for the staff')).toBeVisible()
  const channel = new URL(ann.url()).pathname.split('/')[2]!
  const address = `${server.url}/w/${channel}`
  await anyone.goto(address)
  await expect(anyone.getByText(GONE)).toBeVisible()

  // What Noor writes without a network is not sent to a channel that is on the web when she is back.
  await noor.context().setOffline(true)
  await composerOf(noor, '#rota').fill('Written offline')
  await noor.keyboard.press('Enter')
  await expect(messageOf(noor, '#rota', 'Written offline')).toBeVisible()

  await settingsOf(ann)
  await ann.getByRole('button', { name: 'Put on the web' }).click()
  const dialog = ann.getByRole('dialog', { name: /^Put .*rota.* on the web\?$/ })
  await expect(dialog).toContainText('without signing in')
  await expect(dialog).toContainText('anything written before')
  await recordDialogs(ann)
  await dialog.getByRole('button', { name: 'Put on the web' }).click()
  await expect(dialog).toHaveCount(0)
  expect((await recordedDialogs(ann)).filter((one) => one.includes('on the web?'))).toHaveLength(1)
  expect((await recordedDialogs(ann)).join()).not.toContain('from the web?')
  await closeDetails(ann)

  await noor.context().setOffline(false)
  const refused = noor.getByRole('alert').filter({ hasText: 'this channel is on the web now' })
  await expect(refused).toBeVisible()
  await expect(noor.getByRole('link', { name: 'On the web' })).toHaveAttribute('href', `/w/${channel}`)
  await expect(noor.getByText('On the web: anyone can read what you write here')).toBeVisible()
  await expect(noor.getByText(/put this channel on the web/)).toBeVisible()
  await anyone.reload()
  await expect(anyone.getByRole('heading', { level: 1 })).toContainText('rota')
  await expect(anyone.getByText('Nothing has been written yet.')).toBeVisible()
  await refused.getByRole('button', { name: 'Try again' }).click()
  await expect(refused).toHaveCount(0)

  // The page is not live: both messages must have reached the server.
  await expect(messageOf(ann, '#rota', 'Written offline')).toBeVisible()
  await sendMessage(ann, '#rota', 'Second line')
  await expect(messageOf(noor, '#rota', 'Second line')).toBeVisible()
  const scripts: string[] = []
  anyone.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(new URL(request.url()).pathname)
  })
  await anyone.reload()
  await expect(anyone.getByText('Written offline')).toBeVisible()
  await expect(anyone.getByText('Second line')).toBeVisible()
  await expect(anyone.getByText('Noor Haddad')).toBeVisible()
  await expect(anyone.getByText('Orchids for the staff')).toHaveCount(0)
  await expect(anyone.locator('meta[name=robots]')).toHaveAttribute('content', 'noindex')
  expect(scripts.filter((path) => !path.startsWith('/assets/web-'))).toEqual([])
  expect(scripts).not.toEqual([])
  expect(await anyone.context().cookies()).toEqual([])

  // Somebody chooses to show files. The page shows the files that are sent afterwards.
  await sendFiles(noor, 'Before', [sampleFile('plan.png', 'image/png')])
  // The server has it: the page of its author shows it earlier.
  await expect(ann.getByRole('article').filter({ hasText: 'Before' })).toBeVisible()
  await settingsOf(ann)
  await ann.getByRole('switch', { name: 'Pictures and files on the web' }).click()
  await closeDetails(ann)
  await expect(
    noor.getByText('On the web: anyone can read what you write here and open your files'),
  ).toBeVisible()
  await expect(noor.getByText(/put the files of this channel on the web/)).toBeVisible()
  await sendFiles(noor, 'One picture', [sampleFile('orchid.png', 'image/png')])
  await sendFiles(noor, 'Several', [
    sampleFile('chart.png', 'image/png'),
    sampleFile('harbour.png', 'image/png'),
    sampleFile('rota.png', 'image/png'),
    sampleFile('lift.pdf', 'application/pdf'),
  ])
  await expect(async () => {
    await anyone.reload()
    await anyone.getByText('Several').scrollIntoViewIfNeeded()
    for (const name of ['orchid.png', 'chart.png', 'harbour.png', 'rota.png'])
      await expect(anyone.getByRole('img', { name })).toBeVisible({ timeout: 2000 })
  }).toPass()
  await expect(anyone.getByText('1 file: not shown here')).toBeVisible()
  await expect(anyone.getByText('plan.png')).toHaveCount(0)
  await anyone.getByRole('button', { name: 'Open image chart.png' }).click()
  const viewer = anyone.getByRole('dialog', { name: 'chart.png' })
  await expect(viewer.getByRole('img', { name: 'chart.png' })).toBeVisible()
  await anyone.keyboard.press('ArrowRight')
  const next = anyone.getByRole('dialog', { name: 'harbour.png' })
  await expect(next.getByRole('img', { name: 'harbour.png' })).toBeVisible()
  await anyone.keyboard.press('Escape')
  await expect(next).toHaveCount(0)
  await expect(anyone.getByRole('button', { name: 'Open image chart.png' })).toBeFocused()
  const [download] = await Promise.all([
    anyone.waitForEvent('download'),
    anyone.getByRole('button', { name: 'Download lift.pdf' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('lift.pdf')
  expect(readFileSync(await download.path())).toEqual(sampleFile('lift.pdf', '').buffer)

  // On a phone, in German and in the dark.
  await phone.goto(address)
  await expect(phone.getByText('Nicht zu sehen sind')).toBeVisible()
  await phone.getByText('Several').scrollIntoViewIfNeeded()
  await expect(phone.getByRole('img', { name: 'rota.png' })).toBeVisible()
  expect(await phone.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  for (const page of [anyone, phone]) {
    const { violations } = await new AxeBuilder({ page }).analyze()
    expect(violations.map(({ id, nodes }) => `${id} ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([])
  }

  await settingsOf(ann)
  await ann.getByRole('button', { name: 'Remove from the web' }).click()
  await ann
    .getByRole('dialog', { name: /from the web\?$/ })
    .getByRole('button', { name: 'Remove from the web' })
    .click()
  await expect(ann.getByRole('button', { name: 'Put on the web' })).toBeVisible()
  await expect(noor.getByRole('link', { name: 'On the web' })).toHaveCount(0)
  await anyone.reload()
  await expect(anyone.getByText(GONE)).toBeVisible()

  // The dialog about visibility keeps its title and its button while it closes.
  await ann.getByRole('button', { name: 'Make private' }).click()
  const visibility = ann.getByRole('dialog', { name: 'Make this channel private' })
  await recordDialogs(ann)
  await visibility.getByRole('button', { name: 'Make private' }).click()
  await expect(visibility).toHaveCount(0)
  await expect(ann.getByRole('button', { name: 'Make public' })).toBeVisible()
  expect((await recordedDialogs(ann)).join()).not.toContain('Make this channel public')
  expect(faults.join('\n')).toBe('')
})
