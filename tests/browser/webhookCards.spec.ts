import { expect } from '@playwright/test'
import { randomUUID } from 'node:crypto'
import { WEBHOOK_REQUESTS } from '../../supabase/tests/support/webhookPayloads.ts'
import { signInDemoClient } from './demoClient.ts'
import { findViolations } from './findViolations.ts'
import { enterDemo, goTo, laptopScreen, person } from './support.ts'
import { test } from './sharedServer.ts'

test('messages of other services are cards, in both themes, wide and narrow', async ({ browser, demo }) => {
  const faults: string[] = []
  const { bootstrap, call } = await signInDemoClient(demo, 'ann')
  const workspace = bootstrap.workspace!.id
  const [bot, channel] = [randomUUID(), randomUUID()]
  await call('create_channel', { id: channel, workspace, name: 'alerts', kind: 'public' })
  await call('create_bot', { id: bot, workspace, name: 'Services', channels: [channel] })
  const { token } = await call('create_incoming_webhook', { bot, channel })
  for (const { headers, payload, title } of WEBHOOK_REQUESTS) {
    const response = await fetch(`${demo.server.url}/functions/v1/incoming-webhook/${token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(payload),
    })
    expect(await response.text(), title).toBe('ok')
  }

  const ann = await person(browser, faults, { ...laptopScreen, reducedMotion: 'reduce' })
  await enterDemo(ann, demo, 'ann', `/c/${channel}`)
  const card = ann.getByRole('blockquote').filter({ hasText: 'Low water was' })
  await expect(card.getByRole('link', { name: 'Tide table' })).toHaveAttribute(
    'href',
    'https://tides.example/',
  )
  await expect(card.getByText('5.2 m')).toBeVisible()
  const row = ann.getByRole('article', { name: /^Harbour \*master\*, / })
  await expect(row.getByRole('button', { name: 'Harbour *master*' })).toBeVisible()
  await expect(row.getByText('Harbour *master*')).toHaveCount(1)
  // It has replaced the message about two firing alerts.
  const alert = ann.getByRole('blockquote').filter({ hasText: 'Resolved: DiskFull' })
  await expect(alert.getByRole('link', { name: 'Runbook' })).toHaveAttribute(
    'href',
    'https://wiki.example/disk',
  )
  const log = ann.getByRole('log')
  const pictures = process.env['LINNET_PICTURES']
  for (const scheme of ['light', 'dark'] as const) {
    await ann.emulateMedia({ colorScheme: scheme })
    for (const width of [1440, 390]) {
      await ann.setViewportSize({ width, height: 900 })
      await expect(card).toBeVisible()
      expect.soft(await findViolations(ann, 'color-contrast'), `${scheme}, ${width} wide`).toEqual([])
      // Nothing is wider than the page.
      expect(await log.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
      if (!pictures) continue
      // All messages of `WEBHOOK_REQUESTS` on one page, for a person to look at.
      await ann.setViewportSize({ width, height: 12_000 })
      await expect(ann.getByText('Many errors')).toBeVisible()
      await log.screenshot({ path: `${pictures}/webhooks-${scheme}-${width}.png` })
    }
  }
  expect(faults).toEqual([])
})

test('a webhook posts with its name and its emoji, and notifies everyone once it may', async ({
  browser,
  demo,
}) => {
  const faults: string[] = []
  const { bootstrap, call } = await signInDemoClient(demo, 'ann')
  const workspace = bootstrap.workspace!.id
  const [bot, channel] = [randomUUID(), randomUUID()]
  await call('create_channel', { id: channel, workspace, name: 'tide-alerts', kind: 'public' })
  await call('create_bot', { id: bot, workspace, name: 'Gauges', channels: [channel] })
  const { token } = await call('create_incoming_webhook', { bot, channel })
  const post = async (text: string) => {
    const response = await fetch(`${demo.server.url}/functions/v1/incoming-webhook/${token}`, {
      method: 'POST',
      body: JSON.stringify({ text }),
    })
    expect(await response.text()).toBe('ok')
  }
  const ann = await person(browser, faults, { ...laptopScreen, reducedMotion: 'reduce' })
  await enterDemo(ann, demo, 'ann', `/settings/bots/${bot}`)
  await ann.getByRole('button', { name: 'Edit the webhook of #tide-alerts' }).click()
  const dialog = ann.getByRole('dialog', { name: 'Edit webhook' })
  await dialog.getByLabel('Name').fill('Tide gauge')
  await dialog.getByRole('button', { name: 'Choose an emoji' }).click()
  await ann.getByRole('searchbox', { name: 'Search emoji' }).fill('anchor')
  await expect(ann.getByRole('region', { name: 'Results' }).getByRole('button').first()).toHaveText('⚓')
  await ann.keyboard.press('Enter')
  await dialog.getByRole('checkbox', { name: 'May notify everyone' }).check()
  expect(await findViolations(ann)).toEqual([])
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(ann.getByText('may notify everyone')).toBeVisible()

  await goTo(ann, `/c/${channel}`)
  await post('<!here> ebb in an hour')
  const row = ann.getByRole('article', { name: /^Tide gauge, / })
  await expect(row.getByText('@here')).toBeVisible()
  await expect(row.getByText('⚓')).toBeVisible()
  expect(faults).toEqual([])
})
