import { expect } from '@playwright/test'
import { emailOf, enterDemo, laptopScreen, person, phoneScreen } from './support.ts'
import { test } from './sharedServer.ts'

test('a phone is signed in by the QR code of a laptop, and by nobody who has used it before', async ({
  browser,
  demo,
}) => {
  const { server } = demo
  const faults: string[] = []
  const laptop = await person(browser, faults, laptopScreen)
  const phone = await person(browser, faults, { ...phoneScreen, allowed: [/404.*device-sign-in/] })
  // The sections of the page appear together, so that a list that arrives late moves no button.
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await laptop.route('**/rpc/my_sessions', (route) => released.then(() => route.continue()))
  const requested = laptop.waitForRequest('**/rpc/my_sessions')
  await enterDemo(laptop, demo, 'ann', '/settings/security')
  await requested
  const sections = laptop
    .getByRole('main')
    .getByRole('region', { name: /^(?:Email|Active sessions|Delete account)/ })
  await expect(laptop.getByRole('main').getByRole('status', { name: 'Loading…' })).toBeVisible()
  await expect(sections).toHaveCount(0)
  release()
  await expect(sections).toHaveCount(3)
  const created = laptop.waitForResponse('**/rpc/create_sign_in_code')
  await laptop.getByRole('button', { name: 'Sign in on your phone' }).press('Enter')
  const { code } = (await (await created).json()) as { code: string }
  const dialog = laptop.getByRole('dialog', { name: 'Sign in on your phone' })
  await expect(dialog.getByRole('img', { name: /^QR code/ })).toBeVisible()

  await phone.goto(`${server.url}/device#${code}`)
  await phone.getByRole('button', { name: 'Continue' }).tap()
  const number = await phone.getByText(/^\d\d$/).textContent()
  await expect(dialog.getByText(number!, { exact: true })).toBeVisible()
  await dialog.getByRole('button', { name: 'Yes, sign in' }).press('Enter')
  await expect(dialog).toHaveCount(0)
  await phone.getByRole('button', { name: `Sign in as ${emailOf(demo, 'ann')}` }).tap()
  await expect(phone.getByRole('navigation').first()).toBeVisible()

  await phone.goto(`${server.url}/device?again#${code}`)
  await phone.getByRole('button', { name: 'Continue' }).tap()
  await expect(phone.getByRole('alert')).toContainText('This code has expired or was already used.')
  expect(faults).toEqual([])
})
