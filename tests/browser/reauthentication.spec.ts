import { expect, test, type Page } from '@playwright/test'
import { TOTP } from 'otpauth'
import { Client } from 'pg'
import {
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

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser }) => {
  instance = await startTestInstance()
  ann = await person(browser, faults, {
    viewport: { width: 1440, height: 900 },
    allowed: [/status of 4\d\d/, /WebSocket/],
  })
  await setUp(ann, instance)
})

test.afterAll(async () => {
  await ann.context().close()
  await instance.end()
  expect(faults).toEqual([])
})

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const dialog = () => ann.getByRole('dialog', { name: 'Confirm that it’s you' })
const confirmation = () =>
  ann.getByRole('switch', { name: 'Ask owners and admins to confirm that it’s them' })
const creators = (name: string) =>
  ann.getByRole('group', { name: 'Who can create channels?' }).getByRole('radio', { name })

async function openPane(name: string): Promise<void> {
  await openSettings(ann)
  await ann.getByRole('link', { name }).click()
}

async function query<Row extends object>(sql: string): Promise<Row[]> {
  const db = new Client(instance.server.dbUrl)
  await db.connect()
  try {
    return (await db.query<Row>(sql)).rows
  } finally {
    await db.end()
  }
}

/** Lets the session authenticate an hour ago. Its token shows that once the next request of a command has refreshed it. */
async function ageSession(): Promise<void> {
  await query(`update auth.mfa_amr_claims set updated_at = now() - interval '1 hour'`)
  await query(`update auth.sessions set created_at = now() - interval '1 hour'`)
  await ann.route(
    '**/rest/v1/rpc/set_*',
    (route) => route.fulfill({ status: 401, json: { message: 'JWT expired', code: 'PGRST303' } }),
    { times: 1 },
  )
}

const sessions = () => query<{ id: string }>('select id from auth.sessions')

test('an owner without a second factor signs in again for a sensitive action, by code and by password', async () => {
  await openPane('Account and security')
  await button(ann, 'Change password').click()
  await ann.getByLabel('New password').fill('seven brown birds')
  await button(ann, 'Save password').click()
  await expect(ann.getByText('Password changed.').last()).toBeVisible()

  // A click while the list of people arrives must not miss the switch below it.
  let sendPeople = (): void => undefined
  const sent = new Promise<void>((resolve) => {
    sendPeople = resolve
  })
  await ann.route('**/rest/v1/rpc/list_people', async (route) => {
    await sent
    await route.fallback()
  })
  await openPane('Permissions and ownership')
  await expect(confirmation()).toBeVisible()
  const place = await confirmation().boundingBox()
  sendPeople()
  await expect(ann.getByText('1 person has no second factor yet.')).toBeVisible()
  expect(await confirmation().boundingBox()).toEqual(place)
  await confirmation().click()
  await expect(confirmation()).toBeChecked()
  // The session has just begun.
  await creators('Owners and admins').check({ force: true })
  await expect
    .poll(() => query(`select channels_by from public.workspaces where reauthentication`))
    .toEqual([{ channels_by: 'admins' }])

  await ageSession()
  const [before] = await sessions()
  await creators('All members').check({ force: true })
  await expect(dialog()).toBeVisible()
  const seen = (await mailsTo(instance, MAIL)).length
  await button(ann, 'Send code').click()
  const { code } = await nextMail(instance, MAIL, seen)
  await ann.getByLabel('6-digit code').fill(code)
  await button(ann, 'Confirm').click()
  await expect(dialog()).toBeHidden()
  await expect
    .poll(() => query(`select channels_by from public.workspaces`))
    .toEqual([{ channels_by: 'members' }])
  // The new session has replaced the one before.
  await expect.poll(async () => (await sessions()).map(({ id }) => id === before!.id)).toEqual([false])

  await ageSession()
  await creators('Owners and admins').check({ force: true })
  await button(ann, 'Cancel').click()
  await expect(
    ann.getByText('Nothing was changed, because you didn’t confirm that it’s you.').last(),
  ).toBeVisible()
  await expect(creators('All members')).toBeChecked()
  await creators('Owners and admins').check({ force: true })
  await button(ann, 'Use a password').click()
  await ann.getByLabel('Password', { exact: true }).fill('seven brown bears')
  await button(ann, 'Confirm').click()
  await expect(ann.getByText('That isn’t your current password.')).toBeVisible()
  await ann.getByLabel('Password', { exact: true }).fill('seven brown birds')
  await button(ann, 'Confirm').click()
  await expect(dialog()).toBeHidden()
  await expect
    .poll(() => query(`select channels_by from public.workspaces`))
    .toEqual([{ channels_by: 'admins' }])
})

test('an owner with a second factor confirms with it, unless it was added during the session', async () => {
  await openPane('Account and security')
  await button(ann, 'Add a two-factor method').click()
  await ann.getByLabel('Name', { exact: true }).fill('Pixel')
  await button(ann, 'Continue').click()
  await expect(ann.getByRole('img', { name: 'QR code' })).toBeVisible()
  const secret = (await ann.locator('code').textContent())!.replaceAll(' ', '')
  const codeOf = (steps: number) => new TOTP({ secret }).generate({ timestamp: Date.now() + steps * 30_000 })
  await ann.getByLabel('6-digit code').fill(codeOf(0))
  await button(ann, 'Set up').click()
  await expect(ann.getByText(/Authenticator app \(.?Pixel/)).toBeVisible()

  await openPane('Permissions and ownership')
  await ageSession()
  await confirmation().click()
  await expect(dialog()).toContainText('You added your second factor after signing in.')
  await dialog().getByRole('button', { name: 'Close' }).last().click()
  await expect(confirmation()).toBeChecked()

  // As after the next sign-in.
  await query(`update auth.mfa_factors set created_at = now() - interval '1 day'`)
  await confirmation().click()
  await ann.getByLabel('6-digit code').fill(codeOf(1))
  await dialog().getByRole('button', { name: 'Continue', exact: true }).click()
  await expect(dialog()).toBeHidden()
  await expect(confirmation()).not.toBeChecked()
  await expect
    .poll(() => query('select reauthentication from public.workspaces'))
    .toEqual([{ reauthentication: false }])
})
