import { expect, test, type Browser, type Page } from '@playwright/test'
import { Client } from 'pg'
import {
  addAuthenticator,
  composerOf,
  goTo,
  inviteByLink,
  laptopScreen,
  nextMail,
  person,
  phoneScreen,
  setUp,
  startTestInstance,
  type TestInstance,
} from './support.ts'

/** Signs in by the code that is mailed to an address without an account. */
async function signInByCode(
  browser: Browser,
  instance: TestInstance,
  faults: string[],
  email: string,
): Promise<Page> {
  const page = await person(browser, faults, phoneScreen)
  await page.goto(`${instance.server.url}/sign-in`)
  await page.getByLabel('Email address').fill(email)
  await page.keyboard.press('Enter')
  await page.getByLabel('6-digit code').fill((await nextMail(instance, email, 0)).code)
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  return page
}

/** Signs in by a code, and enters a name to join. */
async function signUp(
  browser: Browser,
  instance: TestInstance,
  faults: string[],
  email: string,
  name: string,
): Promise<Page> {
  const page = await signInByCode(browser, instance, faults, email)
  await expect(page.getByRole('heading', { name: 'You’re not in a workspace yet' })).toBeVisible()
  await page.getByLabel('Your name').fill(name)
  return page
}

/** Fills in the form of a domain by keyboard. */
async function addDomain(page: Page, domain: string, admission: string): Promise<void> {
  await page.getByLabel('Domain', { exact: true }).focus()
  await page.keyboard.insertText(domain)
  await page.keyboard.press('Tab')
  await page.keyboard.type(admission)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
}

test('people join by their domain, or by a request that an admin approves by keyboard', async ({
  browser,
}) => {
  const instance = await startTestInstance({ sendsMail: true })
  const faults: string[] = []
  try {
    // This person has opened the address of the new server, and not the setup link.
    const early = await signInByCode(browser, instance, faults, 'early@harbour.example')
    await expect(early.getByRole('heading', { name: 'This server isn’t set up yet' })).toBeVisible()
    await expect(
      early.getByText(/To get the setup link, run “.*linnet status” on the server\./),
    ).toBeVisible()
    await early.close()
    // The browser logs the refusal of a mail provider.
    const ann = await person(browser, faults, { ...laptopScreen, allowed: [/400/] })
    await setUp(ann, instance)
    await goTo(ann, '/settings/joining')
    const pane = ann.getByRole('region', { name: 'Joining', exact: true })
    await expect(pane.getByText('Nobody is waiting.')).toBeVisible()
    await addDomain(ann, 'gmail.com', 'Join')
    await expect(pane.getByText('Anyone can get an address from this email provider')).toBeVisible()
    await ann.getByLabel('Domain', { exact: true }).fill('')
    await addDomain(ann, '@harbour.example', 'Join')
    await expect(pane.getByLabel('harbour.example', { exact: true })).toHaveValue('join')
    await addDomain(ann, 'school.example', 'Ask')
    await expect(pane.getByLabel('school.example', { exact: true })).toHaveValue('request')

    const bea = await signUp(browser, instance, faults, 'bea@harbour.example', 'Bea Lindqvist')
    // A newcomer who has chosen no language starts in that of the workspace, here another one than the browser's.
    const chooseLanguage = async (language: string) => {
      await goTo(ann, '/settings/general')
      // The page shows the choice before the server has stored it.
      const stored = ann.waitForResponse('**/rest/v1/rpc/set_workspace_language')
      await ann.getByRole('radio', { name: language }).press('Space')
      await stored
      await expect(ann.getByRole('radio', { name: language })).toBeChecked()
      await goTo(ann, '/settings/joining')
    }
    await chooseLanguage('Deutsch')
    await expect(bea.locator('html')).toHaveAttribute('lang', 'en')
    await bea.getByRole('button', { name: 'Join Harbour Street' }).click()
    await expect(bea.getByRole('link', { name: /front-desk/ }).first()).toBeVisible()
    await expect(bea.locator('html')).toHaveAttribute('lang', 'de')
    await expect(bea.getByRole('button', { name: 'Menü des Arbeitsbereichs' })).toBeVisible()
    await chooseLanguage('No default')

    const pupil = await signUp(browser, instance, faults, 'pupil@school.example', 'Pupil')
    await pupil.getByRole('button', { name: 'Ask to join' }).click()
    await pupil.getByLabel('Note to the admins').fill('I water the plants')
    await pupil.getByRole('button', { name: 'Send request' }).click()
    await expect(pupil.getByText(/^Waiting for approval since/)).toBeVisible()
    expect(await pupil.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    const pictures = process.env['LINNET_PICTURES']
    if (pictures) await pupil.screenshot({ path: `${pictures}/request-390.png` })
    await pupil.getByRole('button', { name: 'Withdraw' }).click()
    await pupil.getByLabel('Your name').fill('Pupil')
    await pupil.getByRole('button', { name: 'Ask to join' }).click()
    await pupil.getByLabel('Note to the admins').fill('And the orchids')
    await pupil.getByRole('button', { name: 'Send request' }).click()
    await expect(pupil.getByText(/^Waiting for approval since/)).toBeVisible()

    const requests = pane.getByRole('region', { name: 'Requests to join' })
    await expect(requests.getByText('And the orchids')).toBeVisible()
    await expect(requests.getByText('pupil@school.example')).toBeVisible()
    if (pictures) await ann.screenshot({ path: `${pictures}/joining-1440.png` })
    const approve = requests.getByRole('button', { name: 'Approve Pupil' })
    for (let presses = 0; presses < 60; presses++) {
      if (await approve.and(ann.locator(':focus')).count()) break
      await ann.keyboard.press('Shift+Tab')
    }
    await expect(approve).toBeFocused()
    await ann.keyboard.press('Enter')
    await expect(requests.getByText('Nobody is waiting.')).toBeVisible()
    await expect(pupil.getByRole('link', { name: /front-desk/ }).first()).toBeVisible()
    expect(faults).toEqual([])
  } finally {
    await instance.end()
  }
})

test('on a server without codes by mail, an owner and a member choose a passkey, and an imported person learns that a code is needed', async ({
  browser,
}) => {
  const instance = await startTestInstance({ settings: 'codes = false\n' })
  const { server } = instance
  // Passkeys need a name of the host, not an address.
  const atName = (url: string): string => url.replace('127.0.0.1', 'localhost')
  const faults: string[] = []
  const newcomer = async (url: string, name: string, allowed: RegExp[] = []): Promise<Page> => {
    const page = await person(browser, faults, { ...laptopScreen, allowed })
    await addAuthenticator(page)
    await page.goto(atName(url))
    await page.getByLabel('Your name').fill(name)
    await page.getByLabel('Email address').fill(`${name.toLowerCase()}@harbour.example`)
    await page.getByRole('button', { name: 'Use a passkey instead' }).press('Enter')
    return page
  }
  try {
    const ann = await newcomer(server.setupUrl!, 'Ann')
    await ann.getByLabel('Workspace name').fill('Harbour Street')
    await ann.getByLabel('First channel').fill('front-desk')
    await ann.getByRole('button', { name: 'Create workspace' }).press('Enter')
    await expect(composerOf(ann, '#front-desk')).toBeVisible()

    const link = await inviteByLink(ann)
    const bea = await newcomer(link, 'Bea')
    await bea.getByRole('button', { name: 'Join Harbour Street' }).press('Enter')
    await expect(composerOf(bea, '#front-desk')).toBeVisible()

    // Nia’s account was imported: it opens conversations.
    const response = await fetch(`${server.url}/auth/v1/admin/users`, {
      method: 'POST',
      headers: { apikey: server.secretKey, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'nia@harbour.example' }),
    })
    const { id } = (await response.json()) as { id: string }
    const database = new Client(server.dbUrl)
    await database.connect()
    await database.query("insert into public.profiles (user_id, name) values ($1, 'Nia')", [id])
    await database.end()
    const nia = await newcomer(link, 'Nia', [/status of 403/])
    await nia.getByRole('button', { name: 'Join Harbour Street' }).press('Enter')
    await expect(nia.getByText('This address already has an imported account.')).toBeVisible()
    expect(faults).toEqual([])
  } finally {
    await instance.end()
  }
})
