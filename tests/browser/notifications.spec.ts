import { expect } from '@playwright/test'
import { randomUUID } from 'node:crypto'
import { signInDemoClient } from './demoClient.ts'
import { clickNotification, recordedOf, recordNotifications } from './recordNotifications.ts'
import { enterDemo, person, storedOnDevice } from './support.ts'
import { test } from './sharedServer.ts'

test('two tabs show one notification, which disappears when the message is read on another device; none in quiet hours', async ({
  browser,
  demo,
}) => {
  const { server } = demo
  const faults: string[] = []
  const first = await person(browser, faults, {
    timezoneId: 'Europe/Berlin',
    serviceWorkers: 'allow',
    allowed: [/ERR_FAILED/],
  })
  await recordNotifications(first.context())
  await enterDemo(first, demo, 'ann', '/settings/notifications')
  const second = await first.context().newPage()
  await second.goto(`${server.url}/settings/notifications`)
  for (const page of [first, second])
    await expect(page.getByRole('switch', { name: 'Play a sound' })).toBeChecked()
  const [ann, bea] = await Promise.all([signInDemoClient(demo, 'ann'), signInDemoClient(demo, 'bea')])
  const { channel, state } = ann.bootstrap.channels.find(
    (entry) =>
      entry.channel.kind === 'direct' && entry.channel.people?.includes(bea.bootstrap.me?.profile.id ?? ''),
  )!
  const direct = channel.id
  const send = async (body: string) => {
    const { message } = await bea.call('send_message', { id: randomUUID(), channel: direct, body })
    return message
  }
  // The heartbeats of the pages show that Ann is here.
  const sent = await send('Is **Mr Weber** in room 4?')
  await expect.poll(() => recordedOf(first, second)).toHaveLength(1)
  expect(await recordedOf(first, second)).toEqual([
    { title: 'Bea Lindqvist', body: 'Is Mr Weber in room 4?', closed: false },
  ])
  await ann.call('mark_read', { channel: direct, seq: sent.seq!, read_version: state.read_version })
  await expect.poll(() => recordedOf(first, second)).toEqual([expect.objectContaining({ closed: true })])

  const decision = () =>
    first.context().waitForEvent('response', (response) => response.url().endsWith('/rpc/my_notifications'))
  const next = await send('He is asking for you.')
  await expect.poll(() => recordedOf(first, second)).toHaveLength(2)
  // The leading tab has displayed it, which may be another one than before.
  const isOnFirst = (await recordedOf(first)).some(({ body }) => body === 'He is asking for you.')
  const opened = isOnFirst ? first : second
  await clickNotification(opened)
  await expect(opened).toHaveURL(`${server.url}/c/${direct}/m/${next.id}`)
  expect((await recordedOf(opened)).at(-1)?.closed).toBe(true)
  // While the conversation is visible.
  const seen = decision()
  await send('Thank you!')
  await seen
  await expect(opened.getByText('Thank you!').first()).toBeVisible()
  expect(await recordedOf(first, second)).toHaveLength(2)
  await opened.goBack()

  // Chosen in one tab without the server, displayed by the other, and saved once the server can be reached.
  let cut = true
  await first
    .context()
    .route('**/rest/v1/notification_preferences*', (route) => (cut ? route.abort() : route.continue()))
  for (const day of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'])
    await second.getByRole('checkbox', { name: day }).check()
  await second.getByLabel('From', { exact: true }).fill('09:00')
  await second.getByLabel('To', { exact: true }).focus()
  await expect(first.getByLabel('From', { exact: true })).toHaveValue('09:00')
  await expect(first.getByRole('checkbox', { name: 'Sunday' })).toBeChecked()
  await expect.poll(() => storedOnDevice(first, 'outbox')).toContain('09:00')
  cut = false
  for (const page of [first, second]) await page.evaluate("dispatchEvent(new Event('online'))")
  await expect.poll(() => storedOnDevice(first, 'outbox')).toBe('[]')
  const decided = decision()
  await send('And the one from yesterday?')
  expect(await (await decided).json()).toMatchObject([{ decision: 'badge' }])
  await expect(first).toHaveTitle(/^\(\d+\)/)
  expect(await recordedOf(first, second)).toHaveLength(2)
  expect(faults).toEqual([])
})

test('a page offers notifications once, after a message came while its reader was elsewhere', async ({
  browser,
  demo,
}) => {
  const faults: string[] = []
  const page = await person(browser, faults, { serviceWorkers: 'allow' })
  await page.context().addInitScript(() => {
    // Headless Chromium denies at once, and each of its pages has the focus.
    class UndecidedNotification extends EventTarget {
      static permission = 'default'
      static readonly requestPermission = async () => (UndecidedNotification.permission = 'denied')
    }
    Object.assign(globalThis, { Notification: UndecidedNotification })
  })
  await enterDemo(page, demo, 'ann', '/settings/notifications')
  const undecided = page.getByText('Your browser will ask whether Linnet can send you notifications.')
  await expect(undecided).toBeVisible()
  const [ann, bea] = await Promise.all([signInDemoClient(demo, 'ann'), signInDemoClient(demo, 'bea')])
  const direct = ann.bootstrap.channels.find(
    ({ channel }) =>
      channel.kind === 'direct' && channel.people?.includes(bea.bootstrap.me?.profile.id ?? ''),
  )!.channel.id
  const offer = page.getByRole('button', { name: 'Not now' })
  const sendAndCheck = async (body: string) => {
    const checked = page.waitForResponse((response) => response.url().endsWith('/rpc/my_notifications'))
    await bea.call('send_message', { id: randomUUID(), channel: direct, body })
    await checked
  }
  await sendAndCheck('While you look at the page')
  await expect(offer).toHaveCount(0)
  await page.evaluate(() => {
    ;(globalThis as unknown as { document: { hasFocus: () => boolean } }).document.hasFocus = () => false
  })
  await sendAndCheck('While you are elsewhere')
  await offer.click()
  await expect(offer).toHaveCount(0)
  await sendAndCheck('And again')
  await expect(offer).toHaveCount(0)
  await page.reload()
  await page.evaluate(() => {
    ;(globalThis as unknown as { document: { hasFocus: () => boolean } }).document.hasFocus = () => false
  })
  await expect(undecided).toBeVisible()
  await sendAndCheck('In the next visit')
  await expect(offer).toHaveCount(0)
  expect(faults).toEqual([])
})
