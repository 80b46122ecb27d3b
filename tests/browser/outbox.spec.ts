import { expect, type Browser, type Locator, type Page } from '@playwright/test'
import { enterDemo, openChannel, person, storedOnDevice, type Demo } from './support.ts'
import { test } from './sharedServer.ts'
import { startSite } from './startSite.ts'

async function signIn(browser: Browser, demo: Demo, faults: string[], nick: string): Promise<Page> {
  const page = await person(browser, faults, { allowed: [/net::ERR_/], serviceWorkers: 'allow' })
  await enterDemo(page, demo, nick)
  await openChannel(page, 'rota')
  await expect(page.getByRole('textbox', { name: 'Message #rota' })).toBeVisible()
  return page
}

const messageWithText = (page: Page, text: string): Locator =>
  page.getByRole('article').filter({ hasText: text })

/** In the page: everything that the service worker has stored, as text: names, URLs, headers and bodies. */
const storedByWorker = `(async () => {
  const all = []
  for (const name of await caches.keys()) {
    const cache = await caches.open(name)
    for (const request of await cache.keys()) {
      const response = await cache.match(request)
      const headers = [...request.headers, ...response.headers]
      all.push(name + ' ' + request.url + JSON.stringify(headers) + await response.text())
    }
  }
  return all
})()`

/** In the page: paths of the documents of complete builds. */
const storedBuilds = `(async () => {
  const complete = []
  for (const name of await caches.keys()) {
    if (await (await caches.open(name)).match('/')) complete.push(name.slice('linnet-build:'.length))
  }
  return complete
})()`

/** In the page: the script that identifies the build. */
const runningBuild = `new URL([...document.querySelectorAll('script[src^="/assets/"]')].at(-1).src).pathname`

const offlineNotice = (page: Page): Locator =>
  page.getByRole('status').filter({ hasText: /You’re offline\.|Not connected\./ })

async function sendMessage(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message #rota' }).fill(text)
  await page.keyboard.press('Enter')
  await expect(messageWithText(page, text)).toBeVisible()
}

test('changes made without a server survive a reload and a crash, and are applied once', async ({
  browser,
  demo,
}) => {
  const faults: string[] = []
  const [ann, bea] = await Promise.all([
    signIn(browser, demo, faults, 'ann'),
    signIn(browser, demo, faults, 'bea'),
  ])
  await sendMessage(ann, 'high tide at noon')
  await sendMessage(ann, 'never mind this')
  await expect(messageWithText(bea, 'never mind this')).toBeVisible()

  // The page and its cache remain, the server's commands don't respond. Text is stored asynchronously: a message
  // that is not stored yet would be missing after a reload without a server.
  await expect.poll(() => storedOnDevice(ann, 'messages')).toContain('never mind this')
  let cut = true
  await ann.context().route('**/rest/v1/rpc/**', (route) => (cut ? route.abort() : route.continue()))
  await sendMessage(ann, 'written without a server')
  await messageWithText(ann, 'high tide at noon').hover()
  await messageWithText(ann, 'high tide at noon').getByRole('button', { name: 'Edit message' }).click()
  await ann.getByRole('textbox', { name: 'Edit message' }).fill('low tide at noon')
  await ann.keyboard.press('Enter')
  await expect(messageWithText(ann, 'low tide at noon')).toBeVisible()
  await expect
    .poll(() => storedOnDevice(ann, 'outbox'))
    .toMatch(/written without a server.*low tide at noon|low tide at noon.*written without a server/)
  await ann.reload()
  await expect(messageWithText(ann, 'written without a server')).toBeVisible()
  await expect(messageWithText(ann, 'low tide at noon')).toBeVisible()
  expect(await messageWithText(bea, 'high tide at noon').count()).toBe(1)

  // A second tab shows pending changes; after the first tab is closed, the second one sends them.
  const other = await ann.context().newPage()
  await other.goto(ann.url())
  await expect(messageWithText(other, 'written without a server')).toBeVisible()
  await ann.close()
  cut = false
  await other.evaluate("dispatchEvent(new Event('online'))")
  await expect(messageWithText(bea, 'written without a server')).toHaveCount(1)
  await expect(messageWithText(bea, 'low tide at noon')).toHaveCount(1)

  // The new leader tab is live.
  await sendMessage(bea, 'thanks')
  await expect(messageWithText(other, 'thanks')).toBeVisible()

  // A deletion waits for its undo, also through a reload.
  await messageWithText(other, 'never mind this').click({ button: 'right' })
  await other.getByRole('menuitem', { name: /^Delete/ }).click()
  await expect(messageWithText(other, 'never mind this')).toBeHidden()
  await expect.poll(() => storedOnDevice(other, 'outbox')).toContain('"kind":"delete"')
  await other.reload()
  await expect(messageWithText(other, 'thanks')).toBeVisible()
  await expect(messageWithText(other, 'never mind this')).toBeHidden()

  // Without a network a reload shows the stored data; new messages are sent when the network is back.
  await expect.poll(() => other.evaluate(storedBuilds)).toEqual([await other.evaluate(runningBuild)])
  await expect.poll(() => storedOnDevice(other, 'messages')).toContain('thanks')
  await other.context().setOffline(true)
  await other.reload()
  // Chromium may report the reloaded page as online although every request fails.
  const isOnline = await other.evaluate('navigator.onLine')
  await expect(offlineNotice(other)).toHaveText(isOnline ? /^Not connected\./ : /^You’re offline\./)
  await expect(other.getByRole('button', { name: /^Ann Okafor, Offline/ })).toBeVisible()
  await expect(messageWithText(other, 'thanks')).toBeVisible()
  const policy = `fetch(location.href).then(() => 'online', () => caches.match('/'))
      .then((shell) => shell.headers.get('content-security-policy'))`
  expect(await other.evaluate(policy)).toContain("require-trusted-types-for 'script'")
  await sendMessage(other, 'written on the ferry')
  await expect.poll(() => storedOnDevice(other, 'outbox')).toContain('written on the ferry')
  await other.reload()
  await expect(messageWithText(other, 'written on the ferry')).toBeVisible()
  await other.context().setOffline(false)
  await expect(messageWithText(bea, 'written on the ferry')).toHaveCount(1)
  await expect(offlineNotice(other)).toHaveCount(0)

  // The service worker stores the build only: nothing of the session, no messages.
  const cookies = await other.context().cookies()
  const session = cookies.filter(({ name }) => name.includes('-auth-token')).map(({ value }) => value)
  const encoded = decodeURIComponent(session.join('')).replace(/^base64-/, '')
  const { access_token: token, refresh_token: renewal } = JSON.parse(
    Buffer.from(encoded, 'base64url').toString(),
  ) as Record<string, string>
  const stored = (await other.evaluate(storedByWorker)) as string[]
  for (const secret of [
    token!,
    token!.split('.')[2]!,
    renewal!,
    encoded.slice(0, 40),
    'set-cookie',
    'written on the ferry',
  ]) {
    expect(stored.filter((one) => one.includes(secret)).map((one) => one.slice(0, 100))).toEqual([])
  }

  // After signing out, also without a network, this device shows no conversation.
  await other.context().setOffline(true)
  await other.getByRole('button', { name: 'Workspace menu' }).click()
  await other.getByRole('menuitem', { name: 'Sign out' }).click()
  await other.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await expect(other.getByText('You’re offline. You can sign in when you reconnect.')).toBeVisible()
  await expect.poll(() => storedOnDevice(other, 'messages')).toBe('[]')
  await other.reload()
  // Chromium may report the reloaded page as online although every request fails.
  const sentence = (await other.evaluate('navigator.onLine'))
    ? 'Linnet can’t be reached. Try again in a moment.'
    : 'You’re offline. You can sign in when you reconnect.'
  await expect(other.getByText(sentence)).toBeVisible()
  await other.context().close()
  expect(faults).toEqual([])
})

test('a new build on a static host is shown at the next visit, and starts without a network', async ({
  browser,
  demo,
}) => {
  const { server } = demo
  const site = await startSite(server.url)
  const faults: string[] = []
  try {
    const page = await person(browser, faults, { allowed: [/net::ERR_/], serviceWorkers: 'allow' })
    await enterDemo(page, demo, 'ann', '/', site.url)
    await openChannel(page, 'rota')
    await expect(page.getByRole('textbox', { name: 'Message #rota' })).toBeVisible()
    const first = await page.evaluate(runningBuild)
    await expect.poll(() => page.evaluate(storedBuilds)).toEqual([first])
    await site.stop()
    await page.reload()
    await expect(page.getByRole('textbox', { name: 'Message #rota' })).toBeVisible()
    expect(await page.evaluate(runningBuild)).toBe(first)
    await site.start()

    // A page of the first build keeps its files while the second build is open elsewhere; then they are deleted.
    const other = await page.context().newPage()
    const second = site.deploy()
    await other.goto(page.url())
    await expect(other.getByRole('textbox', { name: 'Message #rota' })).toBeVisible()
    expect(await other.evaluate(runningBuild)).toBe(second)
    await expect.poll(() => other.evaluate(storedBuilds)).toEqual([first, second])
    await page.close()
    await other.reload()
    await expect.poll(() => other.evaluate(storedBuilds)).toEqual([second])
    await site.stop()
    await other.reload()
    await expect(other.getByRole('textbox', { name: 'Message #rota' })).toBeVisible()
    expect(await other.evaluate(runningBuild)).toBe(second)
    expect(faults).toEqual([])
  } finally {
    await site.end()
  }
})
