import { expect, test, type Browser, type Locator, type Page } from '@playwright/test'
import {
  composerOf,
  expectText,
  inviteByLink,
  laptopScreen,
  messageOf,
  nextMail,
  openSettings,
  person,
  sendMessage,
  setUp,
  skipSignInOffer,
  startTestInstance,
  type TestInstance,
} from './support.ts'

const DESK = '#front-desk'

/** The colour of badges and mentions, as the browser serializes it. */
const ACCENT = `(() => {
  const probe = document.body.appendChild(document.createElement('i'))
  probe.style.backgroundColor = 'var(--accent)'
  const colour = getComputedStyle(probe).backgroundColor
  probe.remove()
  return colour
})()`

/** The row of the message with this text. */
const rowOf = (page: Page, text: string): Locator =>
  page.getByLabel(`Messages in ${DESK}`).getByRole('article').filter({ hasText: text })

/** Clicks an action in the toolbar of a message. */
async function clickAction(page: Page, text: string, name: string): Promise<void> {
  await rowOf(page, text).hover()
  await rowOf(page, text).getByRole('button', { name }).click()
}

async function removes(page: Page, text: string): Promise<void> {
  await clickAction(page, text, 'More actions')
  await page.getByRole('menuitem', { name: 'Delete message' }).click()
  await expect(messageOf(page, DESK, text)).toHaveCount(0)
}

/** Ann sets up the workspace, Bea joins by a link and types the emailed code. */
async function two(
  browser: Browser,
  instance: TestInstance,
  faults: string[],
): Promise<{ ann: Page; bea: Page }> {
  const options = laptopScreen
  // The browser reports each request that is refused or without a network.
  const ann = await person(browser, faults, {
    ...options,
    allowed: [/net::ERR_/, /status of 403/, /WebSocket/],
  })
  await setUp(ann, instance)
  const link = await inviteByLink(ann)
  const bea = await person(browser, faults, options)
  await bea.goto(link)
  await bea.getByLabel('Your name').fill('Bea Lindqvist')
  await bea.getByLabel('Email address').fill('bea@harbour.example')
  await bea.getByRole('button', { name: 'Continue' }).click()
  await bea.getByLabel('6-digit code').fill((await nextMail(instance, 'bea@harbour.example', 0)).code)
  await bea.getByRole('button', { name: 'Continue' }).click()
  await skipSignInOffer(bea)
  await expect(composerOf(bea, DESK)).toBeVisible()
  return { ann, bea }
}

const threadsOf = (page: Page): Locator => page.getByRole('link', { name: /^Threads/ })

/** Shown at once; the result of the server is announced. */
async function follows(card: Locator, name: string): Promise<void> {
  const known = card.page().waitForResponse('**/rest/v1/rpc/follow_thread')
  await card.getByRole('button', { name }).click()
  await known
}

/**
 * Bea has replied to Ann's message in its thread, which is open; Ann, who follows it as its author, has closed it.
 */
async function threads(ann: Page, bea: Page): Promise<void> {
  const reply = bea.getByRole('textbox', { name: 'Reply' })
  await reply.fill('It is blue, @Ann.')
  await reply.press('Enter')
  await expect(threadsOf(ann)).toHaveAccessibleName('Threads, 1 unread, 1 mention')

  // The inbox shows it; replying there marks it as read.
  await threadsOf(ann).click()
  const card = ann.getByRole('article', { name: /^front-desk/ })
  await expect(card).toHaveAccessibleName('front-desk 1 new, including a mention')
  await card.focus()
  await ann.keyboard.press('r')
  await expect(card.getByRole('textbox', { name: 'Reply' })).toBeFocused()
  // The field may not have read its stored draft yet: no key is lost.
  await ann.keyboard.type('Blue is fine.')
  await ann.keyboard.press('Enter')
  await expect(bea.getByLabel('Replies').getByText('Blue is fine.', { exact: true })).toBeVisible()
  await expect(threadsOf(ann)).toHaveAccessibleName('Threads')
  await ann.keyboard.press('Escape')
  await expect(card).toBeFocused()

  // Unfollowed, it notifies nobody; followed again it does, and opening it marks visible replies as read.
  await follows(card, 'Unfollow thread')
  await expect(card.getByRole('button', { name: 'Follow thread' })).toBeVisible()
  await reply.fill('First reply.')
  await reply.press('Enter')
  await expect(card.getByText('First reply.', { exact: true })).toBeVisible()
  await expect(threadsOf(ann)).toHaveAccessibleName('Threads')
  await follows(card, 'Follow thread')
  await reply.fill('Second reply.')
  await reply.press('Enter')
  await expect(threadsOf(ann)).toHaveAccessibleName(/^Threads, 1 unread/)
  await card.focus()
  await ann.keyboard.press('Enter')
  await expect(ann.getByLabel('Replies').getByText('Second reply.', { exact: true })).toBeVisible()
  await expect(threadsOf(ann)).toHaveAccessibleName('Threads')

  // A link to a reply opens its thread.
  await ann.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const sentReply = ann.getByLabel('Replies').getByRole('article').filter({ hasText: 'Second reply.' }).last()
  await sentReply.click({ button: 'right' })
  await ann.getByRole('menuitem', { name: 'Copy link' }).click()
  await expect(ann.getByText('Link copied.').first()).toBeVisible()
  await ann.goto(await ann.evaluate<string>('navigator.clipboard.readText()'))
  await expect(ann).toHaveURL(/\/t\/.*at=5/)
  await expect(ann.getByLabel('Replies').getByText('Second reply.', { exact: true })).toBeVisible()
  await ann.getByRole('button', { name: 'Close thread' }).click()
}

test('two people exchange messages, reactions, edits and threads', async ({ browser }) => {
  const instance = await startTestInstance()
  const faults: string[] = []
  try {
    const { ann, bea } = await two(browser, instance, faults)

    // The author sees a reaction and a reply in a thread.
    await sendMessage(ann, DESK, 'The kettle is broken.')
    await clickAction(bea, 'The kettle is broken.', 'Add a reaction')
    await bea.getByRole('searchbox', { name: 'Search emoji' }).fill('thumbs up')
    await expect(bea.getByRole('region', { name: 'Results' }).getByRole('button').first()).toHaveText('👍')
    await bea.keyboard.press('Enter')
    await expect(rowOf(ann, 'The kettle').getByRole('button', { name: /^👍 1/ })).toBeVisible()
    await clickAction(bea, 'The kettle is broken.', 'Reply in thread')
    await bea.getByRole('textbox', { name: 'Reply' }).fill('I bring mine.')
    await bea.getByRole('textbox', { name: 'Reply' }).press('Enter')
    await ann.getByRole('link', { name: '1 reply' }).click()
    await expect(ann.getByLabel('Replies').getByText('I bring mine.', { exact: true })).toBeVisible()
    // Visible replies are marked as read.
    await expect(threadsOf(ann)).toHaveAccessibleName('Threads')
    await ann.getByRole('button', { name: 'Close thread' }).click()
    await threads(ann, bea)
    await bea.getByRole('button', { name: 'Close thread' }).click()

    // An edit is shown to both. A deletion can be undone, and Bea never misses the message.
    await clickAction(ann, 'The kettle is broken.', 'Edit message')
    await ann.getByRole('textbox', { name: 'Edit message' }).fill('The kettle works again.')
    await ann.getByRole('textbox', { name: 'Edit message' }).press('Enter')
    await expect(rowOf(bea, 'The kettle works again.').getByText('edited')).toBeVisible()
    await sendMessage(ann, DESK, 'First thought.')
    await sendMessage(ann, DESK, 'Second thought.')
    await removes(ann, 'First thought.')
    await ann.getByRole('button', { name: 'Undo' }).click()
    await expect(messageOf(ann, DESK, 'First thought.')).toBeVisible()
    await removes(ann, 'Second thought.')
    await expect(messageOf(bea, DESK, 'Second thought.')).toHaveCount(0)
    await expect(messageOf(bea, DESK, 'First thought.')).toBeVisible()

    // Messages are counted for a reader who is elsewhere; only a mention has the accent’s colour.
    await openSettings(bea)
    await sendMessage(ann, DESK, 'To everyone.')
    const entry = bea.getByRole('link', { name: /^front-desk/ })
    await expect(entry).toHaveAccessibleName('front-desk, 1 unread')
    await composerOf(ann, DESK).fill('@Bea, are you there?')
    await ann.getByRole('button', { name: 'Send', exact: true }).click()
    await expect(entry).toHaveAccessibleName('front-desk, 2 unread, 1 mention')
    const accent = await bea.evaluate<string>(ACCENT)
    await expect(entry.getByText('@1', { exact: true })).toHaveCSS('background-color', accent)
    await bea.keyboard.press('ControlOrMeta+k')
    await expect(bea.getByRole('option', { name: 'front-desk 2 unread, 1 mention' })).toContainText('@1')
    await bea.keyboard.press('Escape')
    await entry.click()
    await expect(entry).toHaveAccessibleName('front-desk')

    // Written without a network: stored, shown, and delivered once.
    await ann.context().setOffline(true)
    await sendMessage(ann, DESK, 'From the cellar.')
    await expect(ann.getByText(/^You’re offline/)).toBeVisible()
    await expect(rowOf(ann, 'From the cellar.').getByText(/^Not sent yet\./)).toBeVisible()
    await expect(messageOf(bea, DESK, 'From the cellar.')).toHaveCount(0)
    await sendMessage(ann, DESK, 'Too soon.')
    await rowOf(ann, 'Too soon.').click({ button: 'right' })
    await ann.getByRole('menuitem', { name: 'Edit message' }).click()
    await expect(messageOf(ann, DESK, 'Too soon.')).toHaveCount(0)
    await expectText(composerOf(ann, DESK), 'Too soon.')
    await ann.keyboard.press('Enter')
    await rowOf(ann, 'Too soon.').getByRole('button', { name: 'More actions' }).click()
    await ann.getByRole('menuitem', { name: 'Discard' }).click()
    await expect(messageOf(ann, DESK, 'Too soon.')).toHaveCount(0)
    await ann.context().setOffline(false)
    await expect(messageOf(bea, DESK, 'From the cellar.')).toBeVisible()

    // Refused: the reason is shown; a retry delivers it, and a discarded message can be edited again.
    const sending = '**/rest/v1/rpc/send_message'
    await ann.route(sending, (route) =>
      route.fulfill({ status: 403, json: { code: 'P0001', message: 'posting_admins' } }),
    )
    await sendMessage(ann, DESK, 'Once more.')
    await expect(rowOf(ann, 'Once more.').getByText('Only channel managers can post here.')).toBeVisible()
    await sendMessage(ann, DESK, 'Never mind.')
    await composerOf(ann, DESK).fill('Typed since.')
    await rowOf(ann, 'Never mind.').getByRole('button', { name: 'Edit again' }).click()
    await expect(messageOf(ann, DESK, 'Never mind.')).toHaveCount(0)
    await expectText(composerOf(ann, DESK), 'Never mind.\nTyped since.')
    await expect(composerOf(ann, DESK)).toBeFocused()
    await ann.unroute(sending)
    await rowOf(ann, 'Once more.').getByRole('button', { name: 'Try again' }).click()
    await expect(messageOf(bea, DESK, 'Once more.')).toBeVisible()
    for (const page of [ann, bea]) {
      await page.reload()
      await expect(messageOf(page, DESK, 'From the cellar.')).toHaveCount(1)
      await expect(messageOf(page, DESK, 'Once more.')).toHaveCount(1)
      await expect(messageOf(page, DESK, 'Never mind.')).toHaveCount(0)
      await expect(messageOf(page, DESK, 'Too soon.')).toHaveCount(0)
    }
    expect(faults).toEqual([])
  } finally {
    await instance.end()
  }
})
