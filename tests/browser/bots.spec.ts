import { expect, type Page } from '@playwright/test'
import { clientOf } from '../support/people.ts'
import { enterDemo, expectText, goTo, laptopScreen, messageOf, person, type Demo } from './support.ts'
import { test } from './sharedServer.ts'

test.describe.configure({ mode: 'serial' })

let demo: Demo
let ann: Page
let bea: Page
const faults: string[] = []

test.beforeAll(async ({ browser, createDemo }) => {
  demo = await createDemo()
  ann = await person(browser, faults, laptopScreen)
  bea = await person(browser, faults, { ...laptopScreen, hasTouch: true })
  await Promise.all([enterDemo(ann, demo, 'ann', '/settings/bots'), enterDemo(bea, demo, 'bea')])
})

test.afterEach(() => {
  expect(faults).toEqual([])
})

test.afterAll(() => demo.end())

test('a bot is created by keyboard, posts by a webhook, is labelled for others, and ends with its token', async () => {
  await ann.setViewportSize({ width: 390, height: 844 })
  await bea
    .getByRole('navigation')
    .getByRole('link', { name: /^front-desk/ })
    .click()

  await ann.getByRole('button', { name: 'Add bot' }).press('Enter')
  await expect(ann.getByLabel('Name', { exact: true })).toBeFocused()
  await ann.keyboard.type('Harbour bell')
  await ann.getByRole('checkbox', { name: '#front-desk' }).press('Space')
  await ann.getByLabel('Description').press('Enter')
  await ann.getByRole('combobox', { name: 'Channel' }).first().waitFor()
  await ann.getByRole('button', { name: 'Create webhook' }).first().press('Enter')
  const address = await ann.getByLabel('Webhook address').inputValue()
  const posted = await fetch(address, { method: 'POST', body: '{"text": "High water at *eight*"}' })
  expect(await posted.text()).toBe('ok')
  await expect(messageOf(bea, '#front-desk', 'eight')).toBeVisible()
  await expect(
    bea.getByRole('article').filter({ hasText: 'High water' }).getByText('Bot', { exact: true }),
  ).toBeVisible()

  await ann.getByLabel('Address of the service').fill('https://bell.example/in')
  await ann.getByRole('button', { name: 'Create webhook' }).last().press('Enter')
  const secret = await ann.getByLabel('Signing secret').inputValue()
  await ann
    .getByRole('button', { name: 'New secret for the webhook to https://bell.example/in' })
    .press('Enter')
  await ann.getByRole('dialog').getByRole('button', { name: 'Create secret' }).press('Enter')
  await expect(ann.getByLabel('Signing secret')).not.toHaveValue(secret)
  await expect(ann.getByLabel('Signing secret')).toHaveValue(/^whsec_/)

  await ann.getByRole('button', { name: 'Create token' }).press('Enter')
  const email = await ann.getByLabel('Sign-in address').inputValue()
  const password = await ann.getByRole('textbox', { name: 'Token' }).inputValue()
  const client = clientOf(demo.server)
  expect((await client.auth.signInWithPassword({ email, password })).error).toBeNull()
  await ann.getByRole('button', { name: 'Deactivate bot' }).press('Enter')
  await ann.getByRole('dialog').getByRole('button', { name: 'Deactivate bot' }).press('Enter')
  await expect(ann.getByText('No bots yet.')).toBeVisible()
  expect((await client.auth.signInWithPassword({ email, password })).error?.code).toBe('invalid_credentials')
  expect((await fetch(address, { method: 'POST', body: '{"text": "Late"}' })).status).toBe(404)
})

test('a command of a bot is completed, pending until the bot responds, shown to its caller alone, and dismissed', async () => {
  await ann.setViewportSize({ width: 1440, height: 900 })
  await bea.setViewportSize({ width: 390, height: 844 })
  await goTo(ann, '/settings/bots')
  await ann.getByRole('button', { name: 'Add bot' }).press('Enter')
  await expect(ann.getByLabel('Name', { exact: true })).toBeFocused()
  await ann.keyboard.type('Tides')
  await ann.getByRole('checkbox', { name: '#front-desk' }).press('Space')
  await ann.getByLabel('Description').press('Enter')
  await ann.getByRole('button', { name: 'Create token' }).press('Enter')
  const email = await ann.getByLabel('Sign-in address').inputValue()
  const password = await ann.getByRole('textbox', { name: 'Token' }).inputValue()
  await ann.getByRole('textbox', { name: 'Command' }).fill('/tide')
  await ann.getByLabel('What it does').fill('High and low water')
  await ann.getByLabel('What can follow it').fill('place')
  await ann.getByLabel('What can follow it').press('Enter')
  await expect(ann.getByRole('button', { name: 'Turn off /tide' })).toBeVisible()
  await expect(ann.getByLabel('Signing secret of the commands')).toHaveValue(/^whsec_/)

  // The bot's program, without an address.
  const client = clientOf(demo.server)
  expect((await client.auth.signInWithPassword({ email, password })).error).toBeNull()
  const { data: own } = await client.from('bots').select('profile_id').single<{ profile_id: string }>()
  const received = new Promise<{ text: string; response_url: string }>((resolve) => {
    const topic = client.channel(`user:${own!.profile_id}`, { config: { private: true } })
    topic.on('broadcast', { event: 'command' }, ({ payload }) => resolve(payload as never)).subscribe()
  })
  await expect.poll(() => client.getChannels()[0]?.state).toBe('joined')

  await goTo(bea, '/')
  await bea
    .getByRole('navigation')
    .getByRole('link', { name: /^front-desk/ })
    .click()
  const field = bea.getByRole('textbox', { name: 'Message #front-desk' })
  await field.focus()
  await field.pressSequentially('/tid')
  const option = bea.getByRole('option', { name: /tide place.*High and low water · .*Tides/ })
  await expect(option).toBeVisible()
  await option.tap()
  await expectText(field, '/tide ')
  await field.pressSequentially('Cuxhaven')
  await bea.getByRole('button', { name: 'Send' }).tap()
  await expect(bea.getByText(/Tides.* is running \/tide…/)).toBeVisible()
  await expectText(field, '')

  const { text, response_url: address } = await received
  expect(text).toBe('Cuxhaven')
  const respond = (payload: object) =>
    fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(payload),
    }).then((response) => response.text())
  expect(await respond({ text: 'High water at *nine*' })).toBe('ok')
  const response = bea.getByRole('region', { name: /^Response of .*Tides/ })
  await expect(response.getByText('Only visible to you')).toBeVisible()
  await expect(response.getByText('nine')).toHaveCSS('font-weight', /[67]00|6\d\d/)
  await bea.reload()
  await expect(response.getByText('High water at')).toBeVisible()
  await response.getByRole('button', { name: 'Dismiss' }).tap()
  await expect(response).toHaveCount(0)
  await bea.reload()
  await expect(field).toBeVisible()
  await expect(response).toHaveCount(0)

  await ann
    .getByRole('navigation')
    .getByRole('link', { name: /^front-desk/ })
    .click()
  await expect(messageOf(ann, '#front-desk', 'nine')).toHaveCount(0)
  expect(await respond({ response_type: 'in_channel', text: 'Low water at *two*' })).toBe('ok')
  await expect(messageOf(ann, '#front-desk', 'two')).toBeVisible()
  await client.removeAllChannels()
})
