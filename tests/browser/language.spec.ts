import { expect, test } from '@playwright/test'
import { person } from './support.ts'
import { startDemo } from './startDemo.ts'

test('what is loaded on demand is shown in the chosen language, however late its messages arrive', async ({
  browser,
}) => {
  const { server, end } = await startDemo()
  const faults: string[] = []
  const page = await person(browser, faults, { locale: 'de-DE' })
  const response = await fetch(`${server.url}/auth/v1/admin/generate_link`, {
    method: 'POST',
    headers: { apikey: server.secretKey, 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'magiclink', email: 'bea@harbour.example' }),
  })
  const { hashed_token: token } = (await response.json()) as { hashed_token: string }
  await page.goto(`${server.url}/confirm?token_hash=${token}&type=email#bea@harbour.example`)
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
  expect(faults).toEqual([])
  await page.close()
  await end()
})
