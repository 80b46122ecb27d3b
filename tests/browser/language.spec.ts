import { expect } from '@playwright/test'
import { createSignInToken, emailOf, nextMail, person } from './support.ts'
import { test } from './sharedServer.ts'

test('what is loaded on demand is shown in the chosen language, however late its messages arrive', async ({
  browser,
  demo,
}) => {
  const { server } = demo
  const faults: string[] = []
  const page = await person(browser, faults, { locale: 'de-DE' })
  const stored = page.waitForResponse(
    (response) => response.request().method() === 'PUT' && response.url().endsWith('/auth/v1/user'),
  )
  const token = await createSignInToken(server, emailOf(demo, 'bea'))
  await page.goto(`${server.url}/confirm?token_hash=${token}&type=email#${emailOf(demo, 'bea')}`)
  await page.getByRole('button', { name: 'Weiter' }).click()
  await expect(page.getByRole('textbox', { name: /^Nachricht/ })).toBeVisible()

  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/messages-de-rest-/, async (route) => {
    await released
    await route.continue()
  })
  const requested = page.waitForRequest(/messages-de-rest-/)
  const palette = page.waitForResponse(/CommandPalette-.*\.js/)
  await page.reload()
  await expect(page.getByRole('textbox', { name: /^Nachricht/ })).toBeVisible()
  await page.keyboard.press('Control+k')
  await Promise.all([requested, palette])
  await expect(page.getByRole('dialog')).toHaveCount(0)
  release()
  await expect(page.getByRole('dialog', { name: 'Springen zu' })).toBeVisible()

  // Emails for sign-in follow, although the account was created without a language.
  expect((await stored).status()).toBe(200)
  const email = emailOf(demo, 'bea')
  const headers = { apikey: server.publishableKey, 'content-type': 'application/json' }
  const body = JSON.stringify({ email, create_user: false })
  await fetch(`${server.url}/auth/v1/otp`, { method: 'POST', headers, body })
  const { text } = await nextMail({ server }, email, 0)
  expect(text).toContain(`Mit diesem Link meldest du dich als ${email} an.`)
  expect(faults).toEqual([])
  await page.close()
})
