import { expect, type Locator, type Request } from '@playwright/test'
import { PATHS } from '../../app/paths.ts'
import { findSmallTargets } from './findSmallTargets.ts'
import { findViolations } from './findViolations.ts'
import {
  createSignInToken,
  emailOf,
  enterDemo,
  goTo,
  laptopScreen,
  openChannel,
  person,
  phoneScreen,
  type Demo,
} from './support.ts'
import { test } from './sharedServer.ts'

let demo: Demo
let signIn = ''

/** The demo's workspace has long names, many languages, images and threads. */
test.beforeAll(async ({ createDemo }) => {
  demo = await createDemo()
  const { server } = demo
  const email = emailOf(demo, 'bea')
  signIn = `${server.url}/confirm?token_hash=${await createSignInToken(server, email)}&type=email#${email}`
})

test.afterAll(() => demo.end())

test('the pages conform to WCAG 2.2 AA, light and dark, wide and narrow', async ({ browser }) => {
  const console: string[] = []
  // Contrast is measured: colours must not be on their way from one theme to the other.
  const page = await person(browser, console, { ...laptopScreen, reducedMotion: 'reduce' })

  // A page with a violation is reported: an empty report alone would prove nothing.
  await page.setContent(
    '<html><body><img src="data:,"><p style="color:#eee;background:#fff">faint</p></body></html>',
  )
  expect(await findViolations(page)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^image-alt/), expect.stringMatching(/^color-contrast/)]),
  )

  await page.goto(`${demo.server.url}/sign-in`)
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  expect(await findViolations(page)).toEqual([])

  await page.goto(signIn)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('textbox', { name: /^Message / })).toBeVisible()
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    for (const width of [1440, 768, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await expect(page.getByRole('textbox', { name: /^Message / })).toBeVisible()
      // Only the colours depend on the theme.
      const rule = scheme === 'dark' ? 'color-contrast' : null
      expect.soft(await findViolations(page, rule), `a conversation, ${scheme}, ${width} wide`).toEqual([])
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  await openChannel(page, 'rota')
  // The composer, a code block and the row of its message end at the same edge, whatever the width of the window.
  const code = page.getByRole('log').locator('pre').last()
  await expect(code).toBeVisible()
  const rightOf = async (one: Locator): Promise<number> => {
    const box = (await one.boundingBox())!
    return Math.round(box.x + box.width)
  }
  const composer = await rightOf(page.locator('form').last())
  expect.soft(await rightOf(code), 'code').toBe(composer)
  const row = page
    .getByRole('article')
    .filter({ has: page.locator('pre') })
    .last()
  // With the gutter that its hover colour fills.
  expect.soft((await rightOf(row)) - 20, 'row').toBe(composer)
  await page
    .getByRole('button', { name: /^Open image/ })
    .last()
    .click()
  await expect(page.getByRole('dialog').getByRole('img')).toBeVisible()
  expect.soft(await findViolations(page), 'a picture, large').toEqual([])
  await page.keyboard.press('Escape')
  await goTo(page, '/search')
  await expect(page.getByRole('combobox', { name: 'Search messages' })).toBeFocused()
  expect.soft(await findViolations(page), 'an empty search').toEqual([])
  await page.keyboard.type('the from:zoe')
  await expect(
    page.getByRole('region', { name: 'Messages', exact: true }).locator('mark').first(),
  ).toBeVisible()
  await expect(page.getByText('Nobody is called “zoe”.')).toBeVisible()
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    const rule = scheme === 'dark' ? 'color-contrast' : null
    expect.soft(await findViolations(page, rule), `results of a search, ${scheme}`).toEqual([])
  }
  await page.keyboard.type(' from:')
  await expect(page.getByRole('option', { name: /Bea Lindqvist/ })).toBeVisible()
  expect.soft(await findViolations(page), 'a search with suggestions').toEqual([])
  await goTo(page, '/settings/security')
  await expect(page.getByRole('heading', { name: 'Active sessions' })).toBeVisible()
  expect.soft(await findViolations(page), 'account and security').toEqual([])
  await page.getByRole('button', { name: 'Add a two-factor method' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('img', { name: 'QR code' })).toBeVisible()
  expect.soft(await findViolations(page), 'the picture for an authenticator app').toEqual([])

  // Text follows the font size of the browser, and no page becomes wider than its window.
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Page.setFontSizes', { fontSizes: { standard: 32 } })
  for (const width of [1920, 768, 390]) {
    await page.setViewportSize({ width, height: 900 })
    for (const [path, title] of [
      ['/settings/profile', 'Profile'],
      ['/files', 'Files'],
      ['/threads', 'Threads'],
      ['/people', 'People'],
    ] as const) {
      await goTo(page, path)
      await expect(page.getByRole('main').getByRole('heading', { name: title }).first()).toHaveCSS(
        'font-size',
        '32px',
      )
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      expect.soft(overflow, `${path}, ${width} wide`).toBeLessThanOrEqual(0)
    }
  }
  expect(console).toEqual([])
})

/** The pages with a list, and all pages of the settings. */
const listPages = new Set([
  '/activity',
  '/unread',
  '/drafts',
  '/files',
  '/people',
  '/saved',
  '/scheduled',
  '/search',
  '/threads',
])
const pages = Object.values(PATHS).filter(
  (path) => (path.startsWith('/settings/') && !path.includes(':')) || listPages.has(path),
)

/** Dialogs of these pages, by the buttons that open them. */
const dialogs = [
  ['/settings/profile', 'Set a status'],
  ['/settings/notifications', 'Choose people'],
  ['/settings/security', 'Add a two-factor method'],
  ['/settings/leave', 'Leave workspace'],
  ['/settings/people', 'Invite people'],
  ['/settings/channels', 'Create channel'],
  ['/settings/bots', 'Add bot'],
  ['/settings/retention', 'Change: All channels'],
  ['/settings/retention', 'Set a limit for one channel'],
  ['/settings/groups', 'Create a group'],
  ['/people', 'Browse channels'],
] as const

/** Pages whose rows have another layout in a narrow window. */
const tables = new Set(['/settings/people', '/settings/channels', '/settings/audit'])

test('the pages of the settings and all lists conform to WCAG 2.2 AA', async ({ browser }) => {
  // About 30 pages.
  test.setTimeout(900_000)
  const console: string[] = []
  const page = await person(browser, console, { ...laptopScreen, reducedMotion: 'reduce' })
  const requests = new Set<Request>()
  page.on('request', (request) => requests.add(request))
  page.on('requestfinished', (request) => requests.delete(request))
  page.on('requestfailed', (request) => requests.delete(request))
  await enterDemo(page, demo, 'ann')
  await expect(page.getByRole('textbox', { name: /^Message / })).toBeVisible()
  const heading = page.getByRole('main').getByRole('heading', { level: 1 })
  for (const path of pages) {
    const before = (await heading.textContent()) ?? ''
    await goTo(page, path)
    await expect(heading).not.toHaveText(before)
    await expect.poll(() => requests.size).toBe(0)
    expect.soft(await findViolations(page, null, 'main'), path).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect.soft(await findViolations(page, 'color-contrast', 'main'), `${path}, dark`).toEqual([])
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 390, height: 844 })
    // The page renders its narrow layout after the next frame reports the new width. A browser without a window can omit
    // frames; a screenshot needs one.
    const overflow = async () => {
      await page.screenshot({ clip: { x: 0, y: 0, width: 1, height: 1 } })
      return await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    }
    await expect.poll(overflow, `${path}, 390 wide`).toBeLessThanOrEqual(0)
    if (tables.has(path))
      expect.soft(await findViolations(page, null, 'main'), `${path}, 390 wide`).toEqual([])
    await page.setViewportSize({ width: 1440, height: 900 })
  }
  expect(console).toEqual([])
})

test('a finger hits each control of the main pages on a phone', async ({ browser }) => {
  const console: string[] = []
  const page = await person(browser, console, { ...phoneScreen, reducedMotion: 'reduce' })

  // A small control is reported, unless a pseudo-element enlarges its hit area.
  await page.setContent(
    `<html><style>.large { position: relative } .large::after { content: ''; position: absolute; inset: -16px }</style>
    <body style="padding: 30px"><button style="height: 20px; width: 44px">Small</button>
    <button class="large" style="height: 20px; width: 44px; margin: 40px">Large</button></body></html>`,
  )
  expect(await findSmallTargets(page)).toEqual(['button “Small”: 44 × 20'])

  await enterDemo(page, demo, 'ann')
  const heading = page.getByRole('main').getByRole('heading', { level: 1 })
  await expect(page.getByRole('navigation').getByRole('link', { name: 'front-desk' })).toBeVisible()
  expect.soft(await findSmallTargets(page), 'the sidebar').toEqual([])
  await openChannel(page, 'front-desk')
  await expect(page.getByRole('log').getByRole('article').last()).toBeVisible()
  expect.soft(await findSmallTargets(page), 'a conversation').toEqual([])
  const paths = [
    'catchUp',
    'threads',
    'activity',
    'files',
    'people',
    'saved',
    'you',
    'peopleSettings',
  ] as const
  for (const name of paths) {
    const before = (await heading.textContent()) ?? ''
    await goTo(page, PATHS[name])
    await expect(heading).not.toHaveText(before)
    await expect(page.getByRole('main').getByRole('status', { name: /^Loading/ })).toHaveCount(0)
    expect.soft(await findSmallTargets(page), PATHS[name]).toEqual([])
  }
  expect(console).toEqual([])
})

test('the dialogs of the settings conform to WCAG 2.2 AA', async ({ browser }) => {
  const console: string[] = []
  const page = await person(browser, console, { ...laptopScreen, reducedMotion: 'reduce' })
  await enterDemo(page, demo, 'ann')
  await expect(page.getByRole('textbox', { name: /^Message / })).toBeVisible()
  for (const [path, name] of dialogs) {
    await goTo(page, path)
    await page.getByRole('main').getByRole('button', { name }).first().click()
    await expect(page.getByRole('dialog')).toBeVisible()
    expect.soft(await findViolations(page, null, 'dialog'), `${path}: ${name}`).toEqual([])
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  }
  expect(console).toEqual([])
})
