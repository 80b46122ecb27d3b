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
  composerOf,
  inviteByLink,
  laptopScreen,
  messageOf,
  nextMail,
  openInvite,
  openSettings,
  person,
  requestSetupMail,
  sendMessage,
  setUp,
  startTestInstance,
  type TestInstance,
} from './support.ts'

/** An image created here, so that no file is needed. */
const rota = (): Promise<Buffer> =>
  sharp({ create: { width: 640, height: 400, channels: 3, background: { r: 214, g: 228, b: 240 } } })
    .png()
    .toBuffer()

/**
 * Ann sets Linnet up with the emailed link, in a second tab. Her entries of the first tab are not requested again.
 */
async function setUpByLink(waiting: Page, instance: TestInstance): Promise<Page> {
  await expectFocus(waiting.getByLabel('Your name'), () => waiting.goto(instance.server.setupUrl!))
  await requestSetupMail(waiting, instance)
  await expect(waiting.getByRole('heading', { name: 'Check your email' })).toBeVisible()
  await expect(waiting.getByText('We sent an email to ann@harbour.example.')).toBeVisible()
  await expect(waiting.getByLabel('6-digit code')).toBeFocused()
  const page = await waiting.context().newPage()
  await page.goto((await nextMail(instance, 'ann@harbour.example', 0)).link)
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

/**
 * Ann invites by email, and Bea opens the emailed link. The page shows who invites, and signs in only after a click.
 */
async function joinByMail(ann: Page, bea: Page, instance: TestInstance): Promise<void> {
  await openInvite(ann)
  // A link is listed from its creation until it is revoked.
  const listed = ann.getByRole('region', { name: 'Pending invitations' })
  await ann.getByRole('button', { name: 'Create link' }).click()
  const links = listed.getByRole('button', { name: /^Revoke link/ })
  await expect(links).toHaveCount(2)
  await links.first().click()
  await ann.getByRole('button', { name: 'Revoke link', exact: true }).click()
  await expect(listed.getByRole('listitem')).toHaveCount(1)
  await ann.getByLabel('Email address').fill('bea@harbour.example')
  await ann.getByRole('button', { name: 'Send invitation' }).click()
  await expect(ann.getByText('1 invitation is on the way.')).toBeVisible()
  await expect(listed.getByText('bea@harbour.example', { exact: true })).toBeVisible()
  const { link, text } = await nextMail(instance, 'bea@harbour.example', 0)
  expect(text).toContain('Ann Okafor invited you to Harbour Street')
  await ann.keyboard.press('Escape')
  await bea.goto(link)
  await expect(bea.getByRole('heading', { name: 'Join Harbour Street' })).toBeVisible()
  await bea.getByLabel('Your name').fill('Bea Lindqvist')
  await bea.getByRole('button', { name: 'Join Harbour Street' }).click()
}

/**
 * Without a mail server the invitation is a link, and each page states where the code is. Here Ann gives it to Bea.
 */
async function joinByLink(link: string, bea: Page, instance: TestInstance): Promise<void> {
  await bea.goto(link)
  await bea.getByLabel('Your name').fill('Bea Lindqvist')
  await bea.getByLabel('Email address').fill('bea@harbour.example')
  await bea.getByRole('button', { name: 'Continue' }).click()
  await expect(
    bea.getByText('Ask the server’s administrator for the code for bea@harbour.example'),
  ).toBeVisible()
  // Nothing in her browser contains the mailbox's URL.
  expect(await bea.content()).not.toContain('/mailbox/')
  await bea.getByLabel('6-digit code').fill((await nextMail(instance, 'bea@harbour.example', 0)).code)
  await bea.getByRole('button', { name: 'Continue' }).click()
  await expect(bea.getByRole('heading', { name: 'Choose how you’ll sign in next time' })).toBeVisible()
  // A reload does not skip it.
  await bea.reload()
  await bea.getByLabel('New password').fill('orchids on the sill')
  await bea.getByRole('button', { name: 'Save password' }).click()
}

/** Cem joins by the shared link, and opens the emailed link in a second tab. His name is not requested again. */
async function joinInSecondTab(link: string, waiting: Page, instance: TestInstance): Promise<void> {
  await expectFocus(waiting.getByLabel('Your name'), () => waiting.goto(link))
  await waiting.getByLabel('Your name').fill('Cem Aydin')
  await waiting.getByLabel('Email address').fill('cem@harbour.example')
  await waiting.getByRole('button', { name: 'Continue' }).click()
  const page = await waiting.context().newPage()
  await page.goto((await nextMail(instance, 'cem@harbour.example', 0)).link)
  await expect(page.getByRole('button', { name: 'Join Harbour Street' })).toBeVisible()
  await expect(page.getByLabel('Your name')).toHaveCount(0)
  await page.getByRole('button', { name: 'Join Harbour Street' }).click()
  await expect(composerOf(page, '#front-desk')).toBeVisible()
  await page.context().close()
}

/** Ann renames the workspace; Bea sees it at once. */
async function rename(ann: Page, bea: Page): Promise<void> {
  await openSettings(ann)
  await ann.getByRole('link', { name: 'General settings' }).click()
  await ann.getByLabel('Workspace name').fill('Harbour Street 7')
  await ann.getByRole('button', { name: 'Save' }).click()
  await expect(bea.getByRole('navigation', { name: 'Harbour Street 7' })).toBeVisible()
  await ann.getByRole('link', { name: /front-desk/ }).click()
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Workspace menu' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
}

async function requestMail(page: Page, address: string): Promise<void> {
  await page.getByLabel('Email address').fill(address)
  await page.getByRole('button', { name: /^(Send me a link|Get a code)$/ }).click()
  await expect(page.getByRole('heading', { name: /^(Check your email|Enter your code)$/ })).toBeVisible()
}

/** Opens the sidebar, which is a separate page on a phone. */
async function showSidebar(page: Page): Promise<void> {
  const back = page.getByRole('link', { name: 'Back' })
  if (await back.isVisible()) await back.click()
}

/** Records the frames that the sockets of these pages receive. */
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
  const instance = await startTestInstance({ sendsMail })
  const faults: string[] = []
  // While the server is down the browser reports each refused connection.
  const allowed = [/net::ERR_/, /WebSocket connection to .* failed/]
  try {
    const first = await person(browser, faults, { ...options, allowed, serviceWorkers: 'allow' })
    const frames = framesOf(first)
    const ann = sendsMail ? await setUpByLink(first, instance) : first
    if (!sendsMail) await setUp(ann, instance)
    await showSidebar(ann)
    const link = await inviteByLink(ann)
    expect(new URL(link).pathname).toBe('/join')

    const bea = await person(browser, faults, { ...options, allowed, serviceWorkers: 'allow' })
    if (sendsMail) {
      await joinByMail(ann, bea, instance)
      await joinInSecondTab(
        link,
        await person(browser, faults, { ...options, allowed, serviceWorkers: 'allow' }),
        instance,
      )
    } else {
      await openInvite(ann)
      await expect(
        ann.getByText('No mail server is set up, so Linnet can’t email invitations.'),
      ).toBeVisible()
      await expect(ann.getByRole('button', { name: 'Send invitation' })).toHaveCount(0)
      await ann.keyboard.press('Escape')
      await joinByLink(link, bea, instance)
    }
    await expect(composerOf(bea, '#front-desk')).toBeVisible()
    // Only owners and admins can invite, so only they see the button.
    await expect(bea.getByRole('button', { name: 'Invite people' })).toHaveCount(0)
    if (sendsMail) await rename(ann, bea)
    else await ann.getByRole('link', { name: /front-desk/ }).click()

    // Both send messages and see them live.
    await sendMessage(ann, '#front-desk', 'Good morning, Bea.')
    await expect(messageOf(bea, '#front-desk', 'Good morning, Bea.')).toBeVisible()
    await sendMessage(bea, '#front-desk', 'Good morning. Is the rota done?')
    await expect(messageOf(ann, '#front-desk', 'Good morning. Is the rota done?')).toBeVisible()
    // Received by the socket too: a fetch alone would hide a silent socket.
    await expect.poll(() => frames.some((frame) => frame.includes('Is the rota done?'))).toBe(true)

    // An image of Ann's arrives complete.
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

    // Messages that Bea has not seen are counted for her: she is in another conversation while Ann writes.
    await messageOf(bea, '#front-desk', 'Here it is.').click()
    await showSidebar(bea)
    await openSettings(bea)
    await sendMessage(ann, '#front-desk', 'The door code is new.')
    await showSidebar(bea)
    await expect(bea.getByRole('link', { name: /front-desk.*1 unread/ })).toBeVisible()
    await bea.getByRole('link', { name: /front-desk/ }).click()
    await expect(messageOf(bea, '#front-desk', 'The door code is new.')).toBeVisible()

    // The cookie keeps both signed in over a reload.
    for (const page of [ann, bea]) {
      await page.reload()
      await expect(messageOf(page, '#front-desk', 'The door code is new.')).toBeVisible()
    }

    // Signed out and in again: Ann by the emailed link, in this browser (PKCE); Bea by the code.
    await showSidebar(ann)
    await signOut(ann)
    await requestMail(ann, 'ann@harbour.example')
    await ann.goto((await nextMail(instance, 'ann@harbour.example', 1)).link)
    await ann.getByRole('button', { name: 'Continue' }).click()
    await showSidebar(bea)
    await signOut(bea)
    await requestMail(bea, 'bea@harbour.example')
    await bea.getByLabel('6-digit code').fill((await nextMail(instance, 'bea@harbour.example', 1)).code)
    await bea.getByRole('button', { name: 'Continue' }).click()
    for (const page of [ann, bea]) {
      await showSidebar(page)
      await page.getByRole('link', { name: /front-desk/ }).click()
      await expect(messageOf(page, '#front-desk', 'The door code is new.')).toBeVisible()
    }

    // The server is killed and restarted: every message shown as sent exists once.
    await sendMessage(ann, '#front-desk', 'Before the cut.')
    await expect(messageOf(bea, '#front-desk', 'Before the cut.')).toBeVisible()
    await instance.killAndStart()
    await composerOf(ann, '#front-desk').fill('After the cut.')
    await ann.getByRole('button', { name: 'Send', exact: true }).click()
    await expect(messageOf(bea, '#front-desk', 'After the cut.')).toBeVisible()
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
    await instance.end()
  }
}

test('two people talk in Linnet, invited by mail', async ({ browser }) => {
  await story(browser, laptopScreen, true)
})

test('two people talk in Linnet on phones, without a mail server', async ({ browser }) => {
  await story(browser, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }, false)
})
