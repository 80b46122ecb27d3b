import { expect, type Browser, type Page } from '@playwright/test'
import sharp from 'sharp'
import { composerOf, enterDemo, messageOf, person, sendMessage, type Demo } from './support.ts'
import { signInDemoClient } from './demoClient.ts'
import { test } from './sharedServer.ts'

const MINUTE = 60_000

/** The demo's workspace, in which Ann is an owner, Bea a member and Gus a guest. */
async function signIn(browser: Browser, demo: Demo, faults: string[], nick: string): Promise<Page> {
  const page = await person(browser, faults, {
    viewport: { width: 1440, height: 900 },
    // The browser reports each request without a network.
    allowed: [/net::ERR_/, /WebSocket/],
  })
  // Half an hour behind: after one hour more, a status of one hour has expired and no token has. Further behind, the
  // server would see the status as expired at once and clear it.
  await page.clock.install({ time: Date.now() - 30 * MINUTE })
  await enterDemo(page, demo, nick)
  await expect(page.getByRole('textbox', { name: /^Message / })).toBeVisible()
  return page
}

const rowOf = (page: Page, name: string): ReturnType<Page['getByRole']> =>
  page.getByRole('navigation').getByRole('link', { name })

/** Selects from the user's own presence menu. */
async function choosePresence(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^Ann Okafor, / }).click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}

/** Red on the left and blue on the right, with a position in its metadata. */
const photo = (): Promise<Buffer> =>
  sharp({ create: { width: 600, height: 300, channels: 3, background: 'blue' } })
    .composite([
      { input: { create: { width: 300, height: 300, channels: 3, background: 'red' } }, left: 0, top: 0 },
    ])
    .withExif({ IFD0: { Artist: 'Ann' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
    .jpeg()
    .toBuffer()

/** Ann crops a picture to its left half: Bea sees it at once, without metadata, and initials after it is removed. */
async function changesAvatar(ann: Page, bea: Page, demo: Demo): Promise<void> {
  const { server } = demo
  const inSidebar = rowOf(bea, 'Ann Okafor').locator('img')
  await expect(rowOf(bea, 'Ann Okafor')).toBeVisible()
  await expect(inSidebar).toHaveCount(0)
  await choosePresence(ann, 'Settings')
  const choose = (buffer: Buffer) =>
    ann
      .getByLabel('Picture', { exact: true })
      .setInputFiles({ name: 'me.jpg', mimeType: 'image/jpeg', buffer })
  await choose(Buffer.from('This is no picture.'))
  await expect(ann.getByRole('alert').filter({ hasText: 'isn’t an image' })).toBeVisible()
  await choose(await photo())
  const crop = ann.getByRole('dialog', { name: 'Crop picture' })
  await crop.getByRole('group', { name: /^Picture/ }).focus()
  for (let step = 0; step < 10; step += 1) await ann.keyboard.press('Shift+ArrowRight')
  await crop.getByRole('button', { name: 'Save picture' }).click()
  await expect(crop).toBeHidden()

  await expect(inSidebar).toHaveJSProperty('naturalWidth', 256)
  const headers = { apikey: server.secretKey }
  const { avatar } = (await signInDemoClient(demo, 'ann')).bootstrap.me!.profile
  const stored = await fetch(`${server.url}/storage/v1/object/avatars/${avatar}`, { headers })
  const image = sharp(Buffer.from(await stored.arrayBuffer()))
  const { width, height, format, exif } = await image.metadata()
  expect({ width, height, format, exif }).toEqual({
    width: 256,
    height: 256,
    format: 'webp',
    exif: undefined,
  })
  const { dominant } = await image.stats()
  expect(dominant.r).toBeGreaterThan(200)
  expect(dominant.b).toBeLessThan(50)

  await ann.getByRole('button', { name: 'Remove picture' }).click()
  await expect(inSidebar).toHaveCount(0)
  await expect(ann.getByRole('button', { name: 'Upload picture' })).toBeFocused()
  await ann.goBack()
}

test('people find each other and see presence, status and pictures', async ({ browser, demo }) => {
  const faults: string[] = []
  const [ann, bea, gus] = await Promise.all([
    signIn(browser, demo, faults, 'ann'),
    signIn(browser, demo, faults, 'bea'),
    signIn(browser, demo, faults, 'gus'),
  ])

  // A name opens the profile, and the profile the one conversation with its person.
  await rowOf(ann, 'kitchen').click()
  await ann
    .getByLabel('Messages in #kitchen')
    .getByRole('button', { name: 'Noor Haddad', exact: true })
    .last()
    .click()
  const card = ann.getByRole('dialog', { name: 'Noor Haddad' })
  await expect(card).toContainText('Member')
  await card.press('Escape')
  await expect(card).toBeHidden()
  await ann.keyboard.press('ControlOrMeta+k')
  await ann.getByRole('combobox', { name: 'Jump to' }).fill('people')
  // The group of the best match is the first one; the search of messages is the last.
  const groups = ann.getByRole('listbox', { name: 'Results' }).getByRole('group')
  await expect(groups.first()).toHaveAccessibleName('Pages')
  await expect(groups.last()).toHaveAccessibleName('Messages')
  await ann.keyboard.press('Enter')
  await ann.getByRole('searchbox', { name: 'Search people' }).fill('gus')
  await ann.keyboard.press('Enter')
  await expect(ann.getByRole('dialog', { name: 'Gus Patel' })).toContainText('Guest')
  await ann.getByRole('button', { name: 'Message', exact: true }).click()
  await sendMessage(ann, 'Gus Patel', 'Welcome, Gus.')
  // The header opens the person; blocking is in the menu, apart from "Message".
  await ann
    .getByRole('heading', { level: 1 })
    .getByRole('button', { name: /Gus Patel/ })
    .click()
  const gusCard = ann.getByRole('dialog', { name: 'Gus Patel' })
  await expect(gusCard.getByRole('button', { name: 'Message', exact: true })).toBeVisible()
  await gusCard.getByRole('button', { name: 'Manage Gus Patel' }).click()
  await expect(ann.getByRole('menuitem', { name: 'Block' })).toBeVisible()
  await ann.keyboard.press('Escape')
  await ann.keyboard.press('Escape')
  await expect(gusCard).toBeHidden()
  await rowOf(gus, 'Ann Okafor').click()
  await expect(messageOf(gus, 'Ann Okafor', 'Welcome, Gus.')).toBeVisible()

  // Three people have one conversation, however it is started.
  for (const words of ['Hello both.', 'Hello again.']) {
    await ann.getByRole('button', { name: 'New conversation' }).click()
    if (words === 'Hello both.') {
      await ann.getByRole('checkbox', { name: /Bea Lindqvist/ }).check()
      await ann.getByRole('checkbox', { name: /Gus Patel/ }).check()
      await ann.getByRole('button', { name: 'Start conversation' }).click()
    } else {
      // A comma selects a person, and Enter selects one and opens the conversation.
      await ann.getByRole('searchbox', { name: 'Search people' }).fill('bea')
      await ann.keyboard.press(',')
      await expect(ann.getByRole('checkbox', { name: /Bea Lindqvist/ })).toBeChecked()
      await expect(ann.getByRole('searchbox', { name: 'Search people' })).toHaveValue('')
      await ann.keyboard.type('gus')
      await ann.keyboard.press('Enter')
    }
    // The composer behind an open dialog receives no text: it goes into the dialog's search.
    await expect(ann.getByRole('dialog')).toBeHidden()
    await expect(composerOf(ann, 'Bea, Gus')).toBeFocused()
    await sendMessage(ann, 'Bea, Gus', words)
  }
  await rowOf(bea, 'Ann, Gus').click()
  await rowOf(gus, 'Ann, Bea').click()
  for (const words of ['Hello both.', 'Hello again.']) {
    await expect(messageOf(bea, 'Ann, Gus', words)).toBeVisible()
    await expect(messageOf(gus, 'Ann, Bea', words)).toBeVisible()
  }

  // Notes are private.
  await ann.keyboard.press('ControlOrMeta+k')
  // Keys typed while the dialog opens reach it, and not the composer.
  await ann.keyboard.type('notes')
  await expect(ann.getByRole('combobox', { name: 'Jump to' })).toHaveValue('notes')
  await ann.keyboard.press('Enter')
  await ann.getByRole('textbox', { name: 'Write a note' }).fill('Ask Bea about the keys.')
  await ann.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(messageOf(ann, 'Notes to yourself', 'Ask Bea about the keys.')).toBeVisible()

  await changesAvatar(ann, bea, demo)

  // Ann's status is shown to Bea at once and expires by itself, without a request.
  await rowOf(bea, 'Ann Okafor').click()
  await expect(composerOf(bea, 'Ann Okafor')).toBeVisible()
  await choosePresence(ann, 'Set a status')
  await ann.getByRole('button', { name: 'In a meeting' }).click()
  await ann.getByRole('button', { name: 'Save' }).click()
  await expect(rowOf(bea, 'Ann Okafor')).toContainText('In a meeting')
  await ann.getByRole('main').getByRole('button', { name: 'Ann Okafor' }).first().click()
  await expect(ann.getByRole('dialog').getByRole('button', { name: 'Change status' })).toBeVisible()
  await ann.keyboard.press('Escape')
  await expect(bea.getByRole('main').getByRole('img', { name: 'In a meeting' }).first()).toBeVisible()
  await choosePresence(ann, 'Do not disturb for 1 hour')
  await expect(rowOf(bea, 'Ann Okafor, Do not disturb')).toBeVisible()
  await bea.context().setOffline(true)
  await bea.clock.fastForward(60.5 * MINUTE)
  await expect(rowOf(bea, 'Ann Okafor, Do not disturb')).toHaveCount(0)
  await expect(rowOf(bea, 'Ann Okafor')).not.toContainText('In a meeting')
  await expect(bea.getByRole('img', { name: 'In a meeting' })).toHaveCount(0)
  expect(faults).toEqual([])
})
