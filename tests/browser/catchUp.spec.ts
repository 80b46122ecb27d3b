import { expect } from '@playwright/test'
import { enterDemo, laptopScreen, person, phoneScreen } from './support.ts'
import { test } from './sharedServer.ts'

test('back from a week away: what is unread is read by keyboard, and restored; activity is opened by touch', async ({
  browser,
  demo,
}) => {
  const { server } = demo
  const faults: string[] = []
  const laptop = await person(browser, faults, laptopScreen)
  await enterDemo(laptop, demo, 'ann', '/unread')
  const keyboard = laptop.keyboard
  const feed = laptop.getByRole('feed', { name: 'Unread messages' })
  const card = (name: string) => feed.getByRole('article', { name: new RegExp(`^${name} .*mention`) })
  await expect(card('rota').getByText('Also the heating in room 3')).toBeVisible()
  await expect(laptop.getByRole('heading', { name: 'Catch up' })).toBeFocused()
  // The conversations that mention her come first.
  await keyboard.press('j')
  await expect(card('rota')).toBeFocused()
  await keyboard.press('ArrowDown')
  await expect(card('night-team')).toBeFocused()
  await keyboard.press('k')
  await expect(card('rota')).toBeFocused()
  await keyboard.press('m')
  await expect(card('night-team')).toBeFocused()
  // While it has the focus, it stays.
  await laptop.getByRole('button', { name: 'Undo' }).focus()
  await expect(card('rota')).toHaveCount(0)
  const rota = laptop.getByRole('navigation').getByRole('link', { name: /^rota/ })
  await expect(rota).not.toHaveAccessibleName(/mention/)
  await keyboard.press('Enter')
  // In its place again, with the messages that were unread before.
  await expect(feed.getByRole('article').first()).toHaveAccessibleName(/rota.*3 new/)
  await expect(rota).toHaveAccessibleName(/1 mention/)
  await card('night-team').focus()
  await expect(card('night-team')).toBeFocused()
  await keyboard.press('Enter')
  await expect(laptop.getByLabel('Messages in #night-team')).toBeVisible()
  await laptop.goBack()
  await expect(card('rota')).toBeVisible()
  // A thread leaves the page with the reply, and a toast leads to it.
  const reply = feed.getByRole('button', { name: 'Reply', exact: true }).first()
  await card('night-team').hover()
  await expect(async () => {
    await laptop.mouse.wheel(0, 2_000)
    await expect(reply).toBeVisible({ timeout: 500 })
  }).toPass()
  await reply.click()
  await keyboard.type('I’ll bring it.')
  await keyboard.press('Enter')
  await expect(feed.getByText('I’ll bring it.')).toHaveCount(0)
  await laptop.getByRole('button', { name: 'Open', exact: true }).click()
  await expect(laptop).toHaveURL(/\/t\/[^/]+$/)
  await expect(laptop.getByRole('log').getByText('I’ll bring it.')).toBeVisible()
  await laptop.goBack()
  await laptop.getByRole('button', { name: 'Mark all as read' }).focus()
  await keyboard.press('Enter')
  await expect(laptop.getByRole('heading', { name: 'You’re all caught up' })).toBeVisible()

  const phone = await person(browser, faults, phoneScreen)
  await enterDemo(phone, demo, 'bea')
  await expect(phone.getByRole('link', { name: /^Activity/ })).toBeVisible()
  await phone.goto(`${server.url}/`)
  const entries = phone.getByRole('feed', { name: 'Activity' }).getByRole('article')
  const seen = phone.waitForResponse(/\/rpc\/mark_activity_seen$/)
  await phone.getByRole('link', { name: /^Activity/ }).tap()
  await phone.getByText('Reactions', { exact: true }).tap()
  await expect(entries.first()).toHaveAccessibleName(/^New .* reacted with/)
  await seen
  // What was new is still marked after a message was opened, but not when the list is opened again.
  await entries.first().tap()
  await expect(phone.getByRole('log').getByRole('article').first()).toBeVisible()
  await phone.getByRole('link', { name: 'Back' }).tap()
  await expect(entries.first()).toHaveAccessibleName(/^New .* reacted with/)
  await phone.getByRole('link', { name: 'Home', exact: true }).tap()
  await phone.getByRole('link', { name: /^Activity/ }).tap()
  await expect(entries.filter({ hasText: 'reacted with' }).first()).not.toHaveAccessibleName(/^New/)
  await phone.getByText('Mentions', { exact: true }).tap()
  await expect(entries.first()).toHaveAccessibleName(/mentioned (you|everyone)/)
  await expect(phone.getByRole('radio', { name: 'Mentions' })).toBeChecked()
  const text = entries.first().getByRole('paragraph').last()
  const before = (await text.textContent()) ?? ''
  await entries.first().tap()
  await expect(phone).toHaveURL(/\/c\/[^/]+\/m\//)
  await expect(phone.getByRole('log').getByRole('article').first()).toBeVisible()
  await phone.getByRole('link', { name: 'Back' }).tap()
  await expect(phone).toHaveURL(/\/activity\?show=mentions$/)
  // The entry is read now, and in the same place.
  await expect(text).toHaveText(before)

  // A reply at the lower edge of the list comes into view with its buttons.
  await phone.goto(`${server.url}/threads`)
  const lowReply = phone.getByRole('button', { name: 'Reply', exact: true }).first()
  await lowReply.evaluate((button: { scrollIntoView: (to: object) => void }) =>
    button.scrollIntoView({ block: 'end' }),
  )
  await lowReply.tap()
  await expect(phone.getByRole('button', { name: 'Send', exact: true })).toBeInViewport({ ratio: 1 })
  await phone.goto(`${server.url}/activity?show=mentions`)

  // A new mention is listed at once, and is read when it was read in another tab.
  await rota.press('Enter')
  const field = laptop.getByRole('textbox', { name: /^Message #rota/ })
  await field.fill('@bea')
  await laptop.getByRole('option', { name: /Bea Lindqvist/ }).click()
  await field.press('End')
  await field.pressSequentially('the lift works')
  await field.press('Enter')
  const mention = entries.filter({ hasText: 'the lift works' })
  await expect(mention).toHaveAccessibleName(/^Unread/)
  const tab = await phone.context().newPage()
  await tab.goto(`${server.url}/`)
  await tab.getByRole('link', { name: /^rota/ }).tap()
  await expect(mention).toHaveAccessibleName(/^Ann Okafor/)
  expect(faults).toEqual([])
})

test('groups of unread messages appear from the top to the bottom, and a group that is displayed stays', async ({
  browser,
  demo,
}) => {
  const faults: string[] = []
  const laptop = await person(browser, faults, laptopScreen)
  await enterDemo(laptop, demo, 'ann')
  const unread = (name: string) =>
    laptop.getByRole('navigation').getByRole('link', { name: new RegExp(`^${name}`) })
  const [rota, nightTeam] = await Promise.all(
    ['rota', 'night-team'].map(async (name) =>
      (await unread(name).getAttribute('href'))!.slice('/c/'.length),
    ),
  )
  const held = new Map<string, () => void>()
  await laptop.context().route('**/rpc/channel_page', async (route) => {
    const { channel } = route.request().postDataJSON() as { channel: string }
    if (channel === rota || channel === nightTeam)
      await new Promise<void>((release) => held.set(channel, release))
    await route.continue()
  })
  await laptop.goto(new URL('/unread', laptop.url()).href)
  const feed = laptop.getByRole('feed', { name: 'Unread messages' })
  const groups = feed.locator('[data-entry]')
  const cards = groups.filter({ visible: true })
  await expect.poll(() => held.size).toBe(2)
  // The cards of the other groups exist, but are neither displayed nor read aloud.
  await expect.poll(() => groups.count()).toBeGreaterThan(2)
  await expect(cards).toHaveCount(1)
  await expect(cards).toHaveAccessibleName(/^rota/)
  held.get(rota!)!()
  await expect(cards).toHaveCount(2)
  await expect(cards.last()).toHaveAccessibleName(/^night-team/)
  held.get(nightTeam!)!()
  await expect.poll(() => cards.count()).toBeGreaterThan(2)
  expect(faults).toEqual([])
})
