import { expect, test, type Page } from '@playwright/test'
import { networkInterfaces } from 'node:os'
import { TOTP } from 'otpauth'
import {
  composerOf,
  expectText,
  goTo,
  laptopScreen,
  messageOf,
  nextMail,
  openInvite,
  person,
  phoneScreen,
  sendMessage,
  setUp,
  startTestInstance,
} from './support.ts'

const hasNetwork = Object.values(networkInterfaces()).some((found) =>
  found?.some(({ family, internal }) => family === 'IPv4' && !internal),
)

test('without a public address, people use Linnet over http at the address of the machine in their network', async ({
  browser,
}) => {
  test.skip(!hasNetwork, 'This machine has no network.')
  const instance = await startTestInstance({ settings: '[server]\nhost = "0.0.0.0"\n' })
  const faults: string[] = []
  try {
    const { url, networkUrl } = instance.server
    const setupUrl = instance.server.setupUrl!.replace(url, networkUrl!)
    // The client library warns that it sends the code verifier as it is.
    const allowed = [/WebCrypto API is not supported/, /Cross-Origin-Opener-Policy/]
    const ann = await person(browser, faults, { ...laptopScreen, allowed })
    await setUp(ann, { ...instance, server: { ...instance.server, setupUrl } })
    expect(await ann.evaluate('isSecureContext')).toBe(false)
    await sendMessage(ann, '#front-desk', 'The water is off until noon')

    const phone = await person(browser, faults, { ...phoneScreen, allowed })
    await phone.goto(`${networkUrl}/sign-in`)
    await phone.getByLabel('Email address').fill('ann@harbour.example')
    await phone.keyboard.press('Enter')
    // The client library discards the code verifier if the page is left before the response.
    await expect(phone.getByLabel('6-digit code')).toBeFocused()
    const { link } = await nextMail(instance, 'ann@harbour.example', 1)
    expect(new URL(link).origin).toBe(networkUrl)
    await phone.goto(link)
    await phone.getByRole('button', { name: 'Continue' }).tap()
    await expect(phone.getByRole('navigation').first()).toBeVisible()

    await openInvite(ann)
    await ann.getByRole('button', { name: 'Create link' }).click()
    await expect(ann.getByLabel('Invitation link')).toHaveValue(new RegExp(`^${networkUrl}/join#`))
    await expect(ann.getByRole('note')).toHaveCount(0)
    await expect(ann.getByRole('img', { name: 'QR code with the invitation link' })).toBeVisible()
    await ann.getByRole('button', { name: 'Copy link' }).click()
    await expect(ann.getByRole('button', { name: 'Copied' })).toBeVisible()
    await expect(ann.getByRole('button', { name: 'Create link' })).toHaveCount(0)

    const local = await person(browser, faults, laptopScreen)
    await local.goto(`${url}/sign-in`)
    await local.getByLabel('Email address').fill('ann@harbour.example')
    await local.keyboard.press('Enter')
    await local.getByLabel('6-digit code').fill((await nextMail(instance, 'ann@harbour.example', 2)).code)
    await local.getByRole('button', { name: 'Continue', exact: true }).click()
    await expect(composerOf(local, '#front-desk')).toBeVisible()
    await openInvite(local)
    await expect(local.getByRole('note').getByRole('link', { name: networkUrl! })).toBeVisible()
    await local.getByRole('button', { name: 'Create link' }).click()
    await expect(local.getByLabel('Invitation link')).toHaveValue(new RegExp(`^${url}/join#`))
    await expect(local.getByRole('img', { name: /^QR code/ })).toHaveCount(0)
    expect(faults).toEqual([])
  } finally {
    await instance.end()
  }
})

const pictures = process.env['LINNET_PICTURES']

/** Stores pictures of a page in both themes. */
async function takePictures(page: Page, name: string): Promise<void> {
  if (!pictures) return
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.screenshot({ path: `${pictures}/lan-${name}-${colorScheme}.png` })
  }
}

test('a group uses phones over http: codes of the mailbox, a second factor, a restart and another address', async ({
  browser,
}) => {
  test.skip(!hasNetwork, 'This machine has no network.')
  const instance = await startTestInstance({ settings: '[server]\nhost = "0.0.0.0"\n' })
  const faults: string[] = []
  try {
    const { url, networkUrl } = instance.server
    // The server restarts, and refuses a sign-in without the second factor.
    const allowed = [/WebCrypto API/, /Cross-Origin-Opener-Policy/, /ERR_/, /WebSocket/, /status of (4|50)/]
    const setupUrl = instance.server.setupUrl!.replace(url, networkUrl!)
    const ann = await person(browser, faults, { ...phoneScreen, allowed })
    await ann.goto(setupUrl)
    await ann.getByLabel('Your name').fill('Ann')
    await ann.getByLabel('Email address').fill('ann@harbour.example')
    await ann.getByLabel('Workspace name').fill('Harbour Street')
    await ann.getByLabel('First channel').fill('front-desk')
    await ann.getByRole('button', { name: 'Continue' }).tap()
    // The mailbox opens on the machine of the server only.
    await expect(ann.getByText('Run “bin/linnet mailbox” on the server')).toBeVisible()
    await expect(ann.getByRole('link', { name: 'Open the mailbox' })).toHaveCount(0)
    await takePictures(ann, 'setup-code')
    await ann.getByLabel('6-digit code').fill((await nextMail(instance, 'ann@harbour.example', 0)).code)
    await ann.getByRole('button', { name: 'Continue' }).tap()
    await ann.getByLabel('New password').fill('a long enough phrase')
    await ann.getByRole('button', { name: 'Save password' }).tap()
    await expect(composerOf(ann, '#front-desk')).toBeVisible()

    // The link and its QR code are at the top of the dialog.
    await ann.getByRole('link', { name: 'Back' }).tap()
    await openInvite(ann)
    await takePictures(ann, 'invite')
    await ann.getByRole('button', { name: 'Create link' }).tap()
    const link = await ann.getByLabel('Invitation link').inputValue()
    const code = ann.getByRole('img', { name: 'QR code with the invitation link' })
    await expect(code).toBeInViewport({ ratio: 1 })
    await expect(ann.getByRole('button', { name: 'Create link' })).toHaveCount(0)
    await takePictures(ann, 'invite-link')
    await ann.getByRole('button', { name: 'Create another link' }).tap()
    await expect(ann.getByRole('button', { name: 'Create link' })).toBeEnabled()
    await ann.getByRole('button', { name: 'Close' }).tap()

    const bea = await person(browser, faults, { ...phoneScreen, allowed, locale: 'de-DE' })
    await bea.goto(link)
    await bea.getByLabel('Dein Name').fill('Bea')
    await bea.getByLabel('E-Mail-Adresse').fill('bea@harbour.example')
    await bea.getByRole('button', { name: 'Weiter' }).tap()
    await bea.getByLabel('6-stelliger Code').fill((await nextMail(instance, 'bea@harbour.example', 0)).code)
    await bea.getByRole('button', { name: 'Weiter' }).tap()
    await bea.getByLabel('Neues Passwort').fill('noch ein langer Satz')
    await takePictures(bea, 'password-de')
    await bea.getByRole('button', { name: 'Passwort speichern' }).tap()
    const field = bea.getByRole('textbox', { name: 'Nachricht an #front-desk' })
    await expect(field).toBeVisible()

    // The first steps stay after somebody has joined.
    await expect(ann.getByRole('button', { name: 'First steps' })).toBeVisible()
    await takePictures(ann, 'home')

    // The field of an edited message takes the place of the composer, whose draft stays.
    await field.fill('Der Schlüssel liegt im Büro')
    await bea.getByRole('button', { name: 'Senden', exact: true }).tap()
    const message = bea.getByLabel('Nachrichten in #front-desk').getByText('Der Schlüssel liegt im Büro')
    await expect(message).toBeVisible()
    await expectText(field, '')
    await field.fill('Noch nicht fertig')
    const row = bea.getByRole('article').filter({ hasText: 'Der Schlüssel' })
    await expect(async () => {
      await row.dispatchEvent('contextmenu', { clientX: 40, clientY: 300 })
      await bea.getByRole('menuitem', { name: 'Bearbeiten' }).tap({ timeout: 2_000 })
    }).toPass()
    const editor = bea.getByRole('textbox', { name: 'Nachricht bearbeiten' })
    await expect(editor).toBeFocused()
    await expect(field).toBeHidden()
    await takePictures(bea, 'edit-de')
    await editor.fill('Der Schlüssel liegt im Schrank')
    await bea.getByRole('button', { name: 'Speichern' }).tap()
    await expect(field).toBeVisible()
    await expectText(field, 'Noch nicht fertig')
    await goTo(bea, '/activity')
    const filters = bea.getByRole('radio').locator('..')
    await expect(filters).toHaveCount(4)
    const tops = await filters.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top))
    expect(new Set(tops).size).toBe(1)
    await takePictures(bea, 'activity-de')

    // The reason is where passkeys would be.
    await goTo(ann, '/settings/security')
    const reason = 'only on websites with HTTPS'
    const passkeys = ann.getByRole('region', { name: 'Passkeys' })
    await expect(passkeys.getByText(reason)).toBeVisible()
    await passkeys.scrollIntoViewIfNeeded()
    await takePictures(ann, 'security')
    await ann.getByRole('button', { name: 'Add a two-factor method' }).tap()
    await expect(ann.getByRole('dialog').getByText(reason)).toBeVisible()
    await takePictures(ann, 'factor')
    await ann.getByRole('button', { name: 'Continue' }).tap()
    await expect(ann.getByRole('img', { name: 'QR code' })).toBeVisible()
    const secret = (await ann.locator('code').textContent())!.replaceAll(' ', '')
    const codeOf = (steps: number) =>
      new TOTP({ secret }).generate({ timestamp: Date.now() + steps * 30_000 })
    await ann.getByLabel('6-digit code').fill(codeOf(0))
    await ann.getByRole('button', { name: 'Set up' }).tap()
    await expect(ann.getByText(/^Authenticator app/)).toBeVisible()

    // After a restart, phones continue without a new sign-in. A message that was written meanwhile is sent.
    await goTo(bea, '/')
    await bea.getByRole('link', { name: 'front-desk' }).tap()
    await expectText(field, 'Noch nicht fertig')
    const restart = instance.killAndStart()
    await bea.getByRole('button', { name: 'Senden', exact: true }).tap()
    await restart
    await ann.goto(`${networkUrl}/`)
    await ann.getByRole('link', { name: 'front-desk' }).tap()
    await expect(messageOf(ann, '#front-desk', 'Noch nicht fertig')).toBeVisible()

    // Browsers store sessions by address. At another one people sign in again, and an invitation stays valid.
    const later = await person(browser, faults, { ...phoneScreen, allowed })
    await later.goto(link.replace(networkUrl!, url))
    await expect(later.getByRole('heading', { name: 'Join Harbour Street' })).toBeVisible()
    await later.goto(`${url}/sign-in`)
    await later.getByRole('button', { name: 'Use a password' }).tap()
    await later.getByLabel('Email address').fill('ann@harbour.example')
    await later.getByLabel('Password', { exact: true }).fill('a long enough phrase')
    await later.getByRole('button', { name: 'Sign in', exact: true }).tap()
    await later.getByLabel('6-digit code').fill(codeOf(1))
    await later.getByRole('button', { name: 'Continue' }).tap()
    await later.getByRole('link', { name: 'front-desk' }).tap()
    await expect(messageOf(later, '#front-desk', 'Noch nicht fertig')).toBeVisible()
    expect(faults).toEqual([])
  } finally {
    await instance.end()
  }
})
