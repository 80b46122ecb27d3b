import { randomUUID } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { signInDemoClient } from './demoClient.ts'
import { findViolations } from './findViolations.ts'
import { test } from './sharedServer.ts'
import {
  composerOf,
  enterDemo,
  goTo,
  laptopScreen,
  leaveOverlays,
  openChannel,
  person,
  phoneScreen,
  sendMessage,
  type Demo,
} from './support.ts'

// Ann uses a laptop, and Bea a phone; each test leaves both in a conversation.
test.describe.configure({ mode: 'serial' })

let demo: Demo
let laptop: Page
let phone: Page
const faults: string[] = []

test.beforeAll(async ({ browser, createDemo }) => {
  demo = await createDemo()
  laptop = await person(browser, faults, {
    ...laptopScreen,
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  phone = await person(browser, faults, phoneScreen)
  await enterDemo(laptop, demo, 'ann')
  await enterDemo(phone, demo, 'bea')
})

test.afterEach(() => {
  expect(faults).toEqual([])
})

test.afterAll(() => demo.end())

/** Shows the list of conversations on the phone. */
const openList = (): Promise<void> => phone.getByRole('link', { name: 'Back' }).tap()

const list = (page: Page) => page.getByLabel('Messages in #front-desk')
const bar = (page: Page) => page.getByRole('group', { name: 'Selected messages' })
const row = (page: Page, text: string) => list(page).getByRole('article').filter({ hasText: text })
const checkBox = (page: Page, text: string) => row(page, text).getByRole('checkbox')
const rowOf = (page: Page, text: string) => page.getByRole('article').filter({ hasText: text })
const titles = (page: Page) => page.getByRole('list', { name: 'Bookmarks' }).getByRole('link')

async function swipeDown(page: Page, from: number, to: number): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...ys: number[]) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: ys.map((y) => ({ x: 190, y })) })
  await touch('touchStart', from)
  for (const part of [0.1, 0.5, 1]) {
    // oxlint-disable-next-line no-await-in-loop -- in order
    await touch('touchMove', from + (to - from) * part)
  }
  await touch('touchEnd')
  await session.detach()
}

async function openFrontDesk(page: Page): Promise<void> {
  await openChannel(page, 'front-desk')
  await expect(list(page).getByRole('article').first()).toBeVisible()
}

async function send(page: Page, ...texts: string[]): Promise<void> {
  for (const text of texts) {
    await page.getByLabel('Message #front-desk').fill(text)
    await page.keyboard.press('Enter')
    // It can be selected once it is sent.
    await expect(row(page, text)).not.toHaveAccessibleName(/sending/)
  }
}

/** Chooses from the "More" menu of a message. */
async function choose(page: Page, channel: string, text: string, item: string): Promise<void> {
  const row = page.getByLabel(`Messages in ${channel}`).getByRole('article').filter({ hasText: text })
  const more = row.getByRole('button', { name: 'More actions' })
  // A row that moves away from the pointer, for example because a message above it is loaded, has no actions.
  await expect(async () => {
    await row.hover()
    await more.click({ timeout: 2_000 })
  }).toPass()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

test('polls, tasks, quotes and forwarded messages are live for everyone who may read them', async () => {
  await openChannel(laptop, 'front-desk')
  await openChannel(phone, 'front-desk')

  // By keyboard alone: Enter moves through the options, and the poll starts with its last button.
  await laptop.getByRole('button', { name: 'Start a poll' }).press('Enter')
  await expect(laptop.getByLabel('Question')).toBeFocused()
  await laptop.keyboard.type('Where do we eat?')
  await laptop.keyboard.press('Tab')
  for (const option of ['Soup', 'Salad']) {
    await laptop.keyboard.type(option)
    await laptop.keyboard.press('Enter')
  }
  await laptop.getByRole('button', { name: 'Start poll' }).press('Enter')
  const soup = (page: Page) => page.getByRole('radio', { name: /^Soup/ })
  const salad = (page: Page) => page.getByRole('radio', { name: /^Salad/ })
  // Nobody votes before the poll is sent.
  await expect(soup(laptop)).toBeEnabled()
  await soup(laptop).press('Space')
  await expect(soup(phone)).toHaveAccessibleName(/1 vote, Ann Okafor/)
  await soup(phone).tap()
  await salad(phone).tap()
  await expect(salad(laptop)).toHaveAccessibleName(/1 vote, Bea Lindqvist/)
  await expect(soup(laptop)).toHaveAccessibleName(/1 vote, You/)
  await laptop.getByRole('button', { name: 'Close poll' }).click()
  await expect(salad(phone)).toBeDisabled()
  await expect(salad(phone)).toBeChecked()

  await composerOf(laptop, '#front-desk').pressSequentially('Before Friday')
  await laptop.keyboard.press('Shift+Enter')
  await laptop.keyboard.type('- [ ] order paint')
  await laptop.keyboard.press('Shift+Enter')
  await laptop.keyboard.type('sweep')
  await laptop.keyboard.press('Enter')
  const paint = (page: Page) => page.getByRole('checkbox', { name: 'order paint' })
  await paint(phone).tap()
  await expect(paint(laptop)).toBeChecked()
  await laptop.getByRole('checkbox', { name: 'sweep' }).press('Space')
  await expect(phone.getByRole('checkbox', { name: 'sweep' })).toBeChecked()
  await paint(laptop).click()
  await expect(paint(phone)).not.toBeChecked()

  await choose(laptop, '#front-desk', 'Before Friday', 'Quote')
  await composerOf(laptop, '#front-desk').pressSequentially('Who orders it?')
  await laptop.keyboard.press('Enter')
  const quote = rowOf(phone, 'Who orders it?').getByRole('blockquote')
  await expect(quote).toContainText('order paint')
  await expect(composerOf(laptop, '#front-desk').locator('..').getByRole('blockquote')).toHaveCount(0)

  // What arrives elsewhere is counted at the way back.
  const back = phone.getByRole('link', { name: 'Back' })
  const earlier = Number(/\d+/.exec(await back.innerText()) ?? 0)
  await openChannel(laptop, 'Bea Lindqvist')
  await sendMessage(laptop, 'Bea Lindqvist', 'See you on Friday')
  await expect(back).toHaveAccessibleName(`Back ${earlier + 1} unread`)

  // Bea is no member of this conversation.
  await openChannel(laptop, 'Noor Haddad')
  await sendMessage(laptop, 'Noor Haddad', 'The sum is 4,711')
  await choose(laptop, 'Noor Haddad', 'The sum is 4,711', 'Forward…')
  const dialog = laptop.getByRole('dialog', { name: 'Forward message' })
  await dialog.getByLabel('To', { exact: true }).fill('front')
  await dialog.getByRole('radio', { name: 'front-desk' }).check()
  await dialog.getByLabel('Comment (optional)').fill('As agreed')
  await dialog.getByRole('button', { name: 'Forward', exact: true }).click()
  await laptop.getByRole('button', { name: 'Open', exact: true }).click()
  await expect(rowOf(laptop, 'As agreed').getByRole('blockquote')).toContainText('4,711')
  await expect(rowOf(phone, 'As agreed')).toContainText('You don’t have access to this message.')

  // To a person without a conversation: it starts with the message.
  await choose(laptop, '#front-desk', 'As agreed', 'Forward…')
  await expect(dialog.getByRole('button', { name: 'Forward', exact: true })).toBeDisabled()
  await dialog.getByLabel('To', { exact: true }).fill('maria')
  await dialog.getByRole('radio', { name: 'Mariana Costa' }).check()
  await dialog.getByRole('button', { name: 'Forward', exact: true }).click()
  await laptop.getByRole('button', { name: 'Open', exact: true }).click()
  await expect(composerOf(laptop, 'Mariana Costa')).toBeVisible()
  await expect(rowOf(laptop, 'As agreed')).toBeVisible()
})

test('several messages are selected by keyboard and by touch, copied, saved, forwarded and deleted', async () => {
  await openFrontDesk(laptop)
  await openList()
  await openFrontDesk(phone)
  await send(laptop, 'First buoy', 'Second buoy', 'Third buoy')

  // By keyboard alone: X selects the focused row, Shift with an arrow extends the selection.
  await row(laptop, 'Third buoy').focus()
  await laptop.keyboard.press('x')
  await expect(bar(laptop)).toContainText('1 message selected')
  await expect(row(laptop, 'Third buoy')).toHaveAccessibleDescription('Selected')
  await expect(row(laptop, 'First buoy')).toHaveAccessibleDescription('Not selected')
  await laptop.keyboard.press('Shift+ArrowUp')
  await expect(row(laptop, 'Second buoy')).toBeFocused()
  await laptop.keyboard.press('Shift+ArrowUp')
  await expect(row(laptop, 'First buoy')).toBeFocused()
  await expect(bar(laptop)).toContainText('3 messages selected')
  await laptop.getByRole('button', { name: 'Copy text' }).press('Enter')
  await expect(bar(laptop)).toHaveCount(0)
  await expect(row(laptop, 'First buoy')).toBeFocused()
  const copied = await laptop.evaluate<string>('navigator.clipboard.readText()')
  expect(copied).toMatch(/^Ann .*\nFirst buoy\n\nAnn .*\nSecond buoy\n\nAnn .*\nThird buoy$/)
  // By mouse. The list moves when the composer is back, and the pointer can then miss the first row.
  await expect(async () => {
    const edges = await Promise.all(
      ['First buoy', 'Third buoy'].map((text) => row(laptop, text).getByText(text).boundingBox()),
    )
    await laptop.mouse.move(edges[0]!.x + 1, edges[0]!.y + 5)
    await laptop.mouse.down()
    await laptop.mouse.move(edges[1]!.x + 30, edges[1]!.y + 5, { steps: 3 })
    await laptop.mouse.up()
    await expect(row(laptop, 'First buoy')).toBeFocused({ timeout: 1_000 })
    expect(await laptop.evaluate<string>('getSelection().toString()')).toMatch(/^First buoy[^]*Thir/)
  }).toPass()
  await laptop.keyboard.press('ControlOrMeta+c')
  await expect.poll(() => laptop.evaluate<string>('navigator.clipboard.readText()')).toBe(copied)

  // Escape ends the selection, and nothing else.
  await laptop.keyboard.press('x')
  await expect(checkBox(laptop, 'First buoy')).toBeChecked()
  await laptop.keyboard.press('Escape')
  await expect(bar(laptop)).toHaveCount(0)
  await expect(row(laptop, 'First buoy')).toBeFocused()

  // Shift and a click extend it; a press on a row selects it.
  await laptop.keyboard.press('x')
  await expect(checkBox(laptop, 'First buoy')).toBeChecked()
  await row(laptop, 'Third buoy').click({ modifiers: ['Shift'] })
  await expect(bar(laptop)).toContainText('3 messages selected')
  await row(laptop, 'Second buoy').click()
  await expect(bar(laptop)).toContainText('2 messages selected')
  await laptop.getByRole('button', { name: 'Forward…' }).click()
  const dialog = laptop.getByRole('dialog', { name: 'Forward 2 messages' })
  await dialog.getByLabel('To', { exact: true }).fill('kitchen')
  await dialog.getByRole('radio').first().check()
  await dialog.getByRole('button', { name: 'Forward', exact: true }).click()
  await expect(bar(laptop)).toHaveCount(0)

  // One undo for all, while it is possible.
  await row(laptop, 'First buoy').focus()
  await laptop.keyboard.press('x')
  await expect(checkBox(laptop, 'First buoy')).toBeChecked()
  await laptop.keyboard.press('Shift+ArrowDown')
  await expect(bar(laptop)).toContainText('2 messages selected')
  await laptop.getByRole('button', { name: 'Delete your messages' }).click()
  await expect(row(laptop, 'First buoy')).toHaveCount(0)
  await expect(row(laptop, 'Second buoy')).toHaveCount(0)
  await laptop.getByRole('button', { name: 'Undo' }).click()
  await expect(row(laptop, 'First buoy')).toBeVisible()
  await expect(row(laptop, 'Second buoy')).toBeVisible()

  // By touch: other people's messages can be saved, not deleted. The list was opened at the position where it was left.
  await expect(async () => {
    await list(phone).evaluate((element) => element.scrollTo({ top: element.scrollHeight }))
    await expect(row(phone, 'Third buoy')).toBeInViewport({ timeout: 1_000 })
  }).toPass()
  // A tap opens no toolbar. A long press opens a sheet, which a swipe down closes.
  await row(phone, 'First buoy').tap()
  await expect(row(phone, 'First buoy').getByRole('group', { name: 'Message actions' })).toHaveCount(0)
  const sheet = phone.getByRole('menu', { name: 'Message actions' })
  await row(phone, 'First buoy').dispatchEvent('contextmenu', { clientX: 40, clientY: 300 })
  await expect(sheet.getByRole('menuitem', { name: 'Report message…' })).toBeAttached()
  const names = await sheet
    .getByRole('menuitem')
    .evaluateAll((items) => items.map((item) => item.ariaLabel ?? item.querySelector('span')?.textContent))
  expect(names.slice(5, 12).join(', ')).toMatch(
    /^React with .+, Add a reaction, Reply in thread, Quote, Save for later, Copy text, Forward…$/,
  )
  expect(names.slice(-3)).toEqual(['Report message…', 'Remove with a reason…', 'Delete Ann Okafor’s message'])
  expect(await findViolations(phone, null, '[role=menu]')).toEqual([])
  const { y: top } = (await sheet.boundingBox())!
  await swipeDown(phone, top + 20, top + 400)
  await expect(sheet).toHaveCount(0)
  await leaveOverlays(phone)
  await row(phone, 'First buoy').dispatchEvent('contextmenu', { clientX: 40, clientY: 300 })
  await phone.getByRole('menuitem', { name: 'Select messages' }).tap()
  await expect(checkBox(phone, 'First buoy')).toBeChecked()
  expect((await row(phone, 'Second buoy').boundingBox())!.height).toBeGreaterThanOrEqual(44)
  // Scrolling to an element that something covers can move it out of the list, which displays only the rows near its position.
  await expect(async () => {
    await list(phone).evaluate((element) => element.scrollTo({ top: element.scrollHeight }))
    await row(phone, 'Second buoy').tap({ timeout: 1_000 })
  }).toPass()
  await expect(bar(phone)).toContainText('2 messages selected')
  await phone.getByRole('button', { name: 'Delete your messages' }).tap()
  await expect(phone.getByText('Only your own messages can be deleted this way.').first()).toBeVisible()

  // A message that its author deletes leaves the selection.
  await row(laptop, 'Second buoy').focus()
  await laptop.keyboard.press('x')
  await expect(checkBox(laptop, 'Second buoy')).toBeChecked()
  await laptop.getByRole('button', { name: 'Delete your messages' }).click()
  await expect(bar(phone)).toContainText('1 message selected')
  await phone.getByRole('button', { name: 'Save for later' }).tap()
  await expect(phone.getByText('1 message saved for later.').first()).toBeVisible()
  await expect(bar(phone)).toHaveCount(0)
})

test('a thread moves to another channel with its replies and files, and shows the way only to those who may read it there', async () => {
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

  await openChannel(laptop, 'front-desk')
  await openList()
  await openChannel(phone, 'front-desk')
  await expect(rowOf(phone, 'Wrong place')).toBeVisible()

  const openDialog = async (text: string) => {
    const row = rowOf(laptop, text).last()
    await row.focus()
    await expect(row).toBeFocused()
    await row.getByRole('button', { name: 'More actions' }).press('Enter')
    await laptop.getByRole('menuitem', { name: 'Move to another channel…' }).press('Enter')
    const dialog = laptop.getByRole('dialog', { name: 'Move to another channel' })
    await expect(dialog).toBeVisible()
    return dialog
  }

  // By keyboard alone: the filter, the list, and Enter.
  const dialog = await openDialog('menu.txt')
  await dialog.getByLabel('To', { exact: true }).fill('pharm')
  await dialog.getByRole('radio', { name: 'pharmacy' }).press('Space')
  await expect(dialog).toContainText('The message moves with 1 reply.')
  await dialog.getByRole('button', { name: 'Move', exact: true }).press('Enter')
  await expect(laptop.getByText('Moved to #pharmacy.').first()).toBeVisible()
  await laptop.getByRole('button', { name: 'Open', exact: true }).press('Enter')
  await expect(laptop).toHaveURL(new RegExp(`/c/${pharmacy}/m/`))
  await expect(rowOf(laptop, 'moved here from #front-desk')).toContainText('1 reply')

  const link = phone.getByRole('link', { name: /Ann Okafor moved this to #pharmacy/ })
  await expect(link).toBeVisible()
  await link.tap()
  await expect(phone).toHaveURL(new RegExp(`/c/${pharmacy}/m/`))
  const copy = rowOf(phone, 'moved here from #front-desk')
  // Its bytes are still at the path of the upload.
  await copy.getByRole('button', { name: 'Preview of menu.txt' }).tap()
  await expect(copy.locator('pre')).toHaveText('Leek soup on Thursday')
  await copy.getByRole('link', { name: /1 reply/ }).tap()
  await expect(rowOf(phone, 'With bread, please')).toBeVisible()

  // A link to the former place leads to the new one.
  await phone.goto(`${demo.server.url}/c/${frontDesk}/m/${root}`)
  await expect(phone).toHaveURL(new RegExp(`/c/${pharmacy}`))

  // Bea may not read where the next one goes: she gets neither a link nor the name.
  await openChannel(laptop, 'front-desk')
  await goTo(phone, `/c/${frontDesk}`)
  await expect(rowOf(phone, 'Wrong place')).toBeVisible()
  const second = await openDialog('Wrong place')
  await second.getByRole('radio', { name: 'owners only' }).check()
  await expect(second).toContainText(/\d+ people who can read it here can’t read .*#owners only/)
  await second.getByRole('button', { name: 'Move', exact: true }).click()
  await expect(laptop.getByRole('link', { name: /moved this to #owners only/ })).toBeVisible()
  await expect(phone.getByText('Ann Okafor moved this to another channel')).toBeVisible()
  await expect(rowOf(phone, 'Wrong place')).toHaveCount(0)
  expect(await phone.content()).not.toContain('owners only')

  // Back to where more people read it: that must be confirmed.
  await laptop.getByRole('link', { name: /moved this to #owners only/ }).click()
  const third = await openDialog('Wrong place')
  await third.getByRole('radio', { name: 'front-desk' }).check()
  const consent = third.getByRole('checkbox', { name: /^Let \d+ more people read it/ })
  await expect(consent).toBeVisible()
  await third.getByRole('button', { name: 'Move', exact: true }).click()
  await expect(third.getByRole('alert')).toContainText('Confirm first')
  await consent.check()
  await third.getByRole('button', { name: 'Move', exact: true }).click()
  await expect(rowOf(phone, 'Wrong place')).toBeVisible()
})

test('bookmarks are live and sorted by keyboard; who has read a message is shown once the owner chooses so', async () => {
  await openList()
  for (const page of [laptop, phone]) await openChannel(page, 'rota')

  await laptop.getByRole('button', { name: 'rota', exact: true }).press('Enter')
  await laptop.getByRole('button', { name: 'Add a bookmark' }).press('Enter')
  await laptop.getByLabel('Link', { exact: true }).last().fill('rota.example/week')
  await laptop.getByLabel('Name (optional)').fill('This week')
  await laptop.keyboard.press('Enter')
  await expect(titles(laptop)).toHaveText(['This week'])
  await expect(titles(phone)).toHaveText(['This week'])
  await expect(titles(phone)).toHaveAttribute('href', 'https://rota.example/week')

  await laptop
    .getByRole('list', { name: 'Bookmarks' })
    .getByRole('button', { name: 'Add a bookmark' })
    .press('Enter')
  await laptop.getByLabel('Link', { exact: true }).last().fill('https://swaps.example')
  await laptop.keyboard.press('Enter')
  for (const page of [laptop, phone]) await expect(titles(page)).toHaveText(['This week', 'swaps.example'])
  await titles(laptop).last().focus()
  await laptop.keyboard.press('ContextMenu')
  const earlier = laptop.getByRole('menuitem', { name: 'Move earlier' })
  await expect(earlier).toBeVisible()
  // The menu stays as it is while somebody else adds a bookmark.
  const { call, bootstrap } = await signInDemoClient(demo, 'bea')
  const { channel } = bootstrap.channels.find((one) => one.channel.name === 'rota')!
  await call('add_bookmark', {
    id: randomUUID(),
    channel: channel.id,
    title: 'Handbook',
    url: 'https://handbook.example',
  })
  await expect(titles(phone)).toHaveText(['This week', 'swaps.example', 'Handbook'])
  await expect(laptop.getByRole('link', { name: 'Handbook', includeHidden: true })).toBeAttached()
  await earlier.press('Enter')
  await expect(titles(phone)).toHaveText(['swaps.example', 'This week', 'Handbook'])

  await goTo(laptop, '/settings/general')
  await laptop.getByRole('radio', { name: 'In all conversations' }).press('Space')
  await expect(laptop.getByRole('dialog')).toContainText('the people who show it also see it from each other')
  await laptop.getByRole('button', { name: 'Show read receipts' }).click()
  await expect(laptop.getByRole('radio', { name: 'In all conversations' })).toBeChecked()
  for (const page of [laptop, phone]) {
    await goTo(page, '/settings/notifications')
    const share = page.getByRole('switch', { name: 'Show when I have read messages' })
    await share.press('Space')
    await expect(share).toBeChecked()
  }
  await goTo(phone, '/')
  await openChannel(phone, 'rota')
  await openChannel(laptop, 'rota')
  await sendMessage(laptop, '#rota', 'Who has seen this?')
  await expect(phone.getByText('Who has seen this?')).toBeVisible()
  const row = laptop.getByRole('article').filter({ hasText: 'Who has seen this?' })
  const dialog = laptop.getByRole('dialog', { name: 'Who can read this?' })
  await expect(async () => {
    await row.hover()
    await row.getByRole('button', { name: 'More actions' }).click()
    await laptop.getByRole('menuitem', { name: 'Who can read this?', exact: true }).click()
    await expect(dialog).toContainText('Members of')
    const isSeen = await dialog.getByRole('heading', { name: 'Read by (1)' }).isVisible()
    await laptop.keyboard.press('Escape')
    expect(isSeen).toBe(true)
  }).toPass()
})

test('a click on a frequent emoji reacts, on the toolbar and in the menu', async () => {
  await openChannel(laptop, 'rota')
  await sendMessage(laptop, '#rota', 'Tea at four')
  const own = laptop.getByRole('article').filter({ hasText: 'Tea at four' })
  const reaction = (page: Page) =>
    page.getByRole('article').filter({ hasText: 'Tea at four' }).getByRole('group', { name: 'Reactions' })
  await expect(async () => {
    await own.hover()
    await own.getByRole('button', { name: 'React with 👍' }).click({ timeout: 2_000 })
  }).toPass()
  await expect(reaction(phone)).toContainText('1')
  // The names of people are in the top layer, where nothing clips them. The list scrolls to the new reaction, which hides them.
  await expect(async () => {
    await own.getByText('Tea at four').hover()
    await reaction(laptop).getByRole('button', { name: /^👍 1/ }).hover()
    await expect(laptop.locator('[role=tooltip]:popover-open')).toHaveText('You', { timeout: 2_000 })
  }).toPass()
  // The button keeps the focus, but only the toolbar of the hovered message is displayed.
  const displayed = () =>
    laptop.evaluate(
      `[...document.querySelectorAll('[data-tools]')].filter((one) => getComputedStyle(one).opacity === '1').length`,
    )
  await laptop.getByRole('article').filter({ hasText: 'I can do Wednesday' }).hover()
  await expect.poll(displayed).toBe(1)
  await expect(own.locator('[data-tools]')).toHaveCSS('opacity', '0')
  await laptop.keyboard.press('Shift')
  await expect(own.locator('[data-tools]')).toHaveCSS('opacity', '1')
  expect(await displayed()).toBe(1)
  await own.click({ button: 'right' })
  await expect(laptop.getByRole('menuitem', { name: 'React with 👍' })).toBeFocused()
  await laptop.keyboard.press('ArrowRight')
  await expect(laptop.getByRole('menuitem', { name: 'React with ❤️' })).toBeFocused()
  await laptop.keyboard.press('Enter')
  await expect(reaction(phone).getByRole('button', { name: /^❤️ 1/ })).toBeVisible()
})

test('the widths of the sidebar and of a thread are chosen by pointer and keyboard, and stay after a reload', async () => {
  const widthOf = (role: 'navigation' | 'region', name: RegExp) =>
    laptop.getByRole(role, { name }).evaluate((element) => Math.round(element.getBoundingClientRect().width))
  const edge = (name: string) => laptop.getByRole('separator', { name })
  const own = laptop.getByRole('article').filter({ hasText: 'Tea at four' })
  await own.focus()
  await laptop.keyboard.press('r')
  const thread = () => widthOf('region', /^Thread in/)
  await edge('Width of the thread').press('ArrowLeft')
  const wide = await thread()
  await edge('Width of the thread').press('ArrowLeft')
  await expect.poll(thread).toBe(wide + 16)

  const box = (await edge('Width of the sidebar').boundingBox())!
  const at = box.x + box.width / 2
  await laptop.mouse.move(at, 300)
  await laptop.mouse.down()
  await laptop.mouse.move(at + 60, 300, { steps: 4 })
  await laptop.mouse.up()
  const moved = (await edge('Width of the sidebar').boundingBox())!.x
  expect(Math.round(moved - box.x)).toBe(60)

  await laptop.reload()
  await expect.poll(thread).toBe(wide + 16)
  expect(Math.round((await edge('Width of the sidebar').boundingBox())!.x)).toBe(Math.round(moved))
  await edge('Width of the sidebar').press('Enter')
  await expect.poll(async () => (await edge('Width of the sidebar').boundingBox())!.x).toBe(box.x)
})

test('addresses of this server have cards and names with the reader’s own rights, and open in place', async ({
  browser,
}) => {
  const ann = await signInDemoClient(demo, 'ann')
  const idOf = (name: string) =>
    ann.bootstrap.channels.find(({ channel }) => channel.name === name)!.channel.id
  const [kitchen, rota] = [idOf('kitchen'), idOf('rota')]
  const bea = ann.bootstrap.members.find(({ profile }) => profile.name === 'Bea Lindqvist')!.profile.id
  const [message, root] = [randomUUID(), randomUUID()]
  await ann.call('send_message', { id: message, channel: rota, body: 'Early shift is **full**' })
  await ann.call('send_message', { id: root, channel: rota, body: 'Who swaps Friday?' })
  await ann.call('send_message', { id: randomUUID(), channel: rota, body: 'I do', thread_root: root })
  const bytes = Buffer.from('Monday: Ann')
  await ann.attach({ channel: rota, name: 'week.txt', type: 'text/plain', bytes })
  const { messages } = await ann.call('channel_page', { channel: rota, limit: 1 })
  const { id: withFile, attachments } = messages[0]!
  const { origin } = new URL(laptop.url())
  const paths = {
    message: `/c/${rota}/m/${message}`,
    thread: `/c/${rota}/t/${root}`,
    file: `/c/${rota}/m/${withFile}/f/${attachments[0]!.id}`,
    channel: `/c/${rota}`,
    person: `/people/${bea}`,
  }
  const gus = await person(browser, faults, laptopScreen)
  await enterDemo(gus, demo, 'gus', `/c/${kitchen}`)
  await openChannel(laptop, 'kitchen')
  await openList()
  await openChannel(phone, 'kitchen')

  const field = composerOf(laptop, '#kitchen')
  await field.fill(
    `${origin}${paths.message}\n${origin}${paths.thread}\n${origin}${paths.file}\n\n` +
      `Plan: ${origin}${paths.channel} by ${origin}${paths.person}, `,
  )
  await field.pressSequentially(`[all of it](${origin}${paths.message})`)
  await field.press('Enter')
  const rowIn = (page: Page) => page.getByRole('article').filter({ hasText: 'Plan:' })
  for (const page of [laptop, phone]) {
    await expect(rowIn(page)).toContainText('Early shift is full')
    await expect(rowIn(page).getByRole('blockquote').last()).toContainText(/Who swaps Friday\?.*1 reply/s)
    await expect(rowIn(page).getByRole('button', { name: 'Show week.txt' })).toBeVisible()
    await expect(rowIn(page)).toContainText('Plan: #rota by @Bea Lindqvist, all of it')
    await expect(rowIn(page)).not.toContainText('http')
  }
  // A guest who is not in #rota learns neither its name nor what is in it.
  await expect(rowIn(gus)).toContainText('Plan: #channel you can’t read by @Bea Lindqvist')
  for (const kind of ['message', 'thread', 'file'])
    await expect(rowIn(gus)).toContainText(`A ${kind} you can’t see`)
  await expect(rowIn(gus)).not.toContainText(/rota|Early|week/)

  await phone.evaluate('globalThis.isSamePage = true')
  const openAndReturn = async (open: () => Promise<void>, isOpen: () => Promise<void>) => {
    await open()
    await isOpen()
    await goTo(phone, `/c/${kitchen}`)
    await expect(rowIn(phone)).toBeVisible()
  }
  const links = rowIn(phone).getByRole('link')
  const messageIsOpen = () =>
    expect(phone.getByLabel('Messages in #rota')).toContainText('Early shift is full')
  await openAndReturn(
    () =>
      links
        .and(phone.locator(`[href="${paths.message}"]`))
        .first()
        .tap(),
    messageIsOpen,
  )
  await openAndReturn(() => links.filter({ hasText: 'all of it' }).tap(), messageIsOpen)
  await openAndReturn(
    () => links.and(phone.locator(`[href="${paths.thread}"]`)).tap(),
    () => expect(phone.getByLabel('Replies').getByText('I do', { exact: true })).toBeVisible(),
  )
  await openAndReturn(
    () =>
      links
        .filter({ hasText: '#rota' })
        .and(phone.locator(`[href="${paths.channel}"]`))
        .tap(),
    () => expect(phone).toHaveURL(origin + paths.channel),
  )
  await openAndReturn(
    () => links.and(phone.locator(`[href="${paths.file}"]`)).tap(),
    async () => {
      const viewer = phone.getByRole('dialog', { name: 'week.txt' })
      await expect(viewer).toContainText('Monday: Ann')
      await phone.keyboard.press('Escape')
      await expect(viewer).toHaveCount(0)
      await leaveOverlays(phone)
    },
  )
  await links.filter({ hasText: '@Bea Lindqvist' }).tap()
  await expect(phone.getByRole('dialog', { name: 'Bea Lindqvist' })).toBeVisible()
  expect(await phone.evaluate('globalThis.isSamePage')).toBe(true)
  expect(phone.context().pages()).toHaveLength(1)

  // Ctrl+click opens a tab, also of what opens in place as a dialog.
  const [tab] = await Promise.all([
    laptop.context().waitForEvent('page'),
    rowIn(laptop)
      .getByRole('link', { name: '@Bea Lindqvist' })
      .click({ modifiers: ['ControlOrMeta'] }),
  ])
  await expect(tab.getByRole('dialog', { name: 'Bea Lindqvist' })).toBeVisible()
  await tab.close()
})
