import { expect, test, type Browser, type Page } from '@playwright/test'
import { TOTP } from 'otpauth'
import {
  addAuthenticator,
  composerOf,
  goTo,
  mailsTo,
  nextMail,
  openSettings,
  person,
  setUp,
  startTestInstance,
  type TestInstance,
} from './support.ts'

const MAIL = 'ann@harbour.example'
let instance: TestInstance
let ann: Page
const faults: string[] = []
// The browser reports each expected refusal as a failed request.
const allowed = [/status of 4\d\d/, /WebSocket/]

/** One instance, in which Ann signs in and out: each test leaves her signed in in the first browser. */
test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser }) => {
  instance = await startTestInstance()
  ann = await open(browser)
  await setUp(ann, instance)
})

test.afterAll(async () => {
  await instance.end()
  expect(faults).toEqual([])
})

const open = (browser: Browser): Promise<Page> =>
  person(browser, faults, { viewport: { width: 1440, height: 900 }, allowed })

const button = (page: Page, name: string): ReturnType<Page['getByRole']> =>
  page.getByRole('button', { name, exact: true })

/** Text that is shown, and announced as well. */
const announced = (page: Page, text: string): ReturnType<Page['getByText']> => page.getByText(text).last()

async function openSecurity(page: Page): Promise<void> {
  await openSettings(page)
  await page.getByRole('link', { name: 'Account and security' }).click()
  await expect(page.getByRole('heading', { name: 'Active sessions' })).toBeVisible()
}

/** Signs out, and returns the access token that was valid until then. */
async function signOut(page: Page): Promise<string> {
  const cookies = await page.context().cookies(page.url())
  const parts = cookies.filter(({ name }) => /-auth-token(\.\d)?$/.test(name))
  const value = parts
    .toSorted((one, other) => one.name.localeCompare(other.name))
    .map((part) => decodeURIComponent(part.value))
  const json = Buffer.from(value.join('').replace('base64-', ''), 'base64url').toString()
  const { access_token: token } = JSON.parse(json) as { access_token: string }
  await openMenuAndSignOut(page)
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  return token
}

async function openMenuAndSignOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Workspace menu' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
}

/** The server's response to a token. */
async function statusOf(token: string): Promise<number> {
  const headers = { apikey: instance.server.publishableKey, authorization: `Bearer ${token}` }
  return (await fetch(`${instance.server.url}/auth/v1/user`, { headers })).status
}

/** Requests an email and types its code with spaces, as copied from some emails. */
async function enterMailedCode(page: Page, address: string, request: () => Promise<void>): Promise<void> {
  const seen = (await mailsTo(instance, address)).length
  await request()
  const { code } = await nextMail(instance, address, seen)
  await page.getByLabel('6-digit code').fill(` ${code.slice(0, 3)} ${code.slice(3)} `)
  await button(page, 'Continue').click()
}

async function signInByEmail(page: Page, address = MAIL): Promise<void> {
  await page.goto(`${instance.server.url}/sign-in`)
  await page.getByLabel('Email address').fill(address)
  await enterMailedCode(page, address, () => button(page, 'Get a code').click())
}

const isIn = (page: Page): Promise<void> =>
  expect(page.getByRole('button', { name: 'Workspace menu' })).toBeVisible()

test('a user with access to their mailbox only can reset the password and sign in', async ({ browser }) => {
  await openSecurity(ann)
  await button(ann, 'Change password').click()
  await ann.getByLabel('New password').fill('password123')
  await button(ann, 'Save password').click()
  await expect(ann.getByText('This password has appeared in a data breach.')).toBeVisible()
  // She is signed in nowhere else.
  await expect(ann.getByText('be signed out everywhere else')).toHaveCount(0)
  await ann.getByLabel('New password').fill('seven brown birds')
  await button(ann, 'Save password').click()
  await expect(announced(ann, 'Password changed.')).toBeVisible()

  // After signing out, the server rejects the token too.
  const token = await signOut(ann)
  await expect.poll(() => statusOf(token)).toBe(403)

  await button(ann, 'Use a password').click()
  await ann.getByLabel('Email address').fill(MAIL)
  await ann.getByLabel('Password', { exact: true }).fill('seven brown bears')
  await button(ann, 'Sign in').click()
  await expect(ann.getByText('Wrong email or password.')).toBeVisible()

  // Other browsers stay signed in until the password is changed.
  const elsewhere = await open(browser)
  await signInByEmail(elsewhere)
  await isIn(elsewhere)

  await button(ann, 'Forgot password?').click()
  await ann.getByLabel('Email address').fill(MAIL)
  await enterMailedCode(ann, MAIL, () => button(ann, 'Get a code').click())
  await ann.getByLabel('New password').fill('eight brown birds')
  await expect(ann.getByText('be signed out everywhere else')).toBeVisible()
  await button(ann, 'Save password').click()
  await isIn(ann)
  await expect(elsewhere.getByRole('heading', { name: 'Sign in' })).toBeVisible()

  await button(elsewhere, 'Use a password').click()
  await elsewhere.getByLabel('Email address').fill(MAIL)
  await elsewhere.getByLabel('Password', { exact: true }).fill('eight brown birds')
  await button(elsewhere, 'Sign in').click()
  await isIn(elsewhere)
  await elsewhere.context().close()

  // A used link and an invalid one show an error and a link onward.
  const seen = (await mailsTo(instance, MAIL)).length
  const late = await open(browser)
  await late.goto(`${instance.server.url}/sign-in`)
  await late.getByLabel('Email address').fill(MAIL)
  await button(late, 'Get a code').click()
  const { link, code } = await nextMail(instance, MAIL, seen)
  // In another browser the link doesn't work and stays usable; the page that waits for the code survives a reload.
  const other = await open(browser)
  await other.goto(link)
  await button(other, 'Continue').click()
  await expect(other.getByText('Open the link in the browser you requested it from')).toBeVisible()
  await other.context().close()
  await late.reload()
  await late.getByLabel('6-digit code').fill(code)
  await button(late, 'Continue').click()
  await isIn(late)
  await late.goto(link)
  await button(late, 'Continue').click()
  await expect(late.getByText('is invalid or has expired')).toBeVisible()
  await expect(late.getByRole('link')).toBeVisible()
  await late.context().close()
})

/** A code of the app, `steps` half minutes from now: each code works once. */
const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret }).generate({ timestamp: Date.now() + steps * 30_000 })

/** Sets up an authenticator app, and returns its secret. */
async function addApp(page: Page, name: string): Promise<string> {
  await button(page, 'Add a two-factor method').click()
  await page.getByLabel('Name', { exact: true }).fill(name)
  await button(page, 'Continue').click()
  await expect(page.getByRole('img', { name: 'QR code' })).toBeVisible()
  const secret = (await page.locator('code').textContent())!.replaceAll(' ', '')
  await page.getByLabel('6-digit code').fill(codeOf(secret))
  await button(page, 'Set up').click()
  await expect(page.getByText(new RegExp(`Authenticator app \\(.?${name}`))).toBeVisible()
  return secret
}

test('an authenticator app is required at sign-in and can be reset', async ({ browser }) => {
  await openSecurity(ann)
  const secret = await addApp(ann, 'Pixel')
  await signOut(ann)
  await signInByEmail(ann)
  await expect(ann.getByRole('heading', { name: 'Two-factor authentication' })).toBeVisible()
  await expect(composerOf(ann, '#front-desk')).toBeHidden()

  // Without the second factor nothing is accessible, neither by another URL nor after a reload.
  await ann.goto(`${instance.server.url}/settings/security`)
  await expect(ann.getByRole('heading', { name: 'Two-factor authentication' })).toBeVisible()
  await ann.getByLabel('6-digit code').fill(codeOf(secret) === '000000' ? '000001' : '000000')
  await button(ann, 'Continue').click()
  await expect(ann.getByText('Wrong code.')).toBeVisible()
  await ann.getByLabel('6-digit code').fill(codeOf(secret, 1))
  await button(ann, 'Continue').click()
  await expect(ann.getByRole('heading', { name: 'Active sessions' })).toBeVisible()
  await isIn(ann)

  await ann.getByRole('button', { name: /^Remove Authenticator app \(.?Pixel/ }).click()
  await ann.getByRole('dialog').getByRole('button', { name: 'Remove method', exact: true }).click()
  await expect(announced(ann, 'Two-factor method removed.')).toBeVisible()
  await expect(button(ann, 'Add a two-factor method')).toBeVisible()

  // With everything lost but the mailbox, only an administrator of the server can reset the factors.
  await addApp(ann, 'Lost one')
  const late = await open(browser)
  await signInByEmail(late)
  await button(late, 'I’ve lost access to my second factor').click()
  await expect(late.getByText('The server’s administrator can turn it off')).toBeVisible()
  await button(late, 'Check again').click()
  await expect(announced(late, 'Two-factor authentication is still on for your account.')).toBeVisible()
  await resetFactors(MAIL)
  await button(late, 'Check again').click()
  await isIn(late)

  // A recovery code needs no administrator.
  await openSecurity(late)
  await addApp(late, 'Lost too')
  await button(late, 'Create recovery codes').click()
  const shown = late.getByRole('dialog').locator('code')
  await expect(shown).toHaveCount(10)
  const code = (await shown.first().textContent())!
  await late.getByRole('dialog').getByRole('button', { name: 'Done', exact: true }).click()
  await expect(late.getByText('10 codes left')).toBeVisible()
  await signOut(late)
  await signInByEmail(late)
  await button(late, 'I’ve lost access to my second factor').click()
  await late.getByLabel('Recovery code').fill('00000-00000-00000-00000')
  await button(late, 'Use recovery code').click()
  await expect(
    late.getByText('This code is wrong or has already been used. Check it, or use another one.'),
  ).toBeVisible()
  await late.getByLabel('Recovery code').fill(code)
  await button(late, 'Use recovery code').click()
  await expect(announced(late, 'Your second factor was removed. Set up a new one.')).toBeVisible()
  await expect(button(late, 'Add a two-factor method')).toBeVisible()
  await late.context().close()
})

/** Resets the factors of a user as an administrator of the server. */
async function resetFactors(address: string): Promise<void> {
  const headers = { apikey: instance.server.secretKey }
  const sendRequest = (path: string, method = 'GET') =>
    fetch(`${instance.server.url}/auth/v1/admin/users${path}`, { method, headers })
  const { users } = (await (await sendRequest('')).json()) as { users: { id: string; email: string }[] }
  const { id } = users.find(({ email }) => email === address)!
  const factors = (await (await sendRequest(`/${id}/factors`)).json()) as { id: string }[]
  for (const factor of factors)
    expect((await sendRequest(`/${id}/factors/${factor.id}`, 'DELETE')).ok).toBe(true)
}

/** Whether the browser offers passkeys in autofill; the virtual user accepts at once. */
const offering = (page: Page, yes: boolean): Promise<unknown> =>
  page.evaluate(`PublicKeyCredential.isConditionalMediationAvailable = async () => ${yes}`)

test('a passkey signs in by itself, and a security key is a second factor', async ({ browser }) => {
  const page = await open(browser)
  await addAuthenticator(page)
  // Keys are bound to a domain: none are offered at an IP address.
  await page.goto(`${instance.server.url}/sign-in`)
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await expect(button(page, 'Use a passkey')).toBeHidden()
  const named = instance.server.url.replace('127.0.0.1', 'localhost')
  await page.goto(`${named}/sign-in`)
  await button(page, 'Use a passkey').click()
  await expect(page.getByText('No passkey was used')).toBeVisible()
  await page.getByLabel('Email address').fill(MAIL)
  await enterMailedCode(page, MAIL, () => button(page, 'Get a code').click())
  await isIn(page)

  await openSecurity(page)
  await button(page, 'Add a passkey').click()
  const rename = page.getByRole('button', { name: /^Rename / })
  await rename.click()
  await page.getByLabel('Passkey name').fill('This laptop')
  await button(page, 'Save').click()
  await expect(page.getByText('This laptop')).toBeVisible()
  await offering(page, false)
  await signOut(page)
  await button(page, 'Use a passkey').click()
  await isIn(page)

  await openSecurity(page)
  await button(page, 'Add a two-factor method').click()
  await page.getByText('Security key', { exact: true }).click()
  await button(page, 'Continue').click()
  await expect(announced(page, 'Two-factor authentication is on.')).toBeVisible()
  // The browser also offers the passkey in the email field, and the user accepts.
  await offering(page, true)
  await openMenuAndSignOut(page)
  await button(page, 'Use security key').click()
  await isIn(page)

  await openSecurity(page)
  for (const name of [/^Remove Security key/, /^Remove .?This laptop/]) {
    await page.getByRole('button', { name }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Remove (method|passkey)$/ })
      .click()
    await expect(page.getByRole('button', { name })).toBeHidden()
  }
  await page.context().close()

  // Without a second factor in the session, adding one ends it: the page signs out.
  await expect(ann.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await signInByEmail(ann)
  await isIn(ann)
})

/** In the page: how many rows of the workspace it has stored. */
const countStoredRows = `(async () => {
  const done = (request) => new Promise((resolve) => {
    request.onsuccess = (event) => resolve(event.target.result)
  })
  let rows = 0
  for (const { name } of await indexedDB.databases()) {
    if (!name.startsWith('linnet-')) continue
    const database = await done(indexedDB.open(name))
    for (const table of ['messages', 'workspace']) {
      rows += await done(database.transaction(table).objectStore(table).count())
    }
    database.close()
  }
  return rows
})()`

test('a stolen laptop is signed out from a phone by keyboard, and loses what it has stored', async ({
  browser,
}) => {
  const laptop = await open(browser)
  await signInByEmail(laptop)
  await isIn(laptop)
  const stored = () => laptop.evaluate<number>(countStoredRows)
  await expect.poll(stored).toBeGreaterThan(0)
  await ann.setViewportSize({ width: 390, height: 844 })
  await ann.goto(`${instance.server.url}/settings/security`)
  await expect(ann.getByText('This device', { exact: true })).toHaveCount(1)
  await ann.getByRole('button', { name: 'Sign out Chrome on Linux' }).first().focus()
  await ann.keyboard.press('Enter')
  await ann.getByRole('dialog').getByRole('button', { name: 'Sign out', exact: true }).focus()
  await ann.keyboard.press('Enter')
  await expect(announced(ann, 'Device signed out.')).toBeVisible()
  await expect(laptop.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await expect(laptop.getByText(/^You signed this browser out from another device \(today/)).toBeVisible()
  await expect.poll(stored).toBe(0)
  await ann.setViewportSize({ width: 1440, height: 900 })
  await goTo(ann, '/')
  await isIn(ann)
  await laptop.context().close()
})

/** Delays the settings, without which nobody knows who is signed in, until the returned function is called. */
async function delaySettings(page: Page): Promise<() => void> {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/linnet.json', (route) => released.then(() => route.continue()))
  return release
}

/** Creates an account without a workspace. */
async function addAccount(email: string): Promise<void> {
  const response = await fetch(`${instance.server.url}/auth/v1/admin/users`, {
    method: 'POST',
    headers: { apikey: instance.server.secretKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email, email_confirm: true }),
  })
  expect(response.status).toBe(200)
}

/** Requests a sign-in link like a client without PKCE: it works in any browser. */
async function mailLink(email: string): Promise<string> {
  const seen = (await mailsTo(instance, email)).length
  const response = await fetch(`${instance.server.url}/auth/v1/otp`, {
    method: 'POST',
    headers: { apikey: instance.server.publishableKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email, create_user: false }),
  })
  expect(response.status).toBe(200)
  return (await nextMail(instance, email, seen)).link
}

test('a link never signs in as an account that the reader has not been shown', async ({ browser }) => {
  const other = 'mallory@harbour.example'
  await addAccount(other)
  const switching = ann.getByRole('heading', { name: 'Switch accounts?' })
  const words = ann.getByText(`You’re signed in as ${MAIL}. This link signs you in as ${other}.`)

  // A link that claims to be Ann's: its account is shown after it was used, before anything is stored.
  const claiming = (await mailLink(other)).replace(/#.*/, `#${encodeURIComponent(MAIL)}`)
  await ann.goto(claiming)
  await button(ann, 'Continue').click()
  await expect(switching).toBeVisible()
  await expect(words).toBeVisible()
  await button(ann, `Stay signed in as ${MAIL}`).click()
  await isIn(ann)

  // A link that names its account is not used before Ann agrees.
  const honest = await mailLink(other)
  await ann.goto(honest)
  await expect(words).toBeVisible()
  await button(ann, `Stay signed in as ${MAIL}`).click()
  await isIn(ann)

  // Signed out: the account is named before the click, or confirmed after it.
  const late = await open(browser)
  // Who is signed in is not known yet: the press is kept until it is.
  const release = await delaySettings(late)
  await late.goto(honest.replace(/#.*/, ''))
  await button(late, 'Continue').click()
  release()
  await expect(late.getByText(`This link signs you in as ${other}.`)).toBeVisible()
  await button(late, 'Cancel').click()
  await expect(late.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  // Requested here, by PKCE, and opened while somebody else is signed in here.
  await late.getByLabel('Email address').fill(other)
  const seen = (await mailsTo(instance, other)).length
  await button(late, 'Get a code').click()
  const { link } = await nextMail(instance, other, seen)
  await button(late, 'Use another email').click()
  await button(late, 'Use a password').click()
  await late.getByLabel('Email address').fill(MAIL)
  await late.getByLabel('Password', { exact: true }).fill('eight brown birds')
  await button(late, 'Sign in').click()
  await isIn(late)
  await late.goto(link.replace(/#.*/, ''))
  await button(late, 'Continue').click()
  await expect(late.getByRole('heading', { name: 'Switch accounts?' })).toBeVisible()
  await button(late, `Sign in as ${other}`).click()
  await expect(late.getByText(`You’re signed in as ${other}.`)).toBeVisible()
  await late.context().close()
})

test('an address change is confirmed by the old and the new address', async ({ browser }) => {
  const changed = 'ann@tannery.example'
  await openSecurity(ann)
  await button(ann, 'Change email').click()
  const seen = (await mailsTo(instance, MAIL)).length
  await ann.getByLabel('New email').fill(changed)
  await button(ann, 'Continue').click()
  const [before, after] = await Promise.all([nextMail(instance, MAIL, seen), nextMail(instance, changed, 0)])
  await ann.getByLabel(new RegExp(`Code sent to .?${MAIL}`)).fill(before.code)
  await button(ann, 'Confirm').click()
  await expect(ann.getByText('is confirmed.')).toBeVisible()

  // The second address by its link, in any browser.
  const phone = await open(browser)
  const release = await delaySettings(phone)
  await phone.goto(after.link)
  await button(phone, 'Confirm').click()
  release()
  // It creates no session: the link may belong to another account.
  await expect(phone.getByText('From now on, sign in with your new address.')).toBeVisible()
  await signInByEmail(phone, changed)
  await isIn(phone)
  await phone.context().close()
})
