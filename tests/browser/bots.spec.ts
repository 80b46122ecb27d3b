import { expect, test } from '@playwright/test'
import { clientOf } from '../support/people.ts'
import { enterDemo, messageOf, person } from './support.ts'
import { startDemo } from './startDemo.ts'

test('a bot is created by keyboard, posts by a webhook, is labelled for others, and ends with its token', async ({
  browser,
}) => {
  const { server, end } = await startDemo()
  const faults: string[] = []
  try {
    const [ann, bea] = await Promise.all(
      ['ann', 'bea'].map(async (nick) => {
        const page = await person(browser, faults, {
          viewport: nick === 'ann' ? { width: 390, height: 844 } : { width: 1440, height: 900 },
        })
        await enterDemo(page, server, nick)
        return page
      }),
    )
    await bea!
      .getByRole('navigation')
      .getByRole('link', { name: /^front-desk/ })
      .click()

    await ann!.goto(`${server.url}/settings/bots`)
    await ann!.getByRole('button', { name: 'Add bot' }).press('Enter')
    await ann!.keyboard.type('Harbour bell')
    await ann!.getByRole('checkbox', { name: '#front-desk' }).press('Space')
    await ann!.getByLabel('Description').press('Enter')
    await ann!.getByRole('combobox', { name: 'Channel' }).first().waitFor()
    await ann!.getByRole('button', { name: 'Create webhook' }).first().press('Enter')
    const address = await ann!.getByLabel('Webhook address').inputValue()
    const posted = await fetch(address, { method: 'POST', body: '{"text": "High water at *eight*"}' })
    expect(await posted.text()).toBe('ok')
    await expect(messageOf(bea!, '#front-desk', 'eight')).toBeVisible()
    await expect(
      bea!.getByRole('article').filter({ hasText: 'High water' }).getByText('Bot', { exact: true }),
    ).toBeVisible()

    await ann!.getByRole('button', { name: 'Create token' }).press('Enter')
    const email = await ann!.getByLabel('Sign-in address').inputValue()
    const password = await ann!.getByRole('textbox', { name: 'Token' }).inputValue()
    const client = clientOf(server)
    expect((await client.auth.signInWithPassword({ email, password })).error).toBeNull()
    await ann!.getByRole('button', { name: 'Deactivate bot' }).press('Enter')
    await ann!.getByRole('dialog').getByRole('button', { name: 'Deactivate bot' }).press('Enter')
    await expect(ann!.getByText('No bots yet.')).toBeVisible()
    expect((await client.auth.signInWithPassword({ email, password })).error?.code).toBe(
      'invalid_credentials',
    )
    expect((await fetch(address, { method: 'POST', body: '{"text": "Late"}' })).status).toBe(404)
    expect(faults).toEqual([])
  } finally {
    await end()
  }
})
