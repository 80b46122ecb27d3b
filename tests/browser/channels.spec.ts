import { expect, type Browser, type BrowserContextOptions, type Locator, type Page } from '@playwright/test'
import {
  composerOf,
  enterDemo,
  goTo,
  laptopScreen,
  messageOf,
  person,
  sendMessage,
  storedOnDevice,
  type Demo,
} from './support.ts'
import { test } from './sharedServer.ts'

/** The demo's workspace, in which Ann is an owner and Noor a member. */
async function signIn(
  browser: Browser,
  demo: Demo,
  faults: string[],
  nick: string,
  options: BrowserContextOptions = laptopScreen,
): Promise<Page> {
  const page = await person(browser, faults, {
    ...options,
    // The browser reports each request without a network, and each one after the removal.
    allowed: [/net::ERR_/, /WebSocket/, /status of 404/],
  })
  await enterDemo(page, demo, nick)
  await expect(page.getByRole('textbox', { name: /^Message / })).toBeVisible()
  return page
}

const sidebar = (page: Page): Locator => page.getByRole('navigation')
const rowOf = (page: Page, name: string | RegExp): Locator => sidebar(page).getByRole('link', { name })
const groupOf = (page: Page, name: string): Locator =>
  sidebar(page).getByRole('region', { name, exact: true })
const headOf = (page: Page): Locator => page.getByRole('heading', { level: 1 })

/** The names of the rows of a group of the sidebar, in order. */
const rowsIn = (page: Page, part: string): Locator => groupOf(page, part).getByRole('link')

/** Selects from the context menu of a row. */
async function choose(page: Page, row: string | RegExp, ...items: string[]): Promise<void> {
  await rowOf(page, row).click({ button: 'right' })
  for (const name of items) await page.getByRole('menuitem', { name, exact: true }).click()
}

/** Drags a row with the mouse onto another. */
async function dragRow(page: Page, from: Locator, onto: Locator): Promise<void> {
  await from.hover()
  await page.mouse.down()
  const target = (await onto.boundingBox())!
  await page.mouse.move(target.x + 40, target.y + 2, { steps: 6 })
  await page.mouse.up()
}

test('channels are created, changed and archived, and each person sorts their sidebar', async ({
  browser,
  demo,
}) => {
  const faults: string[] = []
  const [ann, noor] = await Promise.all([
    signIn(browser, demo, faults, 'ann'),
    signIn(browser, demo, faults, 'noor'),
  ])

  // A name that is taken is reported while it is typed; people who are added see the channel at once.
  await sidebar(ann).getByRole('button', { name: 'Add a channel' }).click()
  await ann.getByRole('menuitem', { name: 'Create a channel' }).click()
  await ann.getByRole('textbox', { name: 'Channel name' }).fill('ROTA ')
  await expect(ann.getByRole('alert').filter({ hasText: 'That name is taken.' })).toBeVisible()
  await ann.getByRole('textbox', { name: 'Channel name' }).fill('garden')
  await ann.getByText('Private', { exact: true }).click()
  await ann.getByRole('textbox', { name: 'Topic' }).fill('Seeds and beds')
  await ann.getByRole('button', { name: 'Add people now' }).click()
  await ann.getByRole('checkbox', { name: /Noor Haddad/ }).check()
  await ann.getByRole('button', { name: 'Create channel' }).click()
  await expect(headOf(ann)).toHaveText('garden')
  // Without the icon, a public channel of the same name would have the same accessible name.
  await expect(headOf(ann)).toHaveAccessibleName('private garden')
  await rowOf(noor, /^garden, private/).click()
  await expect(noor.getByRole('button', { name: 'Topic: Seeds and beds' })).toBeVisible()

  // Topic and name are edited in place and change for everyone.
  await ann.getByRole('button', { name: 'Topic: Seeds and beds' }).click()
  await ann.getByRole('textbox', { name: 'Topic' }).fill('Who waters when')
  await ann.keyboard.press('Enter')
  await expect(noor.getByRole('button', { name: 'Topic: Who waters when' })).toBeVisible()
  await ann.getByRole('button', { name: 'Edit: Name' }).click()
  await ann.getByRole('textbox', { name: 'Name' }).fill('garden beds')
  await ann.keyboard.press('Enter')
  await expect(headOf(noor)).toHaveText('garden beds')
  await expect(rowOf(noor, 'garden beds')).toBeVisible()

  // Announcements, visibility, archive and unarchive are shown in the other browser.
  await ann.getByRole('tab', { name: 'Settings' }).click()
  await ann.getByRole('switch', { name: /Announcement channel/ }).click()
  await expect(noor.getByText('Only channel managers can post here.')).toBeVisible()
  await ann.getByRole('switch', { name: /Announcement channel/ }).click()
  await expect(composerOf(noor, '#garden beds')).toBeVisible()
  await ann.getByRole('button', { name: 'Make public' }).click()
  const warning = ann.getByRole('dialog', { name: 'Make this channel public' })
  await expect(warning).toContainText(/and \d+ more people will be able to find, read and join it/)
  await expect(warning).toContainText('the full history')
  await ann.keyboard.press('Escape')
  await ann.getByRole('button', { name: 'Archive', exact: true }).click()
  await ann
    .getByRole('dialog', { name: 'Archive this channel' })
    .getByRole('button', { name: 'Archive' })
    .click()
  await expect(noor.getByText('This channel is archived')).toBeVisible()
  await ann.getByRole('dialog').getByRole('button', { name: 'Unarchive' }).click()
  await expect(composerOf(noor, '#garden beds')).toBeVisible()

  // Removed while reading: an explanation and a way onward.
  await ann.getByRole('tab', { name: /People/ }).click()
  await ann.getByRole('button', { name: 'Options for Noor Haddad' }).click()
  await ann.getByRole('menuitem', { name: 'Remove from channel' }).click()
  await ann.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(noor.getByText('You no longer have access to #garden beds')).toBeVisible()
  await expect(rowOf(noor, 'garden beds')).toHaveCount(0)
  await ann.getByRole('dialog').getByRole('button', { name: 'Close' }).click()

  // Noor browses, joins and reads.
  await noor.getByRole('button', { name: 'Browse channels' }).click()
  await noor.getByRole('searchbox', { name: 'Search channels' }).fill('pharm')
  await noor.getByRole('button', { name: 'Leave pharmacy' }).click()
  await noor.getByRole('button', { name: 'Join pharmacy' }).click()
  await expect(noor.getByRole('button', { name: 'Leave pharmacy' })).toBeVisible()
  await noor.keyboard.press('Escape')

  // Ann creates a section and sorts by menu, mouse and keys; her other device follows.
  const tablet = await signIn(browser, demo, faults, 'ann', {
    viewport: { width: 1024, height: 1000 },
    hasTouch: true,
  })
  await choose(ann, 'welcome', 'Move to', 'New section')
  await ann.getByRole('textbox', { name: 'Section name' }).fill('Care')
  await ann.keyboard.press('Enter')
  await expect(rowsIn(ann, 'Care')).toHaveText(['welcome'])
  await dragRow(ann, rowOf(ann, 'announcements'), rowOf(ann, 'welcome'))
  await expect(rowsIn(ann, 'Care')).toHaveText(['announcements', 'welcome'])
  await rowOf(ann, 'announcements').focus()
  await ann.keyboard.press('Alt+Shift+ArrowDown')
  await expect(rowsIn(ann, 'Care')).toHaveText(['welcome', 'announcements'])
  await expect(rowOf(ann, 'announcements')).toBeFocused()
  await expect(ann.getByText('announcements moved to Care, position 2 of 2.')).toBeAttached()
  await expect(rowsIn(tablet, 'Care')).toHaveText(['welcome', 'announcements'])

  // A long press drags; without movement it opens the menu.
  const touchSession = await tablet.context().newCDPSession(tablet)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x = 0, y = 0) =>
    touchSession.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: type === 'touchEnd' ? [] : [{ x, y }],
    })
  // The rows can be below the end of the page.
  const center = (row: { scrollIntoView(options: object): void }) => row.scrollIntoView({ block: 'center' })
  await rowOf(tablet, 'announcements').evaluate(center)
  const from = (await rowOf(tablet, 'announcements').boundingBox())!
  const onto = (await rowOf(tablet, 'welcome').boundingBox())!
  await touch('touchStart', from.x + 40, from.y + 14)
  await expect(tablet.locator('[data-moving]')).toBeAttached()
  await touch('touchMove', from.x + 40, from.y - 10)
  await touch('touchMove', onto.x + 40, onto.y + 2)
  await touch('touchEnd')
  await expect(rowsIn(tablet, 'Care')).toHaveText(['announcements', 'welcome'])
  await expect(rowsIn(ann, 'Care')).toHaveText(['announcements', 'welcome'])
  await expect(tablet.locator('[data-moving]')).toHaveCount(0)
  const there = (await rowOf(tablet, 'announcements').boundingBox())!
  await touch('touchStart', there.x + 40, there.y + 14)
  await expect(tablet.locator('[data-moving]')).toBeAttached()
  await touch('touchEnd')
  // There are no notifications yet, so no notification levels are offered.
  await expect(tablet.getByRole('menuitem', { name: /Notifications/ })).toHaveCount(0)
  await tablet.getByRole('menuitem', { name: 'Mute', exact: true }).click()
  await expect(rowOf(ann, 'announcements, muted')).toBeVisible()

  // Without the server a change is shown at once, survives a reload, and is saved once the server can be reached.
  let cut = true
  await ann.context().route('**/rest/v1/**', (route) => (cut ? route.abort() : route.continue()))
  await choose(ann, 'building-works', 'Star')
  await expect(rowsIn(ann, 'Starred').filter({ hasText: 'building-works' })).toBeVisible()
  await expect.poll(() => storedOnDevice(ann, 'outbox')).toContain('starred')
  await ann.reload()
  await expect(rowsIn(ann, 'Starred').filter({ hasText: 'building-works' })).toBeVisible()
  cut = false
  await ann.evaluate("dispatchEvent(new Event('online'))")
  await expect(rowsIn(tablet, 'Starred').filter({ hasText: 'building-works' })).toBeVisible()
  await ann.reload()
  await expect(rowsIn(ann, 'Care')).toHaveText(['announcements', 'welcome'])
  await expect(rowsIn(ann, 'Starred').filter({ hasText: 'building-works' })).toBeVisible()

  // A collapsed group still shows unread conversations; a closed conversation reappears with its next message. By keyboard:
  // the sidebar of a page that was just loaded can still move between the press and the release of a mouse button.
  await groupOf(ann, 'People').getByRole('button', { name: 'People', expanded: true }).press('Enter')
  await expect(rowOf(ann, /^Tomás Ferreira/)).toHaveCount(0)
  await groupOf(ann, 'People').getByRole('button', { name: 'People', expanded: false }).press('Enter')
  await rowOf(ann, /^Noor Haddad/).click()
  await expect(headOf(ann)).toHaveText('Noor Haddad')
  await choose(ann, /^Noor Haddad/, 'Close conversation')
  await expect(headOf(ann)).not.toHaveText('Noor Haddad')
  await expect(rowOf(ann, /^Noor Haddad/)).toHaveCount(0)
  await rowOf(noor, /^Ann Okafor/).click()
  await sendMessage(noor, 'Ann Okafor', 'Are you still there?')
  await expect(rowOf(ann, /^Noor Haddad, .*unread/)).toBeVisible()
  await rowOf(ann, /^Noor Haddad/).click()
  await expect(messageOf(ann, 'Noor Haddad', 'Are you still there?')).toBeVisible()

  // The section is deleted; its conversations stay.
  await groupOf(ann, 'Care').getByRole('button', { name: 'Options for Care' }).click()
  await ann.getByRole('menuitem', { name: 'Delete section' }).click()
  await expect(groupOf(ann, 'Care')).toHaveCount(0)
  await expect(rowsIn(ann, 'Channels').filter({ hasText: 'welcome' })).toBeVisible()

  // Once only owners and admins may create channels and mention everyone, members are offered neither.
  await goTo(ann, '/settings/permissions')
  const answer = (question: RegExp, name: string) =>
    ann.getByRole('group', { name: question }).getByText(name, { exact: true }).click()
  await answer(/^Who can notify everyone/, 'Admins')
  await answer(/^Who can create channels/, 'Owners and admins')
  await expect(async () => {
    await sidebar(noor).getByRole('button', { name: 'Add a channel' }).click()
    await expect(noor.getByRole('menuitem', { name: 'Browse channels' })).toBeVisible()
    const offered = await noor.getByRole('menuitem', { name: 'Create a channel' }).count()
    await noor.keyboard.press('Escape')
    expect(offered).toBe(0)
  }).toPass()
  await rowOf(noor, 'kitchen').click()
  const field = composerOf(noor, '#kitchen')
  await field.fill('@her')
  await expect(noor.getByRole('option')).toHaveCount(0)
  await field.fill('@ann')
  await expect(noor.getByRole('option', { name: 'Ann Okafor' })).toBeVisible()
  await field.fill('')
  expect(faults).toEqual([])
})
