import { expect, test } from '@playwright/test'
import { goTo, laptopScreen, person, phoneScreen, setUp, startTestInstance } from './support.ts'

/** A script that collects in `places` where the first channel of the sidebar was at each frame, in pixels from the top. */
const recordPlaces = `
  globalThis.places = new Set()
  const record = () => {
    const link = document.querySelector('nav a[href^="/c/"]')
    if (link) places.add(link.getBoundingClientRect().top)
    requestAnimationFrame(record)
  }
  record()
`

/** An expression: the number of lines on which the dialog has the option `--host 0.0.0.0`. */
const countLinesOfOption = `(() => {
  const option = '--host 0.0.0.0'
  const walker = document.createTreeWalker(document.querySelector('dialog[open]'), NodeFilter.SHOW_TEXT)
  let node = walker.nextNode()
  while (!node.data.includes(option)) node = walker.nextNode()
  const range = document.createRange()
  range.setStart(node, node.data.indexOf(option))
  range.setEnd(node, node.data.indexOf(option) + option.length)
  return new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top))).size
})()`

test('an owner tries the mail server in the first steps, which then disappear', async ({ browser }) => {
  const instance = await startTestInstance({ sendsMail: true })
  const faults: string[] = []
  const pictures = process.env['LINNET_PICTURES']
  try {
    const ann = await person(browser, faults, laptopScreen)
    await setUp(ann, instance)
    // The server has not reported yet: the dialog requests its checks.
    await ann.getByRole('button', { name: 'First steps' }).press('Enter')
    const dialog = ann.getByRole('dialog', { name: 'First steps' })
    const steps = dialog.getByRole('listitem')
    // The servers of tests make no backups.
    await expect(steps.getByRole('heading')).toHaveText([
      'Give Linnet an address that others can open',
      'Test the mail server',
      'Protect your account',
      'Invite your team',
    ])
    await expect(dialog.getByText('start it again with “--host 0.0.0.0”')).toBeVisible()
    // The option stays on one line in a window of any width.
    for (let width = 340; width <= 400; width += 10) {
      await ann.setViewportSize({ width, height: 844 })
      expect(await ann.evaluate(countLinesOfOption)).toBe(1)
    }
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
    expect(subjects).toContain('Test email from Linnet')
    await dialog.getByRole('button', { name: 'It has arrived' }).press('Enter')
    await expect(dialog.getByRole('heading', { name: 'Test the mail server' })).toHaveCount(0)
    await dialog.getByRole('button', { name: 'Invite people' }).press('Enter')
    await expect(ann.getByRole('dialog', { name: 'Invite people' })).toBeVisible()
    if (pictures) await ann.screenshot({ path: `${pictures}/invite-1440.png` })
    await ann.keyboard.press('Escape')

    // The page "Server" sends the same mail with the values of its form, and accepts the same answer.
    await goTo(ann, '/settings/server')
    const email = ann.getByRole('region', { name: 'Email', exact: true })
    await email.getByRole('button', { name: 'Send me a test email' }).press('Enter')
    await email.getByRole('button', { name: 'It has arrived' }).press('Enter')
    await expect(email.getByText('The test email has arrived.')).toBeVisible()
    instance.smtp!.faults.push({ at: 'RCPT', answer: '550 No such user here' })
    await email.getByRole('button', { name: 'Send another one' }).press('Enter')
    await expect(email.getByText('Response of the mail server:')).toBeVisible()
    // The settings of a mail server apply together.
    await email.getByRole('textbox', { name: 'Mail server' }).fill('127.0.0.2')
    await email.getByRole('textbox', { name: 'Port' }).fill('1')
    await email.getByRole('textbox', { name: 'Sender address' }).fill('desk@harbour.example')
    await email.getByRole('button', { name: 'Try again' }).press('Enter')
    await expect(email.getByText('The mail server accepts no connections there.')).toBeVisible()
    await expect(email.getByText('Error message:')).toBeVisible()
    await expect(email.getByText('Response of the mail server:')).toHaveCount(0)

    // The channels keep their place while the rows above them load: a click on a row that moves is lost.
    await ann.addInitScript(recordPlaces)
    await ann.reload()
    await expect(ann.getByRole('button', { name: 'First steps' })).toBeVisible()
    expect(await ann.evaluate('places.size')).toBe(1)

    await ann.getByRole('button', { name: 'First steps' }).press('Enter')
    await dialog.getByRole('button', { name: 'Don’t show these again' }).press('Enter')
    await expect(ann.getByRole('button', { name: 'First steps' })).toHaveCount(0)
    // A browser that stores nothing has it from the account.
    await ann.evaluate('localStorage.clear()')
    const account = ann.waitForResponse((response) => response.url().endsWith('/auth/v1/user'))
    await ann.reload()
    const { user_metadata } = (await (await account).json()) as { user_metadata: object }
    expect(user_metadata).toMatchObject({ first_steps: 'hidden', test_mail: 'arrived' })
    await expect(ann.getByRole('button', { name: 'First steps' })).toHaveCount(0)
    expect(faults).toEqual([])
  } finally {
    await instance.end()
  }
})

test('an owner opens the server settings from the first steps, changes one of them, and makes a backup', async ({
  browser,
}) => {
  const instance = await startTestInstance({ settings: '[backup]\nto = "copies"\n' })
  const faults: string[] = []
  try {
    const ann = await person(browser, faults, {
      ...laptopScreen,
      // The server refuses a value, and restarts.
      allowed: [/status of 422/, /status of 503/, /ERR_CONNECTION/, /ERR_EMPTY_RESPONSE/, /WebSocket/],
    })
    await setUp(ann, instance)
    await ann.getByRole('button', { name: 'First steps' }).press('Enter')
    const dialog = ann.getByRole('dialog', { name: 'First steps' })
    await dialog.getByRole('button', { name: 'Open server settings' }).first().press('Enter')
    await expect(ann.getByRole('heading', { level: 1, name: 'Server' })).toBeVisible()
    await expect(
      ann.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Server', exact: true }),
    ).toBeVisible()
    const limits = ann.getByRole('region', { name: 'Limits' })
    const largest = limits.getByRole('textbox', { name: 'Maximum file size' })
    await largest.fill('much')
    await limits.getByRole('button', { name: 'Save' }).press('Enter')
    await expect(limits.getByText('Enter a number with a unit, such as 200MiB or 1GiB.')).toBeVisible()
    await expect(largest).toBeFocused()
    await largest.fill('200MiB')
    await limits.getByRole('button', { name: 'Save' }).press('Enter')
    await expect(ann.getByText('Waiting for a restart: Maximum file size')).toBeVisible()
    const restart = ann.getByRole('button', { name: 'Restart now' })
    await expect(restart).toBeInViewport({ ratio: 1 })
    const backups = ann.getByRole('region', { name: 'Backups' })
    for (const viewport of [phoneScreen.viewport, laptopScreen.viewport]) {
      await ann.setViewportSize(viewport)
      // A trial click scrolls to the field, and fails if something covers it. It must not be what scrolls to the button.
      for (const field of [largest, backups.getByRole('checkbox').last()]) {
        await field.click({ trial: true })
        await expect(restart).toBeInViewport({ ratio: 1 })
      }
      await restart.click({ trial: true })
    }
    await restart.press('Enter')
    await expect(ann.getByText('The server has restarted.').first()).toBeAttached({ timeout: 60_000 })
    await expect(ann.getByRole('button', { name: 'Restart now' })).toHaveCount(0)
    await ann.reload()
    await expect(largest).toHaveValue('200MiB')

    await backups.getByRole('button', { name: 'Back up now' }).press('Enter')
    await expect(
      backups.getByText(/^The last backup is from .* It’s in .*copies and takes up an additional .*\.$/),
    ).toBeVisible({
      timeout: 60_000,
    })
    await expect(backups.getByRole('button', { name: 'Back up now' })).toBeFocused()
    expect(faults).toEqual([])
  } finally {
    await instance.end()
  }
})
