import { expect, test, type Browser, type BrowserContextOptions, type Page } from '@playwright/test'
import sharp from 'sharp'
import {
  composerOf,
  inviteByLink,
  messageOf,
  nextMail,
  openHouse,
  openInvite,
  openSettings,
  person,
  say,
  setUp,
  type House,
} from './support.ts'

/** A picture with something to see, made here so that no file stands for it. */
const rota = (): Promise<Buffer> =>
  sharp({ create: { width: 640, height: 400, channels: 3, background: { r: 214, g: 228, b: 240 } } })
    .png()
    .toBuffer()

/** Invites by mail and answers how Bea comes in: the mailed link, pressed once. */
async function inviteByMail(ann: Page, house: House): Promise<string> {
  await openInvite(ann)
  await ann.getByLabel('E-mail address').fill('bea@harbour.example')
  await ann.getByRole('button', { name: 'Send invitation' }).click()
  const { link } = await nextMail(house, 'bea@harbour.example', 0)
  await ann.keyboard.press('Escape')
  return link
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Workspace menu' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
}

async function askForMail(page: Page, address: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(address)
  await page.getByRole('button', { name: 'Send me a link' }).click()
  await expect(page.getByRole('heading', { name: 'Check your mail' })).toBeVisible()
}

/** On a phone the side is a page of its own. */
async function showSide(page: Page): Promise<void> {
  const back = page.getByRole('link', { name: 'Back' })
  if (await back.isVisible()) await back.click()
}

/** What the sockets that a page opens from now on are told, as it comes. */
function framesOf(page: Page): string[] {
  const frames: string[] = []
  page.on('websocket', (socket) => {
    socket.on('framereceived', ({ payload }) => frames.push(payload.toString()))
  })
  return frames
}

async function story(browser: Browser, options: BrowserContextOptions): Promise<void> {
  const house = await openHouse()
  const faults: string[] = []
  // While the server is dead the browser itself reports each refused connection.
  const allowed = [/net::ERR_/, /WebSocket connection to .* failed/]
  try {
    const ann = await person(browser, faults, { ...options, allowed })
    const told = framesOf(ann)
    await setUp(ann, house)
    await showSide(ann)
    const link = await inviteByLink(ann)
    expect(new URL(link).pathname).toBe('/join')
    const mailed = await inviteByMail(ann, house)
    await ann.getByRole('link', { name: /front-desk/ }).click()

    // Bea, elsewhere, opens the mailed link: it shows who invites, and signs in on a press only.
    const bea = await person(browser, faults, { ...options, allowed })
    await bea.goto(mailed)
    await expect(bea.getByRole('heading', { name: 'Join Harbour Street' })).toBeVisible()
    await bea.getByLabel('Your name').fill('Bea Lindqvist')
    await bea.getByRole('button', { name: 'Join Harbour Street' }).click()
    await expect(composerOf(bea, '#front-desk')).toBeVisible()

    // They write to each other, live.
    await say(ann, '#front-desk', 'Good morning, Bea.')
    await expect(messageOf(bea, '#front-desk', 'Good morning, Bea.')).toBeVisible()
    await say(bea, '#front-desk', 'Good morning. Is the rota done?')
    await expect(messageOf(ann, '#front-desk', 'Good morning. Is the rota done?')).toBeVisible()
    // Told by the socket too: what is fetched alone would hide that nothing is told any more.
    await expect.poll(() => told.some((frame) => frame.includes('Is the rota done?'))).toBe(true)

    // A picture of Ann's arrives whole.
    await ann
      .locator('input[type=file]')
      .setInputFiles({ name: 'rota.png', mimeType: 'image/png', buffer: await rota() })
    await composerOf(ann, '#front-desk').fill('Here it is.')
    await ann.getByRole('button', { name: 'Send', exact: true }).click()
    const picture = bea.getByRole('button', { name: 'Show the picture rota.png' }).locator('img')
    await expect(picture).toBeVisible()
    await expect
      .poll(() => picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBeGreaterThan(0)

    // What Bea has not seen counts for her: she has touched what is there, and is elsewhere while Ann writes on.
    await messageOf(bea, '#front-desk', 'Here it is.').click()
    await showSide(bea)
    await openSettings(bea)
    await say(ann, '#front-desk', 'The door code is new.')
    await showSide(bea)
    await expect(bea.getByRole('link', { name: /front-desk.*1 unread/ })).toBeVisible()
    await bea.getByRole('link', { name: /front-desk/ }).click()
    await expect(messageOf(bea, '#front-desk', 'The door code is new.')).toBeVisible()

    // The cookie keeps both signed in over a reload.
    for (const page of [ann, bea]) {
      await page.reload()
      await expect(messageOf(page, '#front-desk', 'The door code is new.')).toBeVisible()
    }

    // Out and in again: Ann by the mailed link, in this browser (PKCE); Bea by the code.
    await showSide(ann)
    await signOut(ann)
    await askForMail(ann, 'ann@harbour.example')
    await ann.goto((await nextMail(house, 'ann@harbour.example', 1)).link)
    await ann.getByRole('button', { name: 'Continue' }).click()
    await showSide(bea)
    await signOut(bea)
    await askForMail(bea, 'bea@harbour.example')
    await bea.getByLabel('6-digit code').fill((await nextMail(house, 'bea@harbour.example', 1)).code)
    await bea.getByRole('button', { name: 'Continue' }).click()
    for (const page of [ann, bea]) {
      await showSide(page)
      await page.getByRole('link', { name: /front-desk/ }).click()
      await expect(messageOf(page, '#front-desk', 'The door code is new.')).toBeVisible()
    }

    // The server dies in the middle and comes back: everything shown as sent is there, once.
    await say(ann, '#front-desk', 'Before the cut.')
    await expect(messageOf(bea, '#front-desk', 'Before the cut.')).toBeVisible()
    await house.killAndStart()
    await composerOf(ann, '#front-desk').fill('After the cut.')
    await ann.getByRole('button', { name: 'Send', exact: true }).click()
    await expect(messageOf(bea, '#front-desk', 'After the cut.')).toBeVisible({ timeout: 40_000 })
    for (const page of [ann, bea]) {
      await page.reload()
      for (const words of [
        'Good morning, Bea.',
        'The door code is new.',
        'Before the cut.',
        'After the cut.',
      ]) {
        await expect(messageOf(page, '#front-desk', words)).toHaveCount(1)
      }
    }
    expect(faults).toEqual([])
  } finally {
    await house.end()
  }
}

test('two people talk in Linnet', async ({ browser }) => {
  await story(browser, { viewport: { width: 1440, height: 900 } })
})

test('two people talk in Linnet on phones', async ({ browser }) => {
  await story(browser, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
})
