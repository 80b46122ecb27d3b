import { expect, type Browser, type Locator, type Page } from '@playwright/test'
import { randomUUID } from 'node:crypto'
import sharp from 'sharp'
import type { Bootstrap } from '../../wire/sync.ts'
import type { Server } from '../support/server.ts'
import { paper, silence } from './samples.ts'
import { signInDemoClient } from './demoClient.ts'
import { findViolations } from './findViolations.ts'
import {
  composerOf,
  enterDemo,
  expectText,
  goTo,
  openChannel,
  person,
  phoneScreen,
  type Demo,
} from './support.ts'
import { test } from './sharedServer.ts'

const channelName = '#rota'

// One instance for all tests: two people are signed in, each in a browser of their own. Each test leaves both in the
// channel, and doesn't cut a connection that the next one needs.
test.describe.configure({ mode: 'serial' })

let demo: Demo
let server: Server
let ann: Page
let bea: Page
const faults: string[] = []

async function enter(browser: Browser, nick: string): Promise<Page> {
  const page = await person(browser, faults, { allowed: [/net::ERR_/], serviceWorkers: 'allow' })
  await enterDemo(page, demo, nick)
  await openChannel(page, 'rota')
  await expect(composerOf(page, channelName)).toBeVisible()
  return page
}

test.beforeAll(async ({ browser, createDemo }) => {
  demo = await createDemo()
  server = demo.server
  ;[ann, bea] = await Promise.all([enter(browser, 'ann'), enter(browser, 'bea')])
})

test.afterEach(() => {
  // Emptied, too: a fault of one test must not fail the next one.
  expect(faults.splice(0)).toEqual([])
})

test.afterAll(async () => {
  await Promise.all([ann.context().close(), bea.context().close()])
  await demo.end()
})

/** The message with this text, with its files. */
const messageWith = (page: Page, text: string): Locator =>
  page.getByLabel(`Messages in ${channelName}`).getByRole('article').filter({ hasText: text })

interface Chosen {
  name: string
  mimeType: string
  buffer: Buffer
}

/** Chooses files by the button, and sends them with this text. */
async function send(page: Page, text: string, files: Chosen[]): Promise<void> {
  await page.getByLabel('Files to attach').first().setInputFiles(files)
  await composerOf(page, channelName).fill(text)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
}

test('the sender decides about a video whose location can’t be removed', async () => {
  const video = { name: 'clip.avi', mimeType: 'video/x-msvideo', buffer: Buffer.from('RIFF....AVI ') }
  const chosen = ann.getByRole('list', { name: 'Attached files' })
  const dialog = ann.getByRole('dialog', { name: 'Location not removed' })
  await ann.getByLabel('Files to attach').first().setInputFiles([video])
  await expect(dialog).toContainText('clip.avi')
  await dialog.getByRole('button', { name: 'Don’t attach' }).click()
  await expect(dialog).toBeHidden()
  await expect(chosen).toBeHidden()
  await ann.getByLabel('Files to attach').first().setInputFiles([video])
  await dialog.getByRole('button', { name: 'Attach anyway' }).click()
  await expect(chosen.getByRole('listitem')).toHaveCount(1)
  await chosen.getByRole('button', { name: 'Remove clip.avi' }).click()
})

test('files that are sent together are shown to another reader at once, each under its name', async () => {
  const text = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(`${name} says hello`) })
  await send(ann, 'three lists', [text('bread.txt'), text('milk.txt'), text('rota.txt')])
  const seen = messageWith(bea, 'three lists')
  await expect(seen).toHaveCount(1)
  for (const name of ['bread.txt', 'milk.txt', 'rota.txt']) await expect(seen).toContainText(name)
})

/** An image larger than its thumbnail. */
const picture = async (name: string): Promise<Chosen> => ({
  name,
  mimeType: 'image/png',
  buffer: await sharp({ create: { width: 1600, height: 900, channels: 3, background: '#c9d8c4' } })
    .png()
    .toBuffer(),
})

/** Position of an element relative to another one, which may move: messages above it may change their height. */
const positionIn = async (outer: Locator, inner: Locator): Promise<number[]> =>
  outer.evaluate(
    (root, child) => {
      const [around, box] = [root.getBoundingClientRect(), child!.getBoundingClientRect()]
      const channelName = [box.x - around.x, box.y - around.y, box.width, box.height]
      return channelName.map((pixels) => Math.round(pixels * 100) / 100)
    },
    (await inner.elementHandle())!,
  )

/** Waits until animations end: before that, measured positions are not final, for example in an opening dialog. */
const animationsEnd = (element: Locator): Promise<unknown> =>
  element.evaluate((root) =>
    Promise.all(
      root
        .getAnimations({ subtree: true })
        .map((one: { finished: Promise<unknown> }) => one.finished.catch(() => {})),
    ),
  )

test('files are viewed by keyboard alone, and one that fails to load can be retried', async () => {
  await bea.route(/\/files\/.*\/thumb$/, (route) => route.abort())
  const code = {
    name: 'rota.py',
    mimeType: 'text/x-python',
    buffer: Buffer.from('for day in week:\n\tpass\n'),
  }
  const drawing = { name: 'drawing.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg xmlns="s"/>') }
  await send(ann, 'two views', [await picture('quay.png'), code, await picture('mast.png'), drawing])
  const seen = messageWith(bea, 'two views')
  const missed = seen.getByRole('button', { name: 'mast.png couldn’t be loaded. Select to try again.' })
  await expect(missed).toBeVisible()
  const channelName = await positionIn(seen, missed)
  await bea.unroute(/\/files\/.*\/thumb$/)
  // By keyboard: the row can still move between the press and the release of a mouse button.
  await missed.press('Enter')
  const button = seen.getByRole('button', { name: 'Open image mast.png' })
  await expect(button.locator('img')).toHaveJSProperty('complete', true)
  expect(await positionIn(seen, button)).toEqual(channelName)
  await seen.getByRole('button', { name: 'Preview of rota.py' }).click()
  await expect(seen.locator('pre')).toHaveText('for day in week:\n\tpass\n')
  // Files that could contain scripts can only be downloaded.
  await expect(seen.getByRole('button', { name: 'drawing.svg' })).toHaveCount(1)

  await button.focus()
  await bea.keyboard.press('Enter')
  const viewer = bea.getByRole('dialog')
  const large = viewer.getByRole('img', { name: 'mast.png' })
  await expect(large).toBeVisible()
  await animationsEnd(viewer)
  const whole = (await large.boundingBox())!
  await bea.keyboard.press('+')
  await bea.keyboard.press('+')
  await expect.poll(async () => (await large.boundingBox())!.width / whole.width).toBeCloseTo(2.25)
  const near = (await large.boundingBox())!
  // Zoomed in, arrow keys pan the image; fitted, they show the previous or next one.
  await bea.keyboard.press('ArrowRight')
  await expect.poll(async () => (await large.boundingBox())!.x).toBeLessThan(near.x)
  await expect(viewer.getByRole('status')).toHaveText(/^Zoom \d+%$/)
  await bea.keyboard.press('0')
  await expect.poll(() => large.boundingBox()).toEqual(whole)
  await bea.keyboard.press('ArrowLeft')
  await expect(viewer.getByRole('heading')).toHaveText('quay.png, 1 of 4')
  await expect(viewer.getByRole('status')).toHaveText('quay.png, 1 of 4')
  await bea.keyboard.press('End')
  await expect(viewer).toContainText('No preview for this file type.')
  await bea.keyboard.press('ArrowLeft')
  await expect(viewer.getByRole('region', { name: 'rota.py' })).toContainText('for day in week')
  const saved = bea.waitForEvent('download')
  await bea.keyboard.press('d')
  expect((await saved).suggestedFilename()).toBe('rota.py')
  await bea.keyboard.press('Escape')
  await expect(button).toBeFocused()
})

/** More than an upload sends in one chunk. */
const big = (name: string): Chosen => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.alloc(7 * 1024 * 1024, name),
})
const SECOND_CHUNK = String(6 * 1024 * 1024)

test('an upload can be paused, resumes after a reload and does not delay messages', async () => {
  const chunks: string[] = []
  let hold = true
  await ann.context().route('**/upload/resumable/*', async (route) => {
    const offset = route.request().headers()['upload-offset']
    if (offset !== undefined) chunks.push(offset)
    // The second chunk is held back until it is released.
    if (!hold || offset !== SECOND_CHUNK) await route.continue()
  })
  const list = { name: 'list.txt', mimeType: 'text/plain', buffer: Buffer.from('low tide at six') }
  await send(ann, 'the tide tables', [big('north.bin'), big('south.bin'), list])
  const pending = messageWith(ann, 'the tide tables')
  const bar = (name: string) => pending.getByRole('progressbar', { name: `Uploading ${name}` })
  await expect(bar('north.bin')).toHaveAttribute('aria-valuenow', '85')
  await expect(bar('south.bin')).toHaveAttribute('aria-valuenow', '85')

  await composerOf(ann, channelName).fill('words go first')
  await ann.keyboard.press('Enter')
  await expect(messageWith(bea, 'words go first')).toBeVisible()
  expect(await messageWith(bea, 'the tide tables').count()).toBe(0)

  await pending.getByRole('button', { name: 'Pause north.bin' }).click()
  await expect(pending).toContainText('Paused at 85%')
  expect(chunks.filter((offset) => offset === '0')).toHaveLength(2)
  chunks.length = 0
  await ann.reload()
  // The paused upload waits; the other one resumes automatically.
  await expect(pending.getByRole('button', { name: 'Resume north.bin' })).toBeVisible()
  await expect.poll(() => chunks).toEqual([SECOND_CHUNK])
  hold = false
  // By keyboard: the last row can still move between the press and the release of a mouse button.
  await pending.getByRole('button', { name: 'Resume north.bin' }).press('Enter')
  await expect(pending.getByRole('button', { name: 'Resume north.bin' })).toHaveCount(0)
  await pending.getByRole('button', { name: 'Pause south.bin' }).press('Enter')
  await pending.getByRole('button', { name: 'Resume south.bin' }).press('Enter')
  const seen = messageWith(bea, 'the tide tables')
  await expect(seen).toHaveCount(1)
  for (const name of ['north.bin', 'south.bin', 'list.txt']) await expect(seen).toContainText(name)
  await expect(messageWith(ann, 'the tide tables').getByRole('progressbar')).toHaveCount(0)
  expect(chunks).not.toContain('0')
  await ann.context().unrouteAll({ behavior: 'ignoreErrors' })
})

test('a file above the limit of the project is refused before its first byte', async () => {
  const limit = 8 * 1024 * 1024
  await ann.context().route('**/upload/resumable', async (route) => {
    if (route.request().method() !== 'OPTIONS') return route.continue()
    await route.fulfill({ status: 204, headers: { 'tus-max-size': String(limit) } })
  })
  const larger = { ...big('film.mov'), buffer: Buffer.alloc(limit + 1) }
  await ann.getByLabel('Files to attach').first().setInputFiles(larger)
  await expect(ann.locator('span', { hasText: '“film.mov” is too large. The limit is 8 MB.' })).toBeVisible()
  await ann.context().unrouteAll({ behavior: 'ignoreErrors' })
  // A server that states no limit refuses the upload when it is created.
  const sent: string[] = []
  await ann.context().route('**/upload/resumable**', async (route) => {
    sent.push(`${route.request().method()} ${route.request().postDataBuffer()?.length ?? 0}`)
    await route.fulfill({ status: 413, body: 'Maximum size exceeded\n' })
  })
  await send(ann, 'the film', [big('film.mov')])
  const pending = messageWith(ann, 'the film')
  await expect(pending).toContainText('“film.mov” is too large for this server.')
  expect(sent).toEqual(['POST 0'])
  await ann.context().unrouteAll({ behavior: 'ignoreErrors' })
  expect(faults.splice(0)).toEqual([expect.stringContaining('413')])
  // By keyboard: the last row can still move between the press and the release of a mouse button.
  await pending.getByRole('button', { name: 'Discard' }).press('Enter')
  await expect(pending).toHaveCount(0)
})

test('removing the last file returns the text to the composer and deletes the upload', async () => {
  await ann.context().route('**/upload/resumable/*', async (route) => {
    if (route.request().headers()['upload-offset'] !== SECOND_CHUNK) await route.continue()
  })
  await send(ann, 'not after all', [big('mistake.bin')])
  const pending = messageWith(ann, 'not after all')
  await expect(pending.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '85')
  const ended = ann.waitForResponse((response) => response.request().method() === 'DELETE')
  await pending.getByRole('button', { name: 'Remove mistake.bin' }).click()
  expect((await ended).status()).toBe(204)
  await expectText(composerOf(ann, channelName), 'not after all')
  await expect(composerOf(ann, channelName)).toBeFocused()
  await expect(pending).toHaveCount(0)
  await composerOf(ann, channelName).fill('')
  await ann.context().unrouteAll({ behavior: 'ignoreErrors' })
})

const channelNamed = (home: Bootstrap, name: string): string =>
  home.channels.find(({ channel }) => channel.name === name)!.channel.id

test('audio is fetched in ranges while seeking, and a PDF opens in the browser’s own viewer', async () => {
  const { bootstrap, attach } = await signInDemoClient(demo, 'ann')
  const channel = channelNamed(bootstrap, 'rota')
  const parts: string[] = []
  bea.on('response', (response) => {
    if (!response.url().includes('/attached/') || response.status() !== 206) return
    if (response.fromServiceWorker()) parts.push(response.headers()['content-range'] ?? '')
  })
  await attach({ channel, name: 'long.wav', type: 'audio/wav', bytes: silence(9_000_000) })
  const seek = bea.getByLabel('Playback position in long.wav')
  await expect(seek).toBeEnabled()
  await expect.poll(() => parts[0]).toMatch(/^bytes 0-/)
  await seek.fill('1000')
  await expect.poll(() => parts.some((part) => /^bytes [1-9]\d{6,}-/.test(part))).toBe(true)

  await attach({ channel, name: 'paper.pdf', type: 'application/pdf', bytes: paper })
  // By keyboard: the row of a new file can still move between the press and the release of a mouse button.
  await bea.getByRole('button', { name: 'Show paper.pdf' }).press('Enter')
  await expect
    .poll(() => bea.frames().filter((frame) => frame.url().startsWith('chrome-extension:')))
    .toHaveLength(1)
  await bea.getByRole('button', { name: 'Close' }).click()
})

test('a file runs no script at its own URL, and is inaccessible after leaving', async () => {
  const { bootstrap, call, attach } = await signInDemoClient(demo, 'ann')
  const page = await attach({
    channel: channelNamed(bootstrap, 'rota'),
    name: 'page.html',
    type: 'text/html',
    bytes: Buffer.from('<!doctype html><title>ran</title><script>document.title = "ran"</script>'),
  })
  const other = await bea.context().newPage()
  const saved = other.waitForEvent('download')
  // A download is not a page that can be opened.
  await other.goto(`${server.url}${page}?name=page.html`).catch(() => {})
  expect((await saved).suggestedFilename()).toBe('page.html')
  expect([other.url(), await other.title()]).toEqual(['about:blank', ''])
  await other.close()

  const channel = randomUUID()
  const person = bootstrap.members.find(({ profile }) => profile.name.startsWith('Bea'))!.profile.id
  await call('create_channel', {
    id: channel,
    workspace: bootstrap.workspace!.id,
    kind: 'private',
    name: 'keys',
  })
  await call('add_members', { channel, people: [person] })
  const list = await attach({ channel, name: 'list.txt', type: 'text/plain', bytes: Buffer.from('bread') })
  const read = () =>
    bea.evaluate(async (address) => {
      const answer = await fetch(address)
      return `${answer.status} ${await answer.text()}`
    }, list)
  expect([await read(), await read()]).toEqual(['200 bread', '200 bread'])
  const logged = bea.waitForEvent('console', (line) => line.location().url.includes(list))
  await call('remove_member', { channel, person })
  expect(await read()).toBe('404 ')
  await logged
  expect(faults.splice(0)).toEqual([expect.stringMatching(/404.*\/attached\//)])
})

test('the file browser shows new files at once, filters by type and person, and links to the message', async ({
  browser,
}) => {
  const channel = new URL(bea.url()).pathname
  await ann.getByRole('navigation').getByRole('link', { name: 'Files', exact: true }).click()
  const list = ann.getByRole('list', { name: 'Files' })
  const first = list.getByRole('listitem').first()
  await expect(first).toBeVisible()
  await expect(list).not.toContainText('ferry.png')
  const times = { name: 'ferry times.csv', mimeType: 'text/csv', buffer: Buffer.from('06:10,07:40') }
  await send(bea, 'how we get there', [await picture('ferry.png'), times])
  await expect(first).toContainText(/ferry\.png.*Bea.*#rota/s)
  await expect(list.getByRole('listitem').nth(1)).toContainText('ferry times.csv')

  const type = ann.getByRole('combobox', { name: 'Type' })
  const by = ann.getByRole('combobox', { name: 'Shared by' })
  await type.selectOption('Images')
  await expect(first).toContainText('ferry.png')
  await expect(list).not.toContainText('ferry times.csv')
  // The way of display is part of the address, so that the way back leads to the same list.
  await ann.getByRole('button', { name: 'Show as list' }).click()
  await expect(ann).toHaveURL(/\/files\?type=picture&view=list$/)
  await first.getByRole('button', { name: 'Go to message' }).click()
  await expect(messageWith(ann, 'how we get there')).toBeVisible()
  await ann.goBack()
  await expect(ann).toHaveURL(/\/files\?type=picture&view=list$/)
  await expect(first).toContainText('ferry.png')
  await by.selectOption('You')
  await expect(list).not.toContainText('ferry.png')
  await by.selectOption('Anyone')
  await expect(first).toContainText('ferry.png')
  await type.selectOption('All types')
  await ann.getByRole('searchbox', { name: 'Filter by name' }).fill('erry tim')
  await expect(list.getByRole('listitem')).toHaveCount(1)
  await expect(ann).toHaveURL(/\/files\?name=erry\+tim&view=list$/)
  await ann.getByRole('searchbox', { name: 'Filter by name' }).fill('ferry')
  await expect(list.getByRole('listitem')).toHaveCount(2)

  await first.getByRole('button').first().focus()
  await ann.keyboard.press('ArrowDown')
  await ann.keyboard.press('Enter')
  const viewer = ann.getByRole('dialog')
  await expect(viewer.getByRole('heading')).toHaveText('ferry times.csv, 2 of 2')
  await viewer.getByRole('button', { name: 'Go to message' }).click()
  await expect(messageWith(ann, 'how we get there')).toBeVisible()
  expect(new URL(ann.url()).pathname).toMatch(new RegExp(`^${channel}/m/`))

  // A guest who isn't in that channel finds their own files only.
  const gus = await person(browser, faults, { allowed: [/status of 404/], serviceWorkers: 'allow' })
  await enterDemo(gus, demo, 'gus')
  await gus.getByRole('navigation').getByRole('link', { name: 'Files', exact: true }).click()
  const theirs = gus.getByRole('list', { name: 'Files' })
  await expect(theirs).toContainText('reception-plan.png')
  await expect(theirs).not.toContainText('ferry')
  await gus.goto(`${server.url}${channel}/files`)
  await expect(gus.getByRole('alert')).toBeVisible()
  await gus.context().close()
  await goTo(ann, channel)
  await expect(composerOf(ann, channelName)).toBeVisible()
})

test('what another application shares waits for signing in, and the draft of the chosen conversation receives it', async ({
  browser,
}) => {
  const phone = await person(browser, faults, { ...phoneScreen, serviceWorkers: 'allow' })
  await enterDemo(phone, demo, 'bea')
  await expect.poll(() => phone.evaluate('navigator.serviceWorker.controller !== null')).toBe(true)
  await phone.context().clearCookies()
  // As the browser sends it for the share_target of the manifest.
  await phone.evaluate(`{
    const form = document.createElement('form')
    Object.assign(form, { method: 'post', enctype: 'multipart/form-data', action: '/share' })
    const field = (name, type) => form.appendChild(Object.assign(document.createElement('input'), { name, type }))
    field('text', 'text').value = 'Ferry at nine'
    const files = new DataTransfer()
    files.items.add(new File(['09:00'], 'ferry.txt', { type: 'text/plain' }))
    field('files', 'file').files = files.files
    document.body.append(form)
    form.submit()
  }`)
  await expect(phone.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await enterDemo(phone, demo, 'bea', '/share')
  await expect(phone.getByText('Ferry at nine')).toBeVisible()
  expect(await findViolations(phone, null, 'main')).toEqual([])
  await phone.getByRole('searchbox', { name: 'To' }).fill('rota')
  await phone.getByRole('button', { name: 'rota', exact: true }).tap()
  await expectText(composerOf(phone, channelName), 'Ferry at nine')
  await expect(phone.getByRole('list', { name: 'Attached files' })).toContainText('ferry.txt')
  await goTo(phone, '/share')
  await expect(phone.getByText('Nothing to share')).toBeVisible()
  // In the list of files, no size breaks before its unit.
  await goTo(phone, '/files')
  const sizes = phone.getByText(/^[\d.,]+ (?:bytes|kB)$/)
  await expect(sizes.first()).toBeVisible()
  const linesOf = (all: { getClientRects(): { length: number } }[]) =>
    all.map((size) => size.getClientRects().length)
  expect(new Set(await sizes.evaluateAll(linesOf))).toEqual(new Set([1]))
  await phone.context().close()
})
