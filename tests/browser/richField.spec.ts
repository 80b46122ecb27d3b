import { expect } from '@playwright/test'
import type { Locator, Page } from '@playwright/test'
import { composerOf, enterDemo, laptopScreen, openChannel, person } from './support.ts'
import { test } from './sharedServer.ts'

const CHANNEL = '#front-desk'

const optionsOf = (page: Page): Locator => page.getByRole('listbox').getByRole('option')

/** Pastes formats of the clipboard into the focused field. As text: this program knows no types of browsers. */
const paste = (page: Page, formats: Record<string, string>): Promise<unknown> =>
  page.evaluate(`(() => {
    const clipboardData = new DataTransfer()
    for (const [type, text] of Object.entries(${JSON.stringify(formats)})) clipboardData.setData(type, text)
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    document.activeElement.dispatchEvent(event)
  })()`)

test('a message shows its formats while it is written', async ({ browser, demo }) => {
  const faults: string[] = []
  const ann = await person(browser, faults, laptopScreen)
  const bea = await person(browser, faults, laptopScreen)
  await enterDemo(ann, demo, 'ann')
  await enterDemo(bea, demo, 'bea')
  await openChannel(ann, 'front-desk')
  await openChannel(bea, 'front-desk')
  const field = composerOf(ann, CHANNEL)
  const log = bea.getByRole('log')
  const { keyboard } = ann
  const clear = async () => {
    await keyboard.press('Control+a')
    await keyboard.press('Backspace')
    await keyboard.press('Backspace')
    await expect(field).toHaveText('')
  }
  await field.focus()
  await expect(field).toHaveAttribute('contenteditable', 'true')
  await expect(field).toBeFocused()

  // Marks, which Backspace makes text again, and keys.
  await keyboard.type('Is **bold**')
  await expect(field.locator('strong')).toHaveText('bold')
  await keyboard.press('Backspace')
  await expect(field).toHaveText('Is **bold**')
  await clear()
  await keyboard.type('2*3*4 is ')
  await keyboard.press('Control+b')
  await keyboard.type('heavy')
  await keyboard.press('Control+b')
  await keyboard.type(' and `code`.')
  await expect(field.locator('strong')).toHaveText('heavy')
  await expect(field.locator('code')).toHaveText('code')
  await expect(field).toHaveText('2*3*4 is heavy and code.')

  // A mention is one character.
  await keyboard.type(' @be')
  await expect(optionsOf(ann).first()).toBeVisible()
  await keyboard.press('Enter')
  const pill = field.locator('[data-pill=mention]')
  await expect(pill).toHaveText('@Bea Lindqvist')
  await keyboard.press('Backspace')
  await keyboard.press('Backspace')
  await expect(pill).toHaveCount(0)
  await keyboard.press('Control+z')
  await expect(pill).toHaveText('@Bea Lindqvist')

  // Lists and code.
  await keyboard.press('Shift+Enter')
  await keyboard.type('- one')
  await keyboard.press('Shift+Enter')
  await keyboard.type('two')
  await keyboard.press('Tab')
  await expect(field.locator('li li')).toHaveText('two')
  for (let times = 0; times < 3; times += 1) await keyboard.press('Shift+Enter')
  await keyboard.type('```js')
  await keyboard.press('Enter')
  await keyboard.type('a()')
  await keyboard.press('Enter')
  await keyboard.type('b()')
  await expect(field.locator('pre')).toHaveText('a()\nb()')
  await keyboard.press('Enter')
  await keyboard.type('```')
  await keyboard.type('Sent.')
  await keyboard.press('Enter')
  await expect(field).toHaveText('')
  const message = log.getByRole('article').filter({ hasText: 'Sent.' })
  await expect(message.locator('strong')).toHaveText('heavy')
  await expect(message.getByText('@Bea Lindqvist')).toBeVisible()
  await expect(message.locator('li li')).toHaveText('two')
  await expect(message.locator('pre')).toContainText('a()')

  // Arrow up edits the last message, and the composer has the focus afterwards.
  await expect(ann.getByRole('log').getByRole('article', { name: /, sending$/ })).toHaveCount(0)
  await keyboard.press('ArrowUp')
  const editor = ann.getByRole('textbox', { name: 'Edit message' })
  await expect(editor.locator('li li')).toHaveText('two')
  await keyboard.type(' Edited.')
  await keyboard.press('Enter')
  await expect(message).toContainText('Sent. Edited.')
  await expect(field).toBeFocused()

  // Paste of HTML is one step of the history, and scripts in it are ignored.
  await paste(ann, {
    'text/plain': 'a b',
    'text/html': '<ul><li>a <b>b</b></li></ul><script>alert(1)</script>',
  })
  await expect(field.locator('li strong')).toHaveText('b')
  await keyboard.press('Control+z')
  await expect(field).toHaveText('')

  // A copied mention is one in another place, too.
  await keyboard.type('@be')
  await expect(optionsOf(ann).first()).toBeVisible()
  await keyboard.press('Enter')
  await keyboard.press('Control+a')
  await keyboard.press('Control+x')
  await expect(field).toHaveText('')
  await keyboard.press('Control+v')
  await expect(pill).toHaveText('@Bea Lindqvist')
  await clear()

  // A selection becomes a link.
  await keyboard.type('the plan')
  await keyboard.press('Control+a')
  await keyboard.press('Control+k')
  await ann.getByRole('textbox', { name: 'Address of the link' }).fill('a.example/plan')
  await keyboard.press('Enter')
  await expect(field).toBeFocused()
  await expect(field.getByRole('link', { name: 'the plan' })).toHaveAttribute(
    'href',
    'https://a.example/plan',
  )
  expect(faults).toEqual([])
})
