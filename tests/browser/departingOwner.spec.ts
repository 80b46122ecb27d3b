import { expect, type Page } from '@playwright/test'
import { enterDemo, goTo, person } from './support.ts'
import { test } from './sharedServer.ts'

/** Presses Tab until an element with this name has the focus. */
async function tabTo(page: Page, name: string, role: 'button' | 'combobox') {
  const target = page.getByRole(role, { name, exact: true })
  await expect(target).toBeVisible()
  const focused = page.locator(':focus').and(target)
  for (let presses = 0; presses < 200; presses += 1) {
    if ((await focused.count()) > 0) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`${name} is not reached by Tab.`)
}

for (const [label, viewport] of [
  ['at 1440 px', { width: 1440, height: 900 }],
  ['at 390 px', { width: 390, height: 844 }],
] as const) {
  test(`an owner transfers the ownership and leaves, by keyboard, ${label}`, async ({ browser, demo }) => {
    const faults: string[] = []
    const ann = await person(browser, faults, { viewport, allowed: [/net::ERR_/, /WebSocket/, /40[0-9]/] })
    await enterDemo(ann, demo, 'ann', '/settings/leave')
    await tabTo(ann, 'Leave workspace', 'button')
    await ann.keyboard.press('Enter')
    const dialog = ann.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Leave workspace' }).press('Enter')
    await expect(dialog.getByRole('alert')).toContainText('You’re the only owner')
    await ann.keyboard.press('Escape')

    await goTo(ann, '/settings/people')
    await expect(ann.getByRole('table', { name: 'Manage people' })).toContainText('Bea')
    await ann.getByRole('checkbox', { name: 'Select Bea Lindqvist' }).press('Space')
    await ann.getByRole('button', { name: 'Actions' }).press('Enter')
    await expect(ann.getByRole('menuitem', { name: 'Deactivate' })).toBeVisible()
    await ann.keyboard.press('Escape')

    await goTo(ann, '/settings/permissions')
    await tabTo(ann, 'New owner', 'combobox')
    await ann.keyboard.press('B')
    await expect(ann.getByRole('combobox', { name: 'New owner' }).locator('option:checked')).toHaveText(
      /^Bea/,
    )
    await tabTo(ann, 'Transfer ownership', 'button')
    await ann.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Transfer ownership' }).press('Enter')
    await expect(ann.getByRole('combobox', { name: 'New owner' })).toHaveCount(0)

    await goTo(ann, '/settings/leave')
    await tabTo(ann, 'Leave workspace', 'button')
    await ann.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Leave workspace' }).press('Enter')
    await expect(ann.getByRole('textbox', { name: /^Message / })).toHaveCount(0)
    await expect(ann).toHaveURL(/sign-in/)
  })
}

test('a person deletes their account, learns it on the sign-in page, and keeps it after signing in', async ({
  browser,
  demo,
}) => {
  const pictures = process.env['LINNET_PICTURES']
  const bea = await person(browser, [], { allowed: [/net::ERR_/, /WebSocket/, /40[0-9]/] })
  await enterDemo(bea, demo, 'bea', '/settings/security')
  await bea.getByRole('button', { name: 'Delete account' }).click()
  const dialog = bea.getByRole('dialog')
  await expect(dialog.getByText('You have 7 days to change your mind')).toBeVisible()
  await dialog.getByLabel('Enter the email address of your account to confirm').fill('ann@harbour.example')
  if (pictures) {
    await bea.screenshot({ path: `${pictures}/delete-account-1440.png` })
    await bea.setViewportSize({ width: 390, height: 844 })
    await bea.screenshot({ path: `${pictures}/delete-account-390.png` })
    await bea.setViewportSize({ width: 1440, height: 900 })
  }
  await dialog.getByRole('button', { name: 'Delete account' }).click()
  await expect(dialog.getByRole('alert')).toContainText('That isn’t the address of your account')
  await dialog.getByLabel('Enter the email address of your account to confirm').fill(`bea@${demo.domain}`)
  await dialog.getByRole('button', { name: 'Delete account' }).click()
  await expect(bea.getByText(/^The deletion of your account was requested \(today/)).toBeVisible()
  if (pictures) await bea.screenshot({ path: `${pictures}/deletion-requested.png` })

  await enterDemo(bea, demo, 'bea')
  const keep = bea.getByRole('button', { name: 'Keep my account' })
  await expect(keep).toBeVisible()
  if (pictures) await bea.screenshot({ path: `${pictures}/deletion-banner.png` })
  await keep.click()
  await expect(keep).toHaveCount(0)
  await bea.reload()
  await expect(bea.getByRole('link', { name: /^rota/ })).toBeVisible()
  await expect(keep).toHaveCount(0)
})
