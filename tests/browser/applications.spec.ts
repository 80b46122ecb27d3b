import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from '@playwright/test'
import { openSettings, person, setUp, startTestInstance, type TestInstance } from './support.ts'

const redirectUri = 'https://rota.example/callback'
let instance: TestInstance
const faults: string[] = []

test.beforeAll(async () => {
  instance = await startTestInstance({
    settings: '[auth.oauth_server]\nenabled = true\nauthorization_url_path = "/oauth/consent"\n',
  })
})
test.afterAll(async () => {
  await instance.end()
  expect(faults).toEqual([])
})

test('an application gets what a person ticks, by keyboard on a phone, until they disconnect it', async ({
  browser,
}) => {
  const { url, publishableKey, secretKey } = instance.server
  const page = await person(browser, faults, { viewport: { width: 390, height: 844 } })
  await setUp(page, instance)
  const created = await fetch(`${url}/auth/v1/admin/oauth/clients`, {
    method: 'POST',
    headers: { apikey: secretKey, authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Rota',
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'none',
    }),
  })
  const { client_id } = (await created.json()) as { client_id: string }
  const verifier = randomBytes(32).toString('base64url')
  await page.route(`${redirectUri}**`, (route) => route.fulfill({ contentType: 'text/html', body: 'Rota' }))
  const query = new URLSearchParams({
    client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  await page.goto(`${url}/auth/v1/oauth/authorize?${query}`)
  await expect(page.getByRole('heading', { name: 'Connect Rota?' })).toBeVisible()
  for (const name of [/^See your workspaces/, /^Read your messages/]) {
    const box = page.getByRole('checkbox', { name })
    await expect(box).not.toBeChecked()
    await box.focus()
    await page.keyboard.press('Space')
    await expect(box).toBeChecked()
  }
  await page.screenshot({ path: test.info().outputPath('consent.png') })
  await page.getByRole('button', { name: 'Connect', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(`${redirectUri}?**`)
  const code = new URL(page.url()).searchParams.get('code')!
  const redeemed = await fetch(`${url}/auth/v1/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id,
      code,
      code_verifier: verifier,
      redirect_uri: redirectUri,
    }),
  })
  const { access_token } = (await redeemed.json()) as { access_token: string }
  const request = (path: string, init: RequestInit = {}) =>
    fetch(`${url}/rest/v1/${path}`, {
      ...init,
      headers: {
        apikey: publishableKey,
        authorization: `Bearer ${access_token}`,
        'content-type': 'application/json',
      },
    })
  const channels = (await (await request('channels?select=id')).json()) as unknown[]
  expect(channels.length).toBeGreaterThan(0)
  expect(await (await request('application_grants?select=client_id')).json()).toEqual([])
  expect((await request('rpc/mark_read', { method: 'POST', body: '{}' })).status).not.toBe(200)

  await page.goto(url)
  await openSettings(page)
  await page.getByRole('link', { name: 'Account and security' }).click()
  await expect(page.getByText('Read your messages and files', { exact: false })).toBeVisible()
  await page.screenshot({ path: test.info().outputPath('applications.png'), fullPage: true })
  await page.getByRole('button', { name: 'Disconnect Rota' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Disconnect Rota?' })).toBeVisible()
  await page.getByRole('button', { name: 'Disconnect', exact: true }).last().focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Connected applications' })).toBeHidden()
  expect(await (await request('channels?select=id')).json()).toEqual([])
  await page.context().close()
})
