import { expect, test } from '@playwright/test'
import { goTo, laptopScreen, person, setUp, startTestInstance } from './support.ts'

test('an owner tries the mail server in the first steps, which then disappear', async ({ browser }) => {
  const instance = await startTestInstance({ sendsMail: true })
  const faults: string[] = []
  const pictures = process.env['LINNET_PICTURES']
  try {
    const ann = await person(browser, faults, laptopScreen)
    await setUp(ann, instance)
    await goTo(ann, '/settings/health')
    const check = ann.getByRole('button', { name: 'Check again' })
    await check.press('Enter')
    await expect(ann.getByText('The mail server accepts connections.')).toBeAttached()
    await ann.getByRole('button', { name: 'First steps' }).press('Enter')
    const dialog = ann.getByRole('dialog', { name: 'First steps' })
    const steps = dialog.getByRole('listitem')
    // The servers of tests make no backups.
    await expect(steps.getByRole('heading')).toHaveText([
      'Give Linnet an address that others can open',
      'Try the mail server',
      'Protect your account',
      'Invite the others',
    ])
    if (pictures)
      for (const [width, height, colorScheme] of [
        [1440, 900, 'light'],
        [390, 844, 'dark'],
      ] as const) {
        await ann.setViewportSize({ width, height })
        await ann.emulateMedia({ colorScheme })
        await ann.screenshot({ path: `${pictures}/first-steps-${width}.png` })
      }
    await ann.setViewportSize(laptopScreen.viewport)
    await dialog.getByRole('button', { name: 'Send me a test email' }).press('Enter')
    await expect(dialog.getByText('An email is on its way to ann@harbour.example.')).toBeVisible()
    const subjects = instance.smtp!.accepted.map(({ data }) => /^Subject: (.*)$/im.exec(data)?.[1]?.trim())
    expect(subjects).toContain('A test email from Linnet')
    await dialog.getByRole('button', { name: 'It has arrived' }).press('Enter')
    await expect(dialog.getByRole('heading', { name: 'Try the mail server' })).toHaveCount(0)
    await dialog.getByRole('button', { name: 'Invite people' }).press('Enter')
    await expect(ann.getByRole('dialog', { name: 'Invite people' })).toBeVisible()
    if (pictures) await ann.screenshot({ path: `${pictures}/invite-1440.png` })
    await ann.keyboard.press('Escape')
    await ann.getByRole('button', { name: 'First steps' }).press('Enter')
    await dialog.getByRole('button', { name: 'Don’t show these again' }).press('Enter')
    await expect(ann.getByRole('button', { name: 'First steps' })).toHaveCount(0)
    expect(faults).toEqual([])
  } finally {
    await instance.end()
  }
})
