import { expect, test } from '@playwright/test'
import { networkInterfaces } from 'node:os'
import {
  composerOf,
  laptopScreen,
  nextMail,
  openInvite,
  person,
  phoneScreen,
  sendMessage,
  setUp,
  startTestInstance,
} from './support.ts'

const hasNetwork = Object.values(networkInterfaces()).some((found) =>
  found?.some(({ family, internal }) => family === 'IPv4' && !internal),
)

test('without a public address, people use Linnet over http at the address of the machine in their network', async ({
  browser,
}) => {
  test.skip(!hasNetwork, 'This machine has no network.')
  const instance = await startTestInstance({ settings: '[server]\nhost = "0.0.0.0"\n' })
  const faults: string[] = []
  try {
    const { url, networkUrl } = instance.server
    const setupUrl = instance.server.setupUrl!.replace(url, networkUrl!)
    // The client library warns that it sends the code verifier as it is.
    const allowed = [/WebCrypto API is not supported/, /Cross-Origin-Opener-Policy/]
    const ann = await person(browser, faults, { ...laptopScreen, allowed })
    await setUp(ann, { ...instance, server: { ...instance.server, setupUrl } })
    expect(await ann.evaluate('isSecureContext')).toBe(false)
    await sendMessage(ann, '#front-desk', 'The water is off until noon')

    const phone = await person(browser, faults, { ...phoneScreen, allowed })
    await phone.goto(`${networkUrl}/sign-in`)
    await phone.getByLabel('Email address').fill('ann@harbour.example')
    await phone.keyboard.press('Enter')
    // The client library discards the code verifier if the page is left before the response.
    await expect(phone.getByLabel('6-digit code')).toBeVisible()
    const { link } = await nextMail(instance, 'ann@harbour.example', 1)
    expect(new URL(link).origin).toBe(networkUrl)
    await phone.goto(link)
    await phone.getByRole('button', { name: 'Continue' }).tap()
    await expect(phone.getByRole('navigation').first()).toBeVisible()

    await openInvite(ann)
    await ann.getByRole('button', { name: 'Create link' }).click()
    await expect(ann.getByLabel('Invitation link')).toHaveValue(new RegExp(`^${networkUrl}/join#`))
    await expect(ann.getByRole('note')).toHaveCount(0)
    await expect(ann.getByRole('img', { name: 'QR code with the invitation link' })).toBeVisible()
    await ann.getByRole('button', { name: 'Copy link' }).click()
    await expect(ann.getByRole('button', { name: 'Copied' })).toBeVisible()

    const local = await person(browser, faults, laptopScreen)
    await local.goto(`${url}/sign-in`)
    await local.getByLabel('Email address').fill('ann@harbour.example')
    await local.keyboard.press('Enter')
    await local.getByLabel('6-digit code').fill((await nextMail(instance, 'ann@harbour.example', 2)).code)
    await local.getByRole('button', { name: 'Continue', exact: true }).click()
    await expect(composerOf(local, '#front-desk')).toBeVisible()
    await openInvite(local)
    await expect(local.getByRole('note').getByRole('link', { name: networkUrl! })).toBeVisible()
    await local.getByRole('button', { name: 'Create link' }).click()
    await expect(local.getByLabel('Invitation link')).toHaveValue(new RegExp(`^${url}/join#`))
    await expect(local.getByRole('img', { name: /^QR code/ })).toHaveCount(0)
    expect(faults).toEqual([])
  } finally {
    await instance.end()
  }
})
