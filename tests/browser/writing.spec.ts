import { expect } from '@playwright/test'
import type { Locator, Page } from '@playwright/test'
import {
  composerOf,
  enterDemo,
  laptopScreen,
  messageOf,
  openChannel,
  person,
  phoneScreen,
  writeMarkdownSource,
} from './support.ts'
import { test } from './sharedServer.ts'

const CHANNEL = '#front-desk'

const optionsOf = (page: Page): Locator => page.getByRole('listbox').getByRole('option')

/** The text of the option that the field names as active. */
async function activeOption(page: Page, field: Locator): Promise<string | null> {
  const id = await field.getAttribute('aria-activedescendant')
  return id === null ? null : page.locator(`[id="${id}"]`).textContent()
}

/** Pastes formats of the clipboard into the focused field. As text: this program knows no types of browsers. */
const paste = (page: Page, formats: Record<string, string>): Promise<unknown> =>
  page.evaluate(`(() => {
    const clipboardData = new DataTransfer()
    for (const [type, text] of Object.entries(${JSON.stringify(formats)})) clipboardData.setData(type, text)
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    document.activeElement.dispatchEvent(event)
  })()`)

/** Lets the composer of the focused field render again between the next key and its input: files are dragged over it. */
const renderBeforeNextInput = (page: Page): Promise<unknown> =>
  page.evaluate(`void addEventListener('beforeinput', () => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(['text'], 'text.txt'))
    const event = new DragEvent('dragover', { dataTransfer, bubbles: true, cancelable: true })
    document.activeElement.dispatchEvent(event)
  }, { capture: true, once: true })`)

/** Lets stored drafts be read only when the returned function is called; then there are none. */
async function delayStoredDrafts(page: Page): Promise<() => Promise<unknown>> {
  await page.evaluate(`(() => {
    const { get } = IDBObjectStore.prototype
    const reading = new Promise((resolve) => { window.readStoredDrafts = resolve })
    IDBObjectStore.prototype.get = function (...args) {
      return this.name === 'drafts' ? reading : get.apply(this, args)
    }
  })()`)
  return () => page.evaluate('window.readStoredDrafts()')
}

test('a message is written as Markdown source by keyboard: completion, formats, lists, code, commands, paste and undo', async ({
  browser,
  demo,
}) => {
  const faults: string[] = []
  const ann = await person(browser, faults, laptopScreen)
  const bea = await person(browser, faults, laptopScreen)
  await writeMarkdownSource(ann)
  await enterDemo(ann, demo, 'ann')
  await enterDemo(bea, demo, 'bea')
  await openChannel(ann, 'front-desk')
  await openChannel(bea, 'front-desk')
  const field = composerOf(ann, CHANNEL)
  const reset = async () => {
    await field.fill('')
    await field.focus()
  }

  // Completion of people and channels; the focus stays in the field.
  await field.focus()
  await ann.keyboard.type('Ask @be')
  await expect(optionsOf(ann).first()).toBeVisible()
  await expect.poll(() => activeOption(ann, field)).toContain('Bea Lindqvist')
  await ann.keyboard.press('Enter')
  await expect(field).toHaveValue('Ask @Bea Lindqvist ')
  await ann.keyboard.type('in #front')
  await expect.poll(() => activeOption(ann, field)).toContain('front-desk')
  await ann.keyboard.press('Tab')
  await expect(field).toHaveValue('Ask @Bea Lindqvist in #front-desk ')
  await ann.keyboard.press('Control+z')
  await expect(field).toHaveValue('Ask @Bea Lindqvist in #front')

  // No key is lost while the composer renders for another reason.
  await ann.keyboard.press('End')
  await renderBeforeNextInput(ann)
  await ann.keyboard.type('-')
  await expect(ann.getByText('Drop files to attach')).toBeVisible()
  await expect(field).toHaveValue('Ask @Bea Lindqvist in #front-')
  await field.dispatchEvent('dragleave')
  await ann.keyboard.type('desk')
  await expect(optionsOf(ann).first()).toBeVisible()
  await ann.keyboard.press('Escape')
  await expect(ann.getByRole('listbox')).toBeHidden()
  await ann.keyboard.press('Enter')
  const link = bea.getByRole('log').getByRole('link', { name: '#front-desk' })
  await expect(link).toHaveAttribute('href', /\/c\/[0-9a-f-]{36}$/)

  // Emoji, chosen or typed as a whole.
  await ann.keyboard.type('Yes :tad')
  await expect.poll(() => activeOption(ann, field)).toContain(':tada:')
  await ann.keyboard.press('Enter')
  await expect(field).toHaveValue('Yes 🎉 ')
  await ann.keyboard.type(':rocket:')
  await expect(field).toHaveValue('Yes 🎉 🚀')

  // Formats, which undo reverts.
  await reset()
  await ann.keyboard.type('bold')
  await ann.keyboard.press('Control+a')
  await ann.keyboard.press('Control+b')
  await expect(field).toHaveValue('**bold**')
  await ann.keyboard.press('Control+k')
  await expect(field).toHaveValue('**[bold]()**')
  await ann.keyboard.press('Control+z')
  await ann.keyboard.press('Control+z')
  await expect(field).toHaveValue('bold')

  // Lists continue, an empty item ends the list, and Tab leaves the field where it can't indent.
  await reset()
  await ann.keyboard.type('1. one')
  await ann.keyboard.press('Shift+Enter')
  await ann.keyboard.type('two')
  await ann.keyboard.press('Tab')
  await expect(field).toHaveValue('1. one\n   1. two')
  await ann.keyboard.press('Shift+Enter')
  await ann.keyboard.press('Shift+Enter')
  await ann.keyboard.press('Shift+Enter')
  await expect(field).toHaveValue('1. one\n   1. two\n')
  await ann.keyboard.press('Tab')
  await expect(field).not.toBeFocused()

  // Enter makes a line in a code block, and sends behind it.
  await reset()
  await ann.keyboard.type('```js')
  await ann.keyboard.press('Enter')
  await ann.keyboard.type('a()')
  await ann.keyboard.press('Enter')
  await ann.keyboard.type('```')
  await expect(field).toHaveValue('```js\na()\n```')
  await ann.keyboard.press('Enter')
  await expect(bea.getByRole('log').locator('pre', { hasText: 'a()' })).toBeVisible()
  await expect(field).toHaveValue('')

  // Commands.
  await ann.keyboard.type('/sh')
  await expect.poll(() => activeOption(ann, field)).toContain('shortcuts')
  await ann.keyboard.press('ArrowDown')
  await ann.keyboard.press('Enter')
  await expect(field).toHaveValue('/shrug ')
  await ann.keyboard.type('who knows')
  await ann.keyboard.press('Enter')
  await expect(messageOf(bea, CHANNEL, String.raw`who knows ¯\_(ツ)_/¯`)).toBeVisible()
  await ann.keyboard.type('/me waves')
  await ann.keyboard.press('Enter')
  await expect(bea.getByRole('log').getByText('Ann Okafor waves')).toBeVisible()
  await ann.keyboard.type('/topic Keys are in the drawer')
  await ann.keyboard.press('Enter')
  for (const page of [ann, bea]) {
    await expect(page.getByRole('log').getByText('Keys are in the drawer')).toBeVisible()
  }
  await expect(field).toBeFocused()
  await expect(field).toHaveValue('')
  await ann.keyboard.type('/nothing like this')
  await ann.keyboard.press('Enter')
  await expect(ann.getByRole('alert')).toContainText('There’s no command /nothing.')
  await expect(field).toHaveValue('/nothing like this')
  await ann.getByRole('button', { name: 'Send as a message' }).press('Enter')
  // Accepted by the server: until then it can't be edited.
  const accepted = (list: Locator, text: string) =>
    list.getByRole('article', { name: /^Ann Okafor, \d/ }).filter({ hasText: text })
  await expect(accepted(ann.getByLabel(`Messages in ${CHANNEL}`), '/nothing like this')).toBeVisible()
  await expect(field).toHaveValue('')

  // Arrow up edits the last own message, also in a thread, and while the device is slow.
  const readStoredDrafts = await delayStoredDrafts(ann)
  await field.press('ArrowUp')
  const edited = ann.getByRole('textbox', { name: 'Edit message' })
  await expect(edited).toHaveValue('/nothing like this')
  await expect(edited).toBeFocused()
  await expect(edited).toBeEditable()
  await ann.keyboard.press('Control+a')
  await ann.keyboard.type('See #front-desk')
  await expect(optionsOf(ann).first()).toBeVisible()
  await ann.keyboard.press('Tab')
  await ann.keyboard.press('Enter')
  await readStoredDrafts()
  await expect(
    bea.getByRole('log').getByRole('paragraph').filter({ hasText: 'See #front-desk' }),
  ).toBeVisible()
  await ann.getByRole('article').last().focus()
  await ann.keyboard.press('r')
  const reply = ann.getByRole('textbox', { name: 'Reply' })
  await reply.focus()
  await ann.keyboard.type('A reply')
  await ann.keyboard.press('Enter')
  await expect(accepted(ann.getByLabel('Replies'), 'A reply')).toBeVisible()
  await ann.keyboard.press('ArrowUp')
  await expect(edited).toHaveValue('A reply')
  // In the field for replies, Escape closes the thread.
  await expect(edited).toBeFocused()
  await ann.keyboard.press('Escape')
  await ann.getByRole('button', { name: 'Close thread' }).click()

  // A rejected command returns before what was typed since; while it waits for the server, messages are sent.
  await field.focus()
  await ann.route('**/rpc/update_channel', async (route) => {
    await ann.keyboard.type('Sent meanwhile.')
    await ann.keyboard.press('Enter')
    await expect(messageOf(bea, CHANNEL, 'Sent meanwhile.')).toBeVisible()
    await ann.keyboard.type('Typed since.')
    await route.fulfill({ status: 500, json: {} })
  })
  await ann.keyboard.type('/topic Not now')
  await ann.keyboard.press('Enter')
  await expect(field).toHaveValue('/topic Not now\nTyped since.')
  await ann.unroute('**/rpc/update_channel')

  // Paste: an address over selected text, and HTML.
  await reset()
  await ann.keyboard.type('this page')
  await ann.keyboard.press('Control+a')
  await paste(ann, { 'text/plain': 'https://a.example/' })
  await expect(field).toHaveValue('[this page](https://a.example/)')
  await reset()
  await paste(ann, {
    'text/plain': 'a b',
    'text/html': '<ul><li>a <b>b</b></li></ul><script>alert(1)</script>',
  })
  await expect(field).toHaveValue('- a **b**')
  await ann.keyboard.press('Control+z')
  await expect(field).toHaveValue('')

  // A long text can become a file.
  const long = 'A long line of text.\n'.repeat(250).trim()
  await paste(ann, { 'text/plain': long })
  await field.fill(long)
  await ann.getByRole('button', { name: 'Attach it as a file' }).click()
  await expect(field).toHaveValue('')
  await expect(ann.getByText('Pasted text.txt')).toBeVisible()
  await ann.getByRole('button', { name: 'Remove Pasted text.txt' }).click()

  // During a composition, keys belong to the input method.
  await reset()
  await ann.keyboard.type('@be')
  await expect(optionsOf(ann).first()).toBeVisible()
  for (const how of [{ isComposing: true }, { keyCode: 229 }]) {
    await field.dispatchEvent('keydown', {
      key: 'Enter',
      code: 'Enter',
      bubbles: true,
      cancelable: true,
      ...how,
    })
  }
  await expect(field).toHaveValue('@be')
  await expect(optionsOf(ann).first()).toBeVisible()

  // The preview is what readers will see; the format bar is one tab stop.
  await field.fill('**Bold** text')
  await ann.getByRole('button', { name: 'Formatting' }).click()
  const bar = ann.getByRole('toolbar', { name: 'Formatting' })
  await bar.getByRole('button', { name: 'Bold' }).focus()
  await ann.keyboard.press('ArrowLeft')
  await expect(bar.getByRole('button', { name: 'Preview' })).toBeFocused()
  await ann.keyboard.press('Enter')
  await expect(ann.getByRole('region', { name: 'Preview' }).locator('strong')).toHaveText('Bold')
  await expect(field).toBeHidden()
  await bar.getByRole('button', { name: 'Preview' }).press('Enter')
  await expect(field).toBeFocused()
  // It is shown in the next conversation too, before anything is written there.
  await openChannel(ann, 'kitchen')
  await expect(bar).toBeVisible()

  expect(faults.filter((fault) => !fault.includes('500'))).toEqual([])
})

test('on a phone, the composer is one row until it has the focus, then formats and emoji are within reach, and Enter makes a line', async ({
  browser,
  demo,
}) => {
  const faults: string[] = []
  const bea = await person(browser, faults, phoneScreen)
  await enterDemo(bea, demo, 'bea')
  await openChannel(bea, 'front-desk')
  const field = composerOf(bea, CHANNEL)
  const bar = bea.getByRole('toolbar', { name: 'Formatting' })
  const attach = bea.getByRole('button', { name: 'Add to the message' })
  const topOf = async (one: Locator) => Math.round((await one.boundingBox())!.y)
  await expect(field).toBeVisible()
  expect(await topOf(attach)).toBeLessThan((await topOf(field)) + 1)
  await expect(bea.getByRole('button', { name: 'Insert an emoji' })).toHaveCount(0)
  await field.tap()
  await expect(field).toBeFocused()
  await expect(field).toHaveAttribute('aria-autocomplete', 'list')
  // One row of tools, in which the formats take the place of the others.
  const [emojiButton, send] = ['Insert an emoji', 'Send'].map((name) =>
    bea.getByRole('button', { name, exact: true }),
  )
  const middleOf = async (one: Locator) => {
    const { y, height } = (await one.boundingBox())!
    return Math.round(y + height / 2)
  }
  expect(await middleOf(emojiButton!)).toBe(await middleOf(send!))
  expect(await middleOf(attach)).toBe(await middleOf(send!))
  await expect(bar).toHaveCount(0)
  await bea.getByRole('button', { name: 'Formatting' }).tap()
  await expect(field).toBeFocused()
  await expect(emojiButton!).toBeHidden()
  const mark = (await bar.getByRole('button', { name: 'Bold' }).boundingBox())!
  expect([mark.width, mark.height]).toEqual([44, 44])
  expect(await middleOf(bar.getByRole('button', { name: 'Bold' }))).toBe(await middleOf(send!))
  await bar.getByRole('button', { name: 'Task list' }).scrollIntoViewIfNeeded()
  await expect(bar.getByRole('button', { name: 'Task list' })).toBeInViewport({ ratio: 1 })
  await bea.keyboard.type('- one')
  await bea.keyboard.press('Enter')
  await bea.keyboard.type('two')
  await expect(field.locator('li')).toHaveText(['one', 'two'])
  await bar.getByRole('button', { name: 'Bulleted list' }).tap()
  await expect(field.locator('li')).toHaveText(['one'])
  await expect(field.getByRole('paragraph').last()).toHaveText('two')
  await expect(field).toBeFocused()
  await bea.getByRole('button', { name: 'Send', exact: true }).tap()
  await expect(bea.getByRole('log').locator('li', { hasText: 'one' })).toBeVisible()
  await field.tap()
  await expect(field).toBeFocused()
  await bea.keyboard.type('@an')
  // As wide as the composer.
  const sidesOf = async (one: Locator) => {
    const { x, width } = (await one.boundingBox())!
    return [x, x + width]
  }
  const composer = bea.locator('form').filter({ has: field })
  expect(await sidesOf(bea.getByRole('listbox', { name: 'People' }))).toEqual(await sidesOf(composer))
  await optionsOf(bea).filter({ hasText: 'Ann Okafor' }).tap()
  await expect(field.locator('[data-pill=mention]')).toHaveText('@Ann Okafor')
  await bea.getByRole('button', { name: 'Formatting' }).tap()
  // The first item has the focus. Only keys show its ring.
  await attach.tap()
  const [attachFiles, startPoll] = ['Attach files', 'Start a poll'].map((name) =>
    bea.getByRole('menuitem', { name }),
  )
  await expect(attachFiles!).toBeFocused()
  await expect(attachFiles!).toHaveCSS('outline-style', 'none')
  await bea.keyboard.press('ArrowDown')
  await expect(startPoll!).toBeFocused()
  await expect(startPoll!).toHaveCSS('outline-style', 'solid')
  await bea.keyboard.press('Escape')
  await emojiButton!.tap()
  // In the last column.
  const picker = bea.getByRole('dialog', { name: 'Emoji' })
  const emoji = picker.getByRole('button', { name: 'thumbs down' })
  await expect(emoji.first()).toBeInViewport({ ratio: 1 })
  expect(await sidesOf(picker)).toEqual([0, 390])
  const emojiSearch = picker.getByLabel('Search emoji')
  await emojiSearch.tap()
  await expect(emojiSearch).toBeFocused()
  await emoji.first().tap()
  await expect(field).toBeFocused()
  await bea.getByRole('button', { name: 'Send', exact: true }).tap()
  await expect(field).toHaveText('')
  await expect(field).toBeFocused()
  // In landscape, the tools are beside the field.
  await bea.setViewportSize({ width: 844, height: 390 })
  await expect.poll(async () => (await composer.boundingBox())!.height).toBeLessThan(60)
  expect(faults).toEqual([])
})

test('on a phone, the sheet of a message leaves the composer one row, and its “Reply in thread” focuses the field', async ({
  browser,
  demo,
}) => {
  const faults: string[] = []
  const bea = await person(browser, faults, phoneScreen)
  await enterDemo(bea, demo, 'bea')
  await openChannel(bea, 'front-desk')
  const field = composerOf(bea, CHANNEL)
  const message = bea.getByRole('log').getByRole('article').last()
  const sheet = bea.getByRole('menu', { name: 'Message actions' })
  await field.tap()
  await expect(bea.getByRole('button', { name: 'Insert an emoji' })).toBeVisible()
  await message.dispatchEvent('contextmenu', { clientX: 40, clientY: 300 })
  await expect(sheet).toBeVisible()
  await expect(bea.getByRole('button', { name: 'Insert an emoji' })).toHaveCount(0)
  await sheet.getByRole('menuitem', { name: 'Reply in thread' }).tap()
  await expect(bea.getByRole('textbox', { name: 'Reply' })).toBeFocused()
  // The link to a thread opens it for reading.
  await bea.getByRole('textbox', { name: 'Reply' }).fill('I bring mine.')
  await bea.getByRole('button', { name: 'Send', exact: true }).tap()
  await bea.getByRole('link', { name: 'Back' }).tap()
  // The tap that takes the focus from an empty composer reaches what is under it.
  await field.tap()
  await expect(bea.getByRole('button', { name: 'Insert an emoji' })).toBeVisible()
  await message.getByRole('link', { name: /repl(y|ies)/ }).tap()
  await expect(bea.getByRole('heading', { level: 1, name: 'Thread' })).toBeFocused()
  expect(faults).toEqual([])
})
