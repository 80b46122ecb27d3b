import sharp from 'sharp'
import { expect, type Browser, type Page } from '@playwright/test'
import {
  composerOf,
  enterDemo,
  expectText,
  goTo,
  inviteByLink,
  laptopScreen,
  leaveOverlays,
  messageOf,
  openChannel,
  person,
  phoneScreen,
  sendMessage,
  type Demo,
} from './support.ts'
import { clickNotification, recordedOf, recordNotifications } from './recordNotifications.ts'
import { test } from './sharedServer.ts'

test.describe.configure({ mode: 'serial' })

const CHOIR = 'Harbour Choir'
const pictures = process.env['LINNET_PICTURES']

let demo: Demo
let ann: Page
let bea: Page
let home: string
const faults: string[] = []
/** Requests fail while a page is offline, and after its reader was removed. */
const allowed = [/ERR_INTERNET_DISCONNECTED/, /404.*\/rpc\/(?:bootstrap|heartbeat)/]

async function enter(browser: Browser, nick: string, screen: object = laptopScreen): Promise<Page> {
  const page = await person(browser, faults, { ...screen, allowed })
  await enterDemo(page, demo, nick)
  return page
}

const sidebarOf = (page: Page, workspace: string) => page.getByRole('navigation', { name: workspace })
const openMenu = async (page: Page) => page.getByRole('button', { name: /^Workspace menu/ }).click()

/** Ann writes a message that mentions Bea. */
async function mentionBea(text: string): Promise<void> {
  await composerOf(ann, '#general').fill('@Bea')
  await expect(ann.getByRole('option', { name: /Bea/ })).toBeVisible()
  await ann.keyboard.press('Enter')
  await ann.keyboard.type(text)
  await ann.keyboard.press('Enter')
}

test.beforeAll(async ({ browser, createDemo }) => {
  demo = await createDemo()
  ;[ann, bea] = await Promise.all([enter(browser, 'ann'), enter(browser, 'bea')])
  await expect(bea.getByRole('link', { name: /^rota/ })).toBeVisible()
  home = (await bea.getByRole('navigation').first().getAttribute('aria-label'))!
})

test.afterAll(async () => {
  await Promise.all([ann.context().close(), bea.context().close()])
  await demo.end()
  expect(faults).toEqual([])
})

test('an owner creates a second workspace, and another account joins it by a link while signed in', async () => {
  await openMenu(ann)
  await ann.getByRole('menuitem', { name: 'Create a workspace' }).click()
  await ann.getByLabel('Workspace name').fill(CHOIR)
  await ann.keyboard.press('Enter')
  await expect(composerOf(ann, '#general')).toBeVisible()
  await expect(sidebarOf(ann, CHOIR)).toBeVisible()
  await expect(ann.getByRole('link', { name: /^rota/ })).toHaveCount(0)
  const link = await inviteByLink(ann)

  await bea.goto(link)
  await expect(bea.getByLabel('Your name')).toHaveValue(/^Bea/)
  await bea.getByRole('button', { name: `Join ${CHOIR}` }).click()
  await expect(sidebarOf(bea, CHOIR)).toBeVisible()
  await expect(bea.getByRole('link', { name: /^rota/ })).toHaveCount(0)
})

test('the last workspace opens again, and keys switch to another one', async () => {
  await bea.reload()
  await expect(sidebarOf(bea, CHOIR)).toBeVisible()
  await bea.keyboard.press('Control+Shift+Digit1')
  await expect(sidebarOf(bea, home)).toBeVisible()
  await expect(bea.getByRole('link', { name: /^rota/ })).toBeVisible()
  await openChannel(bea, 'rota')
  await expect(composerOf(bea, '#rota')).toBeVisible()
})

test('what is unread in the other workspace appears while the reader looks at this one', async () => {
  const dot = bea.getByRole('img', { name: 'Unread messages in another workspace' })
  await expect(dot).toHaveCount(0)
  // Both tabs show the first workspace, and record what they display.
  await recordNotifications(bea.context())
  const tab = await bea.context().newPage()
  for (const page of [bea, tab]) {
    await page.goto(bea.url())
    await expect(composerOf(page, '#rota')).toBeVisible()
  }
  await openChannel(ann, 'general')
  await sendMessage(ann, '#general', 'Rehearsal at seven')
  await expect(dot).toBeVisible()
  await expect(bea.getByText('Rehearsal at seven')).toHaveCount(0)
  await openMenu(bea)
  await expect(bea.getByRole('menuitemradio', { name: CHOIR })).toContainText('Unread')
  await mentionBea('bring the scores')
  await expect(bea.getByRole('menuitemradio', { name: CHOIR })).toContainText('1')
  if (pictures) await bea.screenshot({ path: `${pictures}/workspaces-menu.png` })
  await bea.keyboard.press('Escape')
  await leaveOverlays(bea)
  // Of the mention alone, by one of the tabs.
  const shown = { title: `#general · ${CHOIR}`, body: 'Ann Okafor: @Bea Lindqvist bring the scores' }
  await expect.poll(() => recordedOf(bea, tab)).toEqual([{ ...shown, closed: false }])
  const clicked = (await recordedOf(bea)).length > 0 ? bea : tab
  await clickNotification(clicked)
  await expect(sidebarOf(clicked, CHOIR)).toBeVisible()
  await expect(messageOf(clicked, '#general', 'Rehearsal at seven')).toBeVisible()
  expect(await recordedOf(bea, tab)).toEqual([{ ...shown, closed: true }])
  await tab.close()
  await bea.goto(`${demo.server.url}/`)
  await expect(bea.getByRole('navigation').first()).toBeVisible()
  if (clicked === tab) await bea.keyboard.press('Control+Shift+Digit2')
  await expect(sidebarOf(bea, CHOIR)).toBeVisible()
  await openChannel(bea, 'general')
  await expect(messageOf(bea, '#general', 'Rehearsal at seven')).toBeVisible()
})

test('a notification of the other workspace disappears when its message is deleted', async () => {
  // Requested when notifications start: earlier messages of another workspace are displayed by its badge only.
  const isStarted = bea.waitForRequest(/\/notification_preferences/)
  await bea.keyboard.press('Control+Shift+Digit1')
  await expect(sidebarOf(bea, home)).toBeVisible()
  await isStarted
  await mentionBea('come at six')
  // The same notification may contain the earlier mention, until its read marker is sent.
  const body = expect.stringMatching(/Ann Okafor: @Bea Lindqvist come at six$/)
  const last = async () => (await recordedOf(bea)).at(-1)
  await expect.poll(last).toMatchObject({ body, closed: false })
  const row = ann.getByLabel('Messages in #general').getByRole('article').filter({ hasText: 'come at six' })
  await row.hover()
  await row.getByRole('button', { name: 'More actions' }).click()
  await ann.getByRole('menuitem', { name: 'Delete message' }).click()
  await expect.poll(last).toMatchObject({ body, closed: true })
  await bea.keyboard.press('Control+Shift+Digit2')
  await expect(sidebarOf(bea, CHOIR)).toBeVisible()
  await openChannel(bea, 'general')
})

test('a message and a draft written offline stay in their workspace, and are sent after switching', async () => {
  await expect(composerOf(bea, '#general')).toBeVisible()
  await bea.context().setOffline(true)
  await composerOf(bea, '#general').fill('I will be late')
  await bea.keyboard.press('Enter')
  await expect(messageOf(bea, '#general', 'I will be late')).toBeVisible()
  await composerOf(bea, '#general').fill('Half a sentence')
  await bea.keyboard.press('Control+Shift+Digit1')
  await expect(sidebarOf(bea, home)).toBeVisible()
  await openChannel(bea, 'rota')
  await expectText(composerOf(bea, '#rota'), '')
  await expect(bea.getByText('I will be late')).toHaveCount(0)
  await expect(bea.getByText('Half a sentence')).toHaveCount(0)
  await bea.context().setOffline(false)
  await expect(messageOf(ann, '#general', 'I will be late')).toBeVisible()
  await goTo(bea, '/drafts')
  await expect(bea.getByRole('heading', { name: 'Drafts', exact: true })).toBeVisible()
  await expect(bea.getByText('Half a sentence')).toHaveCount(0)
  await bea.keyboard.press('Control+Shift+Digit2')
  await expect(sidebarOf(bea, CHOIR)).toBeVisible()
  await openChannel(bea, 'general')
  await expectText(composerOf(bea, '#general'), 'Half a sentence')
})

test('the address of a conversation opens its workspace', async () => {
  const there = bea.url()
  await bea.keyboard.press('ControlOrMeta+K')
  await bea.keyboard.type(home)
  await bea.getByRole('option', { name: `${home} Workspace` }).click()
  await expect(sidebarOf(bea, home)).toBeVisible()
  await leaveOverlays(bea)
  await bea.goto(there)
  await expect(sidebarOf(bea, CHOIR)).toBeVisible()
  await expect(messageOf(bea, '#general', 'Rehearsal at seven')).toBeVisible()
})

test('the owner sets an icon, which members see in their menu', async () => {
  const buffer = await sharp({ create: { width: 400, height: 300, channels: 3, background: '#2a7' } })
    .png()
    .toBuffer()
  await goTo(ann, '/settings/general')
  await ann
    .getByLabel('Icon', { exact: true })
    .setInputFiles({ name: 'choir.png', mimeType: 'image/png', buffer })
  await ann.getByRole('button', { name: 'Save picture' }).click()
  await expect(ann.getByRole('button', { name: 'Remove icon' })).toBeVisible()
  if (pictures) await ann.screenshot({ path: `${pictures}/workspace-icon.png` })
  // Also those who show another one, with the next message.
  await bea.keyboard.press('Control+Shift+Digit1')
  await expect(sidebarOf(bea, home)).toBeVisible()
  await openChannel(ann, 'general')
  await mentionBea('we have an icon')
  await expect(bea.getByRole('img', { name: 'Unread messages in another workspace' })).toBeVisible()
  await openMenu(bea)
  const icon = bea.getByRole('menuitemradio', { name: CHOIR }).locator('img')
  await expect(icon).toHaveJSProperty('naturalWidth', 256)
  await bea.getByRole('menuitemradio', { name: CHOIR }).click()
  await expect(sidebarOf(bea, CHOIR)).toBeVisible()
})

test('at 390 px the menu lists the workspaces', async ({ browser }) => {
  const phone = await enter(browser, 'bea', phoneScreen)
  await expect(phone.getByRole('button', { name: /^Workspace menu/ })).toBeVisible()
  await openMenu(phone)
  await expect(phone.getByRole('menuitemradio')).toHaveCount(2)
  await expect(phone.getByRole('menuitem', { name: 'Keyboard shortcuts' })).toHaveCount(0)
  if (pictures) await phone.screenshot({ path: `${pictures}/workspaces-menu-390.png` })
  expect(await phone.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  await phone.getByRole('menuitemradio', { name: CHOIR }).click()
  await expect(sidebarOf(phone, CHOIR)).toBeVisible()
  await expect(phone.getByRole('link', { name: /^general/ })).toBeVisible()
  await phone.context().close()
})

test('a person who is removed from the shown workspace learns why and when, and opens their other one', async () => {
  await expect(sidebarOf(bea, CHOIR)).toBeVisible()
  const rows = async (query: string, method = 'GET', body?: object) => {
    const key = demo.server.secretKey
    const headers = { apikey: key, 'content-type': 'application/json', prefer: 'return=representation' }
    const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }
    const response = await fetch(`${demo.server.url}/rest/v1/${query}`, init)
    return (await response.json()) as { id: string }[]
  }
  const [workspace] = await rows(`workspaces?name=eq.${encodeURIComponent(CHOIR)}`)
  const members = `workspace_members?workspace_id=eq.${workspace!.id}&role=eq.member`
  expect(await rows(members, 'PATCH', { state: 'deactivated' })).toHaveLength(1)
  // Without a reload.
  await expect(bea.getByRole('heading', { name: 'You’re no longer in this workspace' })).toBeVisible()
  await expect(bea.getByText(`Your access to ${CHOIR} was deactivated (today`)).toBeVisible()
  if (pictures) await bea.screenshot({ path: `${pictures}/workspace-ended.png` })
  await bea.getByRole('button', { name: `Open ${home}` }).click()
  await expect(sidebarOf(bea, home)).toBeVisible()
  await expect(bea.getByRole('link', { name: /^rota/ })).toBeVisible()
  await openMenu(bea)
  await expect(bea.getByRole('menuitem', { name: 'Settings' })).toBeVisible()
  await expect(bea.getByRole('menuitemradio')).toHaveCount(0)
})
