import { expect, test, type Page } from '@playwright/test'
import {
  composerOf,
  leaveOverlays,
  nextMail,
  openInvite,
  person,
  setUp,
  startTestInstance,
  type TestInstance,
} from './support.ts'

/** Presses Tab until the control has the focus. */
async function tabTo(
  page: Page,
  name: string | RegExp,
  role: 'button' | 'textbox' | 'combobox',
): Promise<void> {
  const control = page.getByRole(role, { name })
  await expect(control).toBeVisible()
  for (let presses = 0; presses < 60; presses++) {
    if (await control.and(page.locator(':focus')).count()) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`The focus does not reach ${String(name)}.`)
}

test.describe.configure({ mode: 'serial' })

let instance: TestInstance
let ann: Page
const faults: string[] = []

test.beforeAll(async ({ browser }) => {
  instance = await startTestInstance({ sendsMail: true })
  ann = await person(browser, faults)
  await setUp(ann, instance)
})

test.afterEach(() => {
  expect(faults).toEqual([])
})

test.afterAll(() => instance.end())

test('a guest is invited by a link for one person, and reads when their access ends', async ({ browser }) => {
  await openInvite(ann)
  await ann.getByText('Guest', { exact: true }).click()
  await expect(ann.getByRole('checkbox', { checked: true })).toHaveCount(0)
  await ann.getByRole('checkbox', { name: 'front-desk' }).check()
  await ann.getByLabel('Access ends after').selectOption('7 days')
  await ann.getByLabel('Or share a link for').selectOption('1 person')
  await ann.getByRole('button', { name: 'Create link' }).click()
  const link = await ann.getByLabel('Invitation link').inputValue()
  await expect(ann.getByText('access for 7 days')).toBeVisible()
  const gus = await person(browser, faults)
  // The link is pasted into the tab of an incomplete one: only the fragment changes.
  await gus.goto(link.replace(/#.*/, ''))
  await expect(gus.getByText('This link is incomplete')).toBeVisible()
  await gus.goto(link)
  await expect(gus.getByText('Your access ends 7 days after you join.')).toBeVisible()
  await gus.getByLabel('Your name').fill('Gus')
  await gus.getByLabel('Email address').fill('gus@elsewhere.example')
  await gus.getByRole('button', { name: 'Continue' }).click()
  await gus.getByLabel('6-digit code').fill((await nextMail(instance, 'gus@elsewhere.example', 0)).code)
  await gus.getByRole('button', { name: 'Continue' }).click()
  await expect(composerOf(gus, '#front-desk')).toBeVisible()
  const late = await person(browser, faults, { allowed: [/410/] })
  await late.goto(link)
  await expect(late.getByText('This invitation has expired or was already used.')).toBeVisible()
  const cut = await person(browser, faults, { allowed: [/404/] })
  await cut.goto(link.slice(0, -1))
  await expect(cut.getByText('There is no invitation for this link.')).toBeVisible()
  await ann.keyboard.press('Escape')
  await leaveOverlays(ann)

  // A member opens the link that is used up, with a session and without one.
  await gus.goto(link)
  await expect(gus.getByRole('heading', { name: 'You’re already a member of Harbour Street' })).toBeVisible()
  await expect(gus.getByText('You’re signed in as gus@elsewhere.example.')).toBeVisible()
  await expect(gus.getByLabel('Your name')).toHaveCount(0)
  await gus.getByRole('button', { name: 'Open Harbour Street' }).click()
  await expect(composerOf(gus, '#front-desk')).toBeVisible()
})

test('a member who signs in with an invitation reads that they are a member already', async ({ browser }) => {
  await openInvite(ann)
  await ann.getByLabel('Or share a link for').selectOption('10 people')
  await ann.getByRole('button', { name: 'Create link' }).click()
  const link = await ann.getByLabel('Invitation link').inputValue()
  await ann.keyboard.press('Escape')
  await leaveOverlays(ann)
  const phone = await person(browser, faults)
  await phone.goto(link)
  await phone.getByLabel('Your name').fill('Gus')
  await phone.getByLabel('Email address').fill('gus@elsewhere.example')
  await phone.getByRole('button', { name: 'Continue' }).click()
  await phone.getByLabel('6-digit code').fill((await nextMail(instance, 'gus@elsewhere.example', 1)).code)
  await phone.getByRole('button', { name: 'Continue' }).click()
  await expect(phone.getByText('You’re already a member of Harbour Street')).toBeVisible()
  await expect(phone.getByRole('link', { name: 'front-desk' })).toBeVisible()
})

test('60 people are invited by mail at 390 px and by keyboard, one again, and two join', async ({
  browser,
}) => {
  await ann.setViewportSize({ width: 390, height: 844 })
  await ann.getByRole('link', { name: 'Back' }).click()
  await openInvite(ann)
  await tabTo(ann, 'Email addresses', 'textbox')
  const emails = Array.from({ length: 60 }, (_, n) => `pupil${n}@school.example`)
  await ann.keyboard.insertText(`una ${emails.join(', ')}`)
  await expect(ann.getByText('Not an email address: una')).toBeVisible()
  await ann.keyboard.press('ControlOrMeta+A')
  await ann.keyboard.insertText(emails.join('\n'))
  await tabTo(ann, 'Send 60 invitations', 'button')
  await ann.keyboard.press('Enter')
  await expect(ann.getByText('60 invitations are on the way.')).toBeVisible()
  const pending = ann.getByRole('region', { name: 'Pending invitations' })
  await expect(pending.getByText('Sent.').first()).toBeVisible()
  expect(await ann.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  if (process.env['LINNET_PICTURES'])
    await ann.screenshot({ path: `${process.env['LINNET_PICTURES']}/invite-390.png` })

  // The list has pages of 50, and mails are sent in any order.
  const resend = pending.getByRole('button', { name: /^Resend invitation to / }).first()
  const name = (await resend.getAttribute('aria-label'))!
  const again = name.replace('Resend invitation to ', '')
  const first = await nextMail(instance, again, 0)
  await tabTo(ann, name, 'button')
  await ann.keyboard.press('Enter')
  // In the top layer, where the dialog does not cover it.
  const toast = ann.locator(':popover-open').filter({ hasText: 'Invitation sent again.' })
  await expect(toast).toBeInViewport({ ratio: 1 })
  const second = await nextMail(instance, again, 1)
  const other = emails.find(
    (email) =>
      email !== again &&
      instance.smtp!.accepted.some(({ recipients }) => recipients.join().includes(`<${email}>`)),
  )!

  const replaced = await person(browser, faults, { allowed: [/410/] })
  await replaced.goto(first.link)
  await expect(replaced.getByText('This invitation was revoked. Ask for a new one.')).toBeVisible()
  for (const { link } of [second, await nextMail(instance, other, 0)]) {
    const pupil = await person(browser, faults)
    await pupil.goto(link)
    await pupil.getByLabel('Your name').fill('Pupil')
    await pupil.keyboard.press('Enter')
    await expect(composerOf(pupil, '#front-desk')).toBeVisible()
  }

  // An address with a mistake is corrected, and its invitation ends.
  const change = pending.getByRole('button', { name: /^Change invitation for / }).first()
  const wrong = (await change.getAttribute('aria-label'))!.replace('Change invitation for ', '')
  await change.press('Enter')
  const field = ann.getByRole('textbox', { name: 'Email addresses' })
  await expect(field).toBeFocused()
  await expect(field).toHaveValue(wrong)
  await field.fill('una@school.example')
  await ann.getByRole('button', { name: 'Send invitation', exact: true }).press('Enter')
  await expect(pending.getByText('una@school.example', { exact: true })).toBeVisible()
  await expect(pending.getByText(wrong, { exact: true })).toHaveCount(0)
})
