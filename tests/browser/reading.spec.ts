import { expect, test, type Browser, type Locator, type Page } from '@playwright/test'
import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import type { Server } from '../support/server.ts'
import { enterDemo, laptopScreen, person, type Demo, expectText } from './support.ts'
import { signInDemoClient } from './demoClient.ts'
import { findViolations } from './findViolations.ts'
import { startDemo } from './startDemo.ts'

const WIDE = laptopScreen
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const IPHONE = {
  ...PHONE,
  userAgent:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
}
const IPAD = {
  ...PHONE,
  userAgent:
    'Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
}

let server: Server
let sql: Client
let demo: Demo
const faults: string[] = []

test.beforeAll(async () => {
  demo = await startDemo('--app', '--db-port', '0')
  server = demo.server
  sql = new Client(server.dbUrl)
  await sql.connect()
})

test.afterAll(async () => {
  await sql.end()
  await demo.end()
})

async function annIn(browser: Browser, options: object, path = '/'): Promise<Page> {
  const page = await person(browser, faults, options)
  await enterDemo(page, demo, 'ann', path)
  await expect(page.locator('main, nav').first()).toBeVisible()
  await expect(page).not.toHaveURL(/confirm/)
  return page
}

/** A channel of the demo, of which Ann has read all but the last `unread` messages. */
async function channel(name: string, unread: number): Promise<{ id: string; last: number }> {
  const { rows } = await sql.query<{ id: string; last: number }>(
    `with here as (
       select c.id, k.last_seq from public.channels c join public.channel_counters k on k.channel_id = c.id
       where c.name = $1)
     update public.channel_member_state s set last_read_seq = here.last_seq - $2, read_version = read_version + 1
     from here, public.profiles p
     where s.channel_id = here.id and s.profile_id = p.id and p.name like 'Ann %'
     returning here.id, here.last_seq::int as last`,
    [name, unread],
  )
  return rows[0]!
}

async function readMarkerIn(id: string): Promise<number> {
  const { rows } = await sql.query<{ at: number }>(
    `select s.last_read_seq::int as at from public.channel_member_state s
     join public.profiles p on p.id = s.profile_id and p.name like 'Ann %' where s.channel_id = $1`,
    [id],
  )
  return rows[0]!.at
}

const log = (page: Page, name: string): Locator => page.getByRole('log', { name: `Messages in #${name}` })
const entry = (page: Page, name: string): Locator => page.getByRole('link', { name: new RegExp(`^${name}`) })

/** Scrolls the list with the wheel until `done` holds, at the speed of a reader. */
async function wheelUntil(
  page: Page,
  list: Locator,
  by: number,
  done: () => Promise<boolean>,
): Promise<void> {
  await list.hover()
  await expect
    .poll(
      async () => {
        if (await done()) return true
        await page.mouse.wheel(0, by)
        return false
      },
      { intervals: [200] },
    )
    .toBe(true)
}

test('a message is marked as read when it was seen, and not when it was skipped', async ({ browser }) => {
  const desk = await channel('front-desk', 30)
  const ann = await annIn(browser, WIDE)
  await ann.goto(`${server.url}/c/${desk.id}`)
  const list = log(ann, 'front-desk')

  // Opens at the first unread message: seen before another tab covers this one, which then renders nothing. Messages
  // below the view stay unread, and the other tab shows their number.
  await expect(list.getByText('New', { exact: true })).toBeInViewport()
  const secondTab = await ann.context().newPage()
  await secondTab.goto(`${server.url}/settings`)
  await expect(entry(secondTab, 'front-desk')).toHaveAccessibleName(/front-desk, \d\d? unread/)
  await ann.bringToFront()
  await expect(ann.getByRole('button', { name: /^\d+ new messages?$/ })).toBeVisible()
  expect(await readMarkerIn(desk.id)).toBeLessThan(desk.last)

  // Scrolled to the end, everything is read in both tabs; the "new" line stays where it was.
  // The buttons disappear before the last message is seen as a whole.
  const atEnd = async (): Promise<boolean> =>
    (await ann.getByRole('button', { name: /new message|Jump to latest/ }).count()) === 0 &&
    !(await entry(ann, 'front-desk').getAttribute('aria-label'))?.includes('unread')
  await wheelUntil(ann, list, 250, atEnd)
  await expect(entry(ann, 'front-desk')).toHaveAccessibleName('front-desk')
  await expect(entry(secondTab, 'front-desk')).toHaveAccessibleName('front-desk')
  await expect.poll(() => readMarkerIn(desk.id)).toBe(desk.last)

  // Messages that arrive while reading further up are counted, and shown on request.
  const bea = await signInDemoClient(demo, 'bea')
  await list.hover()
  await ann.mouse.wheel(0, -900)
  await expect(ann.getByRole('button', { name: 'Jump to latest' })).toBeVisible()
  for (const body of ['One more thing.', 'And another.', 'The last one.']) {
    // oxlint-disable-next-line no-await-in-loop -- in order
    await bea.call('send_message', { id: randomUUID(), channel: desk.id, body })
  }
  const jump = ann.getByRole('button', { name: '3 new messages' })
  await expect(jump).toBeVisible()
  await expect(entry(ann, 'front-desk')).toHaveAccessibleName('front-desk, 3 unread')
  await jump.click()
  await expect(list.getByText('The last one.', { exact: true })).toBeInViewport()
  await expect(entry(ann, 'front-desk')).toHaveAccessibleName('front-desk')

  // Unattended: new messages stay unread, below a "new" line, until somebody returns.
  const attention = (here: boolean): Promise<unknown> =>
    ann.evaluate(`document.hasFocus = () => ${here}; dispatchEvent(new Event('${here ? 'focus' : 'blur'}'))`)
  await attention(false)
  await bea.call('send_message', { id: randomUUID(), channel: desk.id, body: 'Are you still there?' })
  await expect(list.getByText('Are you still there?', { exact: true })).toBeInViewport()
  await expect(list.getByText('New', { exact: true })).toBeInViewport()
  await expect(entry(ann, 'front-desk')).toHaveAccessibleName('front-desk, 1 unread')
  await attention(true)
  await expect(entry(ann, 'front-desk')).toHaveAccessibleName('front-desk')

  // Jumping to the end marks nothing as read; Escape does.
  const rota = await channel('rota', 150)
  await ann.goto(`${server.url}/c/${rota.id}`)
  await ann.getByRole('button', { name: '99+ new messages', exact: true }).click()
  await expect(ann.getByRole('button', { name: '99+ new messages above' })).toBeVisible()
  await expect(entry(ann, 'rota')).toHaveAccessibleName(/^rota, 99/)
  expect(await readMarkerIn(rota.id)).toBeLessThan(rota.last - 100)
  await ann.keyboard.press('Escape')
  await expect(entry(ann, 'rota')).toHaveAccessibleName('rota')
  await expect.poll(() => readMarkerIn(rota.id)).toBe(rota.last)
  expect(faults).toEqual([])
  await ann.context().close()
})

test('a link opens a message with the messages around it', async ({ browser }) => {
  const desk = await channel('front-desk', 0)
  const { rows } = await sql.query<{ id: string }>(
    `select id from public.messages where channel_id = $1 and seq in (230, 300, 370) order by seq`,
    [desk.id],
  )
  const [earlier, target, later] = rows
  const ann = await annIn(browser, WIDE)
  const list = log(ann, 'front-desk')
  const row = (id: string): Locator => list.locator(`[id="channel-${id}"]`)

  // From a cold start: in view, highlighted and focused, and more is loaded in both directions.
  await ann.goto(`${server.url}/c/${desk.id}/m/${target!.id}`)
  await expect(row(target!.id)).toBeInViewport()
  await expect(row(target!.id)).toBeFocused()
  await wheelUntil(ann, list, 800, () => row(later!.id).isVisible())
  await wheelUntil(ann, list, -800, () => row(earlier!.id).isVisible())

  // The same link once more.
  await expect(row(target!.id)).not.toBeInViewport()
  await ann.evaluate('history.pushState(null, "", location.href)')
  await expect(row(target!.id)).toBeInViewport()
  await expect(row(target!.id)).toBeFocused()

  // With a focused message, typed text goes to the composer; Shift+Tab leads from there to the last message, and F6
  // to sidebar, messages and composer in turn.
  const field = ann.getByRole('textbox', { name: 'Message #front-desk' })
  await row(target!.id).focus()
  await ann.keyboard.type('Hallo')
  await expectText(field, 'Hallo')
  await field.fill('')
  await ann.goto(`${server.url}/c/${desk.id}`)
  await expect(list.locator('article').last()).toBeInViewport()
  await list.locator('article').nth(-3).focus()
  await field.focus()
  await ann.keyboard.press('Shift+Tab')
  // The first message of a run has the name of its author, which Tab reaches too.
  await expect(list.locator('article').last().locator(':scope:focus, :focus').first()).toBeVisible()
  await ann.keyboard.press('F6')
  await expect(field).toBeFocused()
  await ann.keyboard.press('F6')
  await expect(entry(ann, 'front-desk')).toBeFocused()
  await ann.keyboard.press('Shift+F6')
  await expect(field).toBeFocused()

  // Opened from within the app, and back to the previous position.
  await ann.goto(`${server.url}/c/${desk.id}`)
  await expect(list.locator('article').last()).toBeInViewport()
  await ann.evaluate(`history.pushState(null, '', '/c/${desk.id}/m/${target!.id}')`)
  await expect(row(target!.id)).toBeInViewport()
  await ann.goBack()
  await expect(row(target!.id)).not.toBeInViewport()
  await expect(ann.getByRole('button', { name: 'Jump to latest' })).toHaveCount(0)

  // A reply opens its thread.
  const reply = await sql.query<{ id: string }>(
    `select id from public.messages where channel_id = $1 and seq is null and deleted_at is null limit 1`,
    [desk.id],
  )
  await ann.goto(`${server.url}/c/${desk.id}/m/${reply.rows[0]!.id}`)
  await expect(ann.locator(`[id="thread-${reply.rows[0]!.id}"]`)).toBeFocused()

  // Deleted, in another channel, or never existing: the same sentence.
  await ann.goto(`${server.url}/c/${desk.id}/m/${randomUUID()}`)
  await expect(
    ann.getByText('This message was deleted, or you don’t have access to it.').first(),
  ).toBeVisible()
  await expect(ann).toHaveURL(`${server.url}/c/${desk.id}`)
  await expect(list.locator('article').last()).toBeInViewport()
  expect(faults).toEqual([])
  await ann.context().close()
})

/** Pixels of the list's view that no row covers, and the position of the first row in view. */
function viewOf(list: Locator): Promise<{ blank: number; first: string; top: number }> {
  return list.evaluate((area) => {
    const box = area.getBoundingClientRect()
    const rows = [...area.querySelectorAll('[data-index]')]
      .map((row) => ({ row, at: row.getBoundingClientRect() }))
      .filter(({ at }) => at.bottom > box.top && at.top < box.bottom)
      .toSorted((a, b) => a.at.top - b.at.top)
    let covered = box.top
    let blank = 0
    for (const { at } of rows) {
      blank += Math.max(0, at.top - covered - 1)
      covered = Math.max(covered, at.bottom)
    }
    const first = rows.find(({ row, at }) => row.querySelector('article') && at.bottom > box.top + 1)
    return {
      blank: Math.round(blank + Math.max(0, box.bottom - covered - 1)),
      first: first?.row.querySelector('article')?.id ?? '',
      top: Math.round((first?.at.top ?? 0) - box.top),
    }
  })
}

const filled = (list: Locator): Promise<void> => expect.poll(async () => (await viewOf(list)).blank).toBe(0)

/**
 * Waits until the rows in view no longer move. The time between two checks is the page's own, however slow it is: a timer
 * that ends after that of the virtualizer, which corrects the position after 150 ms on iPhone and iPad, and two frames.
 */
async function still(list: Locator): Promise<{ first: string; top: number }> {
  let before = await viewOf(list)
  await expect
    .poll(
      async () => {
        await list.evaluate(
          `new Promise((resolve) => {
            setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(resolve)), 200)
          })`,
        )
        const now = await viewOf(list)
        const isStill = now.first === before.first && now.top === before.top
        before = now
        return isStill
      },
      { intervals: [0] },
    )
    .toBe(true)
  return before
}

/** Swipes over the list without a pause until `done`. */
async function swipeUntil(
  page: Page,
  list: Locator,
  by: number,
  done: () => Promise<boolean>,
): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...ys: number[]): Promise<unknown> =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: ys.map((y) => ({ x: 190, y })) })
  await expect
    .poll(
      async () => {
        if (await done()) return true
        const from = by > 0 ? 200 : 600
        await touch('touchStart', from)
        for (const part of [0.25, 0.5, 0.75, 1]) {
          // oxlint-disable-next-line no-await-in-loop -- in order
          await touch('touchMove', from + by * part)
        }
        await touch('touchEnd')
        return false
      },
      { intervals: [50] },
    )
    .toBe(true)
  await session.detach()
}

// The virtualizer moves rows instead of `scrollTop` in browsers with one of these user agents.
for (const [device, options] of Object.entries({ iPhone: IPHONE, iPad: IPAD })) {
  test(`on ${device} a long conversation is filled, pages back, keeps its position and follows the end`, async ({
    browser,
  }) => {
    const desk = await channel('front-desk', 0)
    const kitchen = await channel('kitchen', 0)
    const { rows } = await sql.query<{ id: string; seq: number }>(
      `select id, seq::int from public.messages where channel_id = $1 and seq <= $2 order by seq`,
      [desk.id, desk.last - 180],
    )
    const middle = rows.find(({ seq }) => seq === 300)
    // A swipe may pass a single row, but not all that precede it.
    const earlier = new Set(rows.map(({ id }) => `channel-${id}`))
    const bea = await signInDemoClient(demo, 'bea')
    const send = (body: string) => bea.call('send_message', { id: randomUUID(), channel: desk.id, body })
    const ann = await annIn(browser, options, `/c/${kitchen.id}`)
    const list = log(ann, 'front-desk')

    // From a cold start and from the list of channels: at the end, and filled with rows.
    await expect(log(ann, 'kitchen').locator('article').last()).toBeInViewport()
    await filled(log(ann, 'kitchen'))
    await ann.getByRole('link', { name: 'Back' }).click()
    await entry(ann, 'front-desk').click()
    await expect(list.locator('article').last()).toBeInViewport()
    await filled(list)

    // New messages are followed.
    await send(`Arrives at the end, ${device}`)
    await expect(list.getByText(`Arrives at the end, ${device}`)).toBeInViewport()
    await filled(list)

    // Widened to two panes and narrowed again: still at the end.
    const narrow = ann.viewportSize()!
    await ann.setViewportSize({ width: 1_024, height: narrow.height })
    await expect(entry(ann, 'kitchen')).toBeVisible()
    await ann.setViewportSize(narrow)
    await expect(entry(ann, 'kitchen')).toBeHidden()
    await expect(list.getByText(`Arrives at the end, ${device}`)).toBeInViewport()
    await filled(list)

    // Older pages are loaded above during a swipe.
    await swipeUntil(ann, list, 380, async () => earlier.has((await viewOf(list)).first))
    await filled(list)

    // A row above the view grows, like one whose image has loaded: the rows in view keep their position.
    const before = await still(list)
    const height = await list.evaluate((area) => {
      const top = area.getBoundingClientRect().top
      const above = [...area.querySelectorAll('article')].findLast(
        (row) => row.getBoundingClientRect().bottom < top - 100,
      )
      // Through the object model: the content security policy blocks the attribute.
      above!.style.minHeight = `${above!.getBoundingClientRect().height + 300}px`
      return area.scrollTop
    })
    await expect.poll(() => list.evaluate((area) => area.scrollTop)).toBeGreaterThan(height + 250)
    // The rows are moved before the list is scrolled by the same distance: a frame in between may show others.
    await expect
      .poll(async () => {
        const after = await viewOf(list)
        return after.first === before.first && Math.abs(after.top - before.top) < 2
      })
      .toBe(true)

    // New messages are counted meanwhile, and shown on request.
    await send(`Arrives further down, ${device}`)
    await ann.getByRole('button', { name: /^\d new messages?$/ }).tap()
    await expect(list.getByText(`Arrives further down, ${device}`)).toBeInViewport()
    await filled(list)

    // A link to a message far up.
    await ann.evaluate(`history.pushState(null, '', '/c/${desk.id}/m/${middle!.id}')`)
    await expect(list.locator(`[id="channel-${middle!.id}"]`)).toBeInViewport()
    await expect(list.locator(`[id="channel-${middle!.id}"]`)).toBeFocused()
    await filled(list)

    // Left among old messages and opened again with nothing unread: at the end.
    await ann.getByRole('link', { name: 'Back' }).click()
    await entry(ann, 'front-desk').click()
    await expect(list.getByText(`Arrives further down, ${device}`)).toBeInViewport()
    await filled(list)
    expect(faults).toEqual([])
    await ann.context().close()
  })
}

// Rows of several heights are measured below the view. Each reader has no stored rows.
for (const unread of [300, 350]) {
  test(`the “New” line above ${unread} messages keeps its position while pages are loaded around it`, async ({
    browser,
  }) => {
    const ann = await person(browser, faults, WIDE)
    const list = log(ann, 'front-desk')
    const desk = await channel('front-desk', unread)
    // They are loaded once the list has found its position.
    let release = (): void => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const pages = new Set<string>()
    await ann.route('**/rpc/channel_page', async (route) => {
      const request = route.request().postData() ?? ''
      const ends = ['"before"', '"after"'].filter((end) => request.includes(end))
      if (ends.length > 0) await released
      await route.continue()
      await route.request().response()
      for (const end of ends) pages.add(end)
    })
    await enterDemo(ann, demo, 'ann', `/c/${desk.id}`)
    const line = list.getByText('New', { exact: true })
    await expect(line).toBeInViewport()
    await still(list)
    const area = (await list.boundingBox())!
    const top = async (): Promise<number> => Math.round((await line.boundingBox())!.y - area.y)
    const before = await top()
    release()
    await expect.poll(() => pages.size).toBe(2)
    await still(list)
    expect(await top()).toBe(before)
    expect(faults).toEqual([])
    await ann.context().close()
  })
}

test('on a phone “back” leads to the list, and the tabs to the main pages', async ({ browser }) => {
  const desk = await channel('front-desk', 0)
  // Opened by a link, without history.
  const ann = await annIn(browser, PHONE, `/c/${desk.id}`)
  const end = (name: string): Locator => log(ann, name).locator('article').last()
  await expect(end('front-desk')).toBeInViewport()
  // An overlay that fills the screen is closed first, and leaves no entry in the history when it is closed otherwise.
  const dialog = ann.getByRole('dialog')
  const open = ann.getByRole('button', { name: /people in this conversation/ })
  await open.click()
  await expect(dialog).toBeVisible()
  await ann.goBack()
  await expect(dialog).toHaveCount(0)
  await expect(end('front-desk')).toBeInViewport()
  await open.click()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(dialog).toHaveCount(0)
  await expect.poll(() => ann.evaluate<unknown>('history.state?.overlay')).toBeUndefined()
  // A navigation that happens while the browser goes back is not undone.
  await open.click()
  await expect(dialog).toBeVisible()
  await ann.evaluate(`{
    const { back } = history
    history.back = () => {
      history.back = back
      addEventListener('popstate', () => { history.hasGoneBack = true })
      history.back()
      history.pushState(null, '', '/people')
    }
  }`)
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect.poll(() => ann.evaluate<unknown>('history.hasGoneBack')).toBe(true)
  await expect(ann).toHaveURL(/\/people$/)
  await expect(ann).toHaveTitle(/People directory · /)
  await ann.goBack()
  await expect(end('front-desk')).toBeInViewport()
  await ann.goBack()
  await expect(entry(ann, 'front-desk')).toBeVisible()
  await entry(ann, 'kitchen').click()
  await expect(end('kitchen')).toBeInViewport()
  await ann.getByRole('link', { name: 'Back' }).click()
  await expect(entry(ann, 'kitchen')).toBeVisible()
  // A step back, not a new entry: forward leads into the conversation again.
  await ann.goForward()
  await expect(end('kitchen')).toBeInViewport()

  // A swipe from the leading edge moves the pane; returning to the edge cancels it.
  const session = await ann.context().newCDPSession(ann)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...xs: number[]): Promise<unknown> =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: xs.map((x) => ({ x, y: 400 })) })
  const pane = ann.getByRole('main')
  await touch('touchStart', 6)
  for (const x of [30, 90, 206]) {
    // oxlint-disable-next-line no-await-in-loop -- in order
    await touch('touchMove', x)
  }
  await expect(pane).toHaveCSS('transform', 'matrix(1, 0, 0, 1, 200, 0)')
  await touch('touchMove', 8)
  await touch('touchEnd')
  await expect(pane).toHaveCSS('transform', 'none')
  await expect(end('kitchen')).toBeInViewport()
  await touch('touchStart', 6)
  for (const x of [30, 90, 206, 330]) {
    // oxlint-disable-next-line no-await-in-loop
    await touch('touchMove', x)
  }
  await touch('touchEnd')
  await expect(entry(ann, 'kitchen')).toBeVisible()
  await expect(ann).toHaveURL(`${server.url}/`)

  // The tabs lead to the main pages. A conversation has none, and "back" leads to the page from which it was opened.
  const tabs = ann.getByRole('navigation', { name: 'Main pages' })
  const back = ann.getByRole('link', { name: 'Back' })
  await tabs.getByRole('link', { name: /^Direct/ }).tap()
  await expect(back).toHaveCount(0)
  // The last message is shown before its conversation has been opened.
  const conversation = ann.getByRole('list', { name: 'Direct messages' }).getByRole('link', { name: /^Bea / })
  await expect(conversation).toContainText('You: One is for the orchid.')
  const bea = await signInDemoClient(demo, 'bea')
  const channelId = (await conversation.getAttribute('href'))!.split('/').at(-1)!
  await bea.call('send_message', { id: randomUUID(), channel: channelId, body: 'It needs a *larger* pot' })
  await expect(conversation).toContainText('It needs a larger pot')
  await conversation.tap()
  await ann.getByRole('textbox', { name: /^Message / }).fill('In the')
  await expect(tabs).toHaveCount(0)
  await back.tap()
  await expect(ann).toHaveURL(`${server.url}/direct`)
  await expect(conversation.getByText('draft', { exact: true })).toBeAttached()
  await tabs.getByRole('link', { name: 'You', exact: true }).tap()
  await expect(ann.getByRole('button', { name: 'Sign out' })).toBeVisible()
  await ann.getByRole('button', { name: 'Do not disturb, Off' }).tap()
  await ann.getByRole('menuitemradio', { name: 'Do not disturb until I change it' }).tap()
  await expect(ann.getByRole('button', { name: 'Do not disturb, until I change it' })).toBeVisible()
  expect(await findViolations(ann)).toEqual([])

  // The list is where the reader left it.
  await tabs.getByRole('link', { name: 'Home' }).tap()
  const last = ann.locator('[data-group]').last().getByRole('link').last()
  await last.scrollIntoViewIfNeeded()
  const before = await last.boundingBox()
  await last.tap()
  await expect(ann.getByRole('textbox', { name: /^Message / })).toBeVisible()
  await back.tap()
  await expect(last).toBeVisible()
  expect(await last.boundingBox()).toEqual(before)
  expect(faults).toEqual([])
  await ann.context().close()
})
