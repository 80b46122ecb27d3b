import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import sharp from 'sharp'
import type { ChannelEntry } from '../../../wire/channels.ts'
import { signInDemoClient, type DemoClient } from '../demoClient.ts'
import { startDemo } from '../startDemo.ts'
import { createSignInToken, emailOf, type Demo } from '../support.ts'
import { ARROW_UP, ENTER, ESCAPE, firstWindow, type BrowserWindow } from './browserWindow.ts'
import type { Driver, LaunchOptions } from './driver.ts'

const mobileSafari = (device: string, system: string): string =>
  `Mozilla/5.0 (${device}; CPU ${system} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1`

/** User agents that make libraries use the workarounds for iOS. */
const MOBILE_USER_AGENTS = {
  iPhone: mobileSafari('iPhone', 'iPhone OS 18_5'),
  iPad: mobileSafari('iPad', 'OS 18_5'),
}

const DESKTOP: LaunchOptions = { width: 1280, height: 800 }

const composer = (channel: string): string =>
  `:is(textarea, [role=textbox])[aria-label="Message #${channel}"]`
const list = (channel: string): string => `[role=log][aria-label="Messages in #${channel}"]`
const rows = (channel: string): string => `${list(channel)} article`

/**
 * The share of the list's height, in percent, that is covered by rows. A list whose rows aren't mounted is blank. Day
 * dividers and the gap below the last row take the rest.
 */
const COVERED = `
  const list = document.querySelector(arguments[0])
  if (!list) return 0
  const { top, bottom } = list.getBoundingClientRect()
  const heights = [...list.querySelectorAll('article')].map((row) => {
    const rect = row.getBoundingClientRect()
    return Math.max(0, Math.min(rect.bottom, bottom) - Math.max(rect.top, top))
  })
  return Math.round((100 * heights.reduce((sum, height) => sum + height, 0)) / (bottom - top))
`

/** The ids of the visible rows. */
const IN_VIEW = `
  const list = document.querySelector(arguments[0])
  if (!list) return []
  const { top, bottom } = list.getBoundingClientRect()
  const isInView = (row) => row.getBoundingClientRect().bottom > top && row.getBoundingClientRect().top < bottom
  return [...list.querySelectorAll('article')].filter(isInView).map((row) => row.id)
`

/**
 * Journeys in an engine that Playwright has no driver for. They share one backend, and those on a desktop one browser,
 * since starting it and signing in takes longer than most journeys. After a failed one, Playwright starts everything again.
 */
export function testJourneys(
  engine: 'Firefox' | 'WebKit',
  launch: (options: LaunchOptions) => Promise<Driver>,
): void {
  let demo: Demo
  let bea: DemoClient
  const drivers: Driver[] = []
  /** Those of the current journey. */
  const windows: BrowserWindow[] = []
  /** The browser of the journeys on a desktop, and Ann's window. */
  let desktop: { driver: Driver; window: BrowserWindow } | null = null

  test.beforeAll(async () => {
    demo = await startDemo()
    bea = await signInDemoClient(demo, 'bea')
    // A conversation with nothing unread opens at its end.
    const ann = await signInDemoClient(demo, 'ann')
    const entry = ann.bootstrap.channels.find((entry) => entry.channel.name === 'front-desk')!
    await ann.call('mark_read', {
      channel: entry.channel.id,
      seq: entry.counters.last_seq,
      read_version: entry.state.read_version,
    })
  })

  test.afterEach(async () => {
    const testInfo = test.info()
    if (testInfo.status !== testInfo.expectedStatus) {
      for (const [index, window] of windows.entries()) {
        const picture = await window.screenshot().catch(() => null)
        if (picture) writeFileSync(testInfo.outputPath(`window-${index + 1}.png`), picture)
      }
    }
    windows.length = 0
    const others = drivers.filter((driver) => driver !== desktop?.driver)
    drivers.length = 0
    if (desktop) drivers.push(desktop.driver)
    await Promise.all(others.map((driver) => driver.end()))
  })

  test.afterAll(async () => {
    await Promise.all(drivers.map((driver) => driver.end()))
    await demo?.end()
  })

  /** Ann in a new browser, signed in by an emailed link. */
  async function signInAnn(options: LaunchOptions): Promise<{ driver: Driver; window: BrowserWindow }> {
    const driver = await launch(options)
    drivers.push(driver)
    const ann = await firstWindow(driver)
    windows.push(ann)
    await ann.resize(options.width, options.height)
    const { url } = demo.server
    const email = emailOf(demo, 'ann')
    const token = await createSignInToken(demo.server, email)
    await ann.goto(`${url}/confirm?token_hash=${token}&type=email#${email}`)
    await ann.click('button')
    await expect
      .poll(() => ann.evaluate<string>('return location.pathname'), {
        message: 'the page after signing in',
      })
      .not.toContain('/confirm')
    await expect
      .poll(() => ann.evaluate<boolean>('return document.querySelector("nav a") !== null'))
      .toBe(true)
    return { driver, window: ann }
  }

  /** Ann on a desktop, signed in by the first journey that needs it. */
  async function annOnDesktop(): Promise<BrowserWindow> {
    if (desktop) windows.push(desktop.window)
    desktop ??= await signInAnn(DESKTOP)
    return desktop.window
  }

  const channel = (name: string): ChannelEntry => {
    const entry = bea.bootstrap.channels.find((entry) => entry.channel.name === name)
    if (!entry) throw new Error(`no channel ${name}`)
    return entry
  }

  async function openChannel(window: BrowserWindow, name: string): Promise<void> {
    await window.click(`nav a[href="/c/${channel(name).channel.id}"]`)
    await window.expectCount(composer(name), 1)
  }

  /** The messages with this text that the server has. */
  async function storedMessages(name: string, text: string) {
    const page = await bea.call('channel_page', { channel: channel(name).channel.id, limit: 100 })
    return page.messages.filter((message) => message.body === text)
  }

  async function expectStored(name: string, text: string): Promise<void> {
    await expect.poll(async () => (await storedMessages(name, text)).length, { message: text }).toBe(1)
  }

  /**
   * Scrolls by single turns of the wheel. On iPhone and iPad the list corrects its position 150 ms after the last one
   * (decision 0015), so that wheeling without a pause stays at the top of what was loaded.
   */
  async function wheelUntil(
    window: BrowserWindow,
    name: string,
    deltaY: number,
    isDone: () => Promise<boolean>,
  ): Promise<void> {
    await expect
      .poll(
        async () => {
          if (await isDone()) return true
          await window.wheel(list(name), deltaY)
          return false
        },
        { intervals: [250] },
      )
      .toBe(true)
  }

  async function expectFilledAndScrollable(window: BrowserWindow, name: string): Promise<void> {
    const { messages } = await bea.call('channel_page', { channel: channel(name).channel.id, limit: 100 })
    const inView = (): Promise<string[]> => window.evaluate(IN_VIEW, list(name))
    const covered = (): Promise<number> => window.evaluate(COVERED, list(name))
    const newest = messages.slice(10).map(({ id }) => `channel-${id}`)
    const isAtEnd = async (): Promise<boolean> => (await inView()).includes(newest.at(-1)!)
    await expect.poll(covered).toBeGreaterThan(70)
    await expect.poll(isAtEnd, { message: 'the newest message is in view' }).toBe(true)
    // Further back than the first loaded page, and to the end again.
    await wheelUntil(window, name, -600, async () => {
      const ids = await inView()
      return ids.length > 0 && !ids.some((id) => newest.includes(id))
    })
    await expect.poll(covered).toBeGreaterThan(70)
    await wheelUntil(window, name, 600, isAtEnd)
  }

  /** The focus returns to what opened a dialog, when Escape closes it. */
  async function expectFocusToReturn(window: BrowserWindow, opener: string): Promise<void> {
    await window.click(opener)
    await window.expectCount('dialog', 1)
    await window.type('dialog button', ESCAPE)
    await window.expectCount('dialog', 0)
    await expect
      .poll(() => window.evaluate<boolean>('return document.activeElement.matches(arguments[0])', opener))
      .toBe(true)
  }

  test(`${engine}: a long conversation opens at its end and scrolls back`, async () => {
    const ann = await annOnDesktop()
    await openChannel(ann, 'front-desk')
    await expectFilledAndScrollable(ann, 'front-desk')
    if (engine === 'Firefox') {
      // Without a colour Firefox draws light scrollbars in the dark theme.
      const color = 'return getComputedStyle(document.querySelector(arguments[0])).scrollbarColor'
      expect(await ann.evaluate(color, list('front-desk'))).not.toBe('auto')
    }
  })

  test(`${engine}: a message is sent and edited`, async () => {
    const ann = await annOnDesktop()
    await openChannel(ann, 'kitchen')
    await ann.type(composer('kitchen'), `The kettle is on.${ENTER}`)
    await ann.expectCount(rows('kitchen'), 1, 'The kettle is on.')
    await expectStored('kitchen', 'The kettle is on.')
    await ann.type(composer('kitchen'), ARROW_UP)
    await ann.type(':is(textarea, [role=textbox])[aria-label="Edit message"]', ` Tea?${ENTER}`)
    await ann.expectCount(rows('kitchen'), 1, 'The kettle is on. Tea?')
    await expectStored('kitchen', 'The kettle is on. Tea?')
    await expectFocusToReturn(ann, 'button[aria-label$="people in this conversation"]')
  })

  test(`${engine}: messages with files and the text after them reach the server`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'linnet-attach-'))
    try {
      const ann = await annOnDesktop()
      await openChannel(ann, 'rota')
      const background = { r: 214, g: 228, b: 240 }
      const picture = sharp({ create: { width: 640, height: 400, channels: 3, background } }).png()
      const files = { 'first.txt': 'Monday', 'second.png': await picture.toBuffer(), 'third.txt': 'Tuesday' }
      for (const [name, content] of Object.entries(files)) {
        writeFileSync(join(folder, name), content)
        await ann.chooseFile('input[type=file]', join(folder, name))
        await ann.expectCount('form', 1, name)
        await ann.type(composer('rota'), `With ${name}.${ENTER}`)
        await ann.type(composer('rota'), `After ${name}.${ENTER}`)
        await expectStored('rota', `With ${name}.`)
        await expectStored('rota', `After ${name}.`)
        const [message] = await storedMessages('rota', `With ${name}.`)
        expect(message!.attachments.map((attachment) => attachment.name)).toEqual([name])
        await ann.expectCount(rows('rota'), 1, `With ${name}.`)
      }
      await expectFocusToReturn(ann, 'button[aria-label="Open image second.png"]')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test(`${engine}: two windows show the same messages, also after the first one is closed`, async () => {
    const first = await annOnDesktop()
    await openChannel(first, 'welcome')
    const second = await first.open()
    windows.push(second)
    await second.goto(`${demo.server.url}/c/${channel('welcome').channel.id}`)
    await second.expectCount(composer('welcome'), 1)
    await first.type(composer('welcome'), `From the first.${ENTER}`)
    await second.expectCount(rows('welcome'), 1, 'From the first.')
    await second.type(composer('welcome'), `From the second.${ENTER}`)
    await first.expectCount(rows('welcome'), 1, 'From the second.')
    await first.close()
    windows.shift()
    // Ends with this journey: its window for the others is closed.
    desktop = null
    await bea.call('send_message', {
      id: randomUUID(),
      channel: channel('welcome').channel.id,
      body: 'From Bea.',
    })
    await second.expectCount(rows('welcome'), 1, 'From Bea.')
    await second.type(composer('welcome'), `Still here.${ENTER}`)
    await expectStored('welcome', 'Still here.')
  })

  for (const [device, userAgent] of Object.entries(MOBILE_USER_AGENTS)) {
    test(`${engine}: a long conversation opens filled on an ${device}`, async () => {
      const { window: ann } = await signInAnn({ width: 390, height: 844, userAgent })
      await openChannel(ann, 'front-desk')
      await expectFilledAndScrollable(ann, 'front-desk')
    })
  }
}
