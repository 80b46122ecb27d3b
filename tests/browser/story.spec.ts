import {
  expect,
  test,
  type Browser,
  type BrowserContextOptions,
  type Locator,
  type Page,
} from '@playwright/test'
import sharp from 'sharp'
import {
  askForSetUp,
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

/** Ann sets Linnet up with the mailed link, in a second tab: what she entered in the first is not requested again. */
async function setUpByLink(waiting: Page, house: House): Promise<Page> {
  await expectFocus(waiting.getByLabel('Your name'), () => waiting.goto(house.server.setupUrl!))
  await askForSetUp(waiting, house)
  await expect(waiting.getByRole('heading', { name: 'Check your email' })).toBeVisible()
  await expect(waiting.getByText('We sent an email to ann@harbour.example.')).toBeVisible()
  await expect(waiting.getByLabel('6-digit code')).toBeFocused()
  const page = await waiting.context().newPage()
  await page.goto((await nextMail(house, 'ann@harbour.example', 0)).link)
  await expect(page.getByRole('heading', { name: 'Create Harbour Street' })).toBeVisible()
  await page.getByRole('button', { name: 'Create workspace' }).click()
  await expect(composerOf(page, '#front-desk')).toBeVisible()
  await waiting.close()
  return page
}

async function expectFocus(field: Locator, open: () => Promise<unknown>): Promise<void> {
  await open()
  await expect(field).toBeFocused()
}

/** Invites by mail; Bea opens the mailed link: it shows who invites, and signs in on a press only. */
async function joinByMail(ann: Page, bea: Page, house: House): Promise<void> {
  await openInvite(ann)
  // A link is listed from when it is created until it is revoked.
  const listed = ann.getByRole('region', { name: 'Pending invitations' })
  await ann.getByRole('button', { name: 'Create link' }).click()
  const links = listed.getByRole('button', { name: /^Revoke link/ })
  await expect(links).toHaveCount(2)
  await links.first().click()
  await listed.getByRole('button', { name: 'Revoke', exact: true }).click()
  await expect(listed.getByRole('listitem')).toHaveCount(1)
  await ann.getByLabel('Email address').fill('bea@harbour.example')
  await ann.getByRole('button', { name: 'Send invitation' }).click()
  await expect(ann.getByText('Invitation sent to bea@harbour.example.')).toBeVisible()
  await expect(listed.getByText('bea@harbour.example', { exact: true })).toBeVisible()
  const { link, text } = await nextMail(house, 'bea@harbour.example', 0)
  expect(text).toContain('Ann Okafor invited you to Harbour Street')
  await ann.keyboard.press('Escape')
  await bea.goto(link)
  await expect(bea.getByRole('heading', { name: 'Join Harbour Street' })).toBeVisible()
  await bea.getByLabel('Your name').fill('Bea Lindqvist')
  await bea.getByRole('button', { name: 'Join Harbour Street' }).click()
}

/** Without a mail server the invitation is a link, and each page states where the code is; here Ann gives it to Bea. */
async function joinByLink(link: string, bea: Page, house: House): Promise<void> {
  await bea.goto(link)
  await bea.getByLabel('Your name').fill('Bea Lindqvist')
  await bea.getByLabel('Email address').fill('bea@harbour.example')
  await bea.getByRole('button', { name: 'Continue' }).click()
  await expect(bea.getByText('The code for bea@harbour.example is in the server’s mailbox')).toBeVisible()
  // Nothing that reaches her browser has the mailbox's address.
  expect(await bea.content()).not.toContain('/mailbox/')
  await bea.getByLabel('6-digit code').fill((await nextMail(house, 'bea@harbour.example', 0)).code)
  await bea.getByRole('button', { name: 'Continue' }).click()
}

/** Cem joins by the shared link, and opens the emailed one in a second tab: his name is not requested again. */
async function joinInSecondTab(link: string, waiting: Page, house: House): Promise<void> {
  await expectFocus(waiting.getByLabel('Your name'), () => waiting.goto(link))
  await waiting.getByLabel('Your name').fill('Cem Aydin')
  await waiting.getByLabel('Email address').fill('cem@harbour.example')
  await waiting.getByRole('button', { name: 'Continue' }).click()
  const page = await waiting.context().newPage()
  await page.goto((await nextMail(house, 'cem@harbour.example', 0)).link)
  await expect(page.getByRole('button', { name: 'Join Harbour Street' })).toBeVisible()
  await expect(page.getByLabel('Your name')).toHaveCount(0)
  await page.getByRole('button', { name: 'Join Harbour Street' }).click()
  await expect(composerOf(page, '#front-desk')).toBeVisible()
  await page.context().close()
}

/** Ann gives the workspace another name; Bea sees it at once. */
async function rename(ann: Page, bea: Page): Promise<void> {
  await openSettings(ann)
  await ann.getByLabel('Workspace name').fill('Harbour Street 7')
  await ann.getByRole('button', { name: 'Save' }).click()
  await expect(bea.getByRole('navigation', { name: 'Harbour Street 7' })).toBeVisible()
  await ann.getByRole('link', { name: /front-desk/ }).click()
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Workspace menu' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
}

async function askForMail(page: Page, address: string): Promise<void> {
  await page.getByLabel('Email address').fill(address)
  await page.getByRole('button', { name: /^(Send me a link|Get a code)$/ }).click()
  await expect(page.getByRole('heading', { name: /^(Check your email|Enter your code)$/ })).toBeVisible()
}

/** On a phone the side is a page of its own. */
async function showSide(page: Page): Promise<void> {
  const back = page.getByRole('link', { name: 'Back' })
  if (await back.isVisible()) await back.click()
}

/** The frames that the sockets of these pages receive. */
function framesOf(first: Page): string[] {
  const frames: string[] = []
  const watch = (page: Page): void => {
    page.on('websocket', (socket) => {
      socket.on('framereceived', ({ payload }) => frames.push(payload.toString()))
    })
  }
  watch(first)
  first.context().on('page', watch)
  return frames
}

async function story(browser: Browser, options: BrowserContextOptions, sendsMail: boolean): Promise<void> {
  const house = await openHouse({ sendsMail })
  const faults: string[] = []
  // While the server is dead the browser itself reports each refused connection.
  const allowed = [/net::ERR_/, /WebSocket connection to .* failed/]
  try {
    const first = await person(browser, faults, { ...options, allowed })
    const frames = framesOf(first)
    const ann = sendsMail ? await setUpByLink(first, house) : first
    if (!sendsMail) await setUp(ann, house)
    await showSide(ann)
    const link = await inviteByLink(ann)
    expect(new URL(link).pathname).toBe('/join')

    const bea = await person(browser, faults, { ...options, allowed })
    if (sendsMail) {
      await joinByMail(ann, bea, house)
      await joinInSecondTab(link, await person(browser, faults, { ...options, allowed }), house)
    } else {
      await openInvite(ann)
      await expect(
        ann.getByText('No mail server is set up, so Linnet can’t email invitations.'),
      ).toBeVisible()
      await expect(ann.getByRole('button', { name: 'Send invitation' })).toHaveCount(0)
      await ann.keyboard.press('Escape')
      await joinByLink(link, bea, house)
    }
    await expect(composerOf(bea, '#front-desk')).toBeVisible()
    // Only owners and admins can invite, so only they see the button.
    await expect(bea.getByRole('button', { name: 'Invite people' })).toHaveCount(0)
    if (sendsMail) await rename(ann, bea)
    else await ann.getByRole('link', { name: /front-desk/ }).click()

    // They write to each other, live.
    await say(ann, '#front-desk', 'Good morning, Bea.')
    await expect(messageOf(bea, '#front-desk', 'Good morning, Bea.')).toBeVisible()
    await say(bea, '#front-desk', 'Good morning. Is the rota done?')
    await expect(messageOf(ann, '#front-desk', 'Good morning. Is the rota done?')).toBeVisible()
    // Received by the socket too: a fetch alone would hide that the socket receives nothing.
    await expect.poll(() => frames.some((frame) => frame.includes('Is the rota done?'))).toBe(true)

    // A picture of Ann's arrives whole.
    await ann
      .locator('input[type=file]')
      .setInputFiles({ name: 'rota.png', mimeType: 'image/png', buffer: await rota() })
    await composerOf(ann, '#front-desk').fill('Here it is.')
    await ann.getByRole('button', { name: 'Send', exact: true }).click()
    const picture = bea.getByRole('button', { name: 'Open image rota.png' }).locator('img')
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

test('two people talk in Linnet, invited by mail', async ({ browser }) => {
  await story(browser, { viewport: { width: 1440, height: 900 } }, true)
})

test('two people talk in Linnet on phones, without a mail server', async ({ browser }) => {
  await story(browser, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }, false)
})
