import { expect, type Browser, type Locator, type Page } from '@playwright/test'
import sharp from 'sharp'
import { composerOf, enterDemo, expectText, goTo, openChannel, person, type Demo } from './support.ts'
import { test } from './sharedServer.ts'

const channelName = '#rota'

test.describe.configure({ mode: 'serial' })

let demo: Demo
let ann: Page
let bea: Page
const faults: string[] = []

async function enter(browser: Browser, nick: string, path: string): Promise<Page> {
  const page = await person(browser, faults, { allowed: [/ERR_CONNECTION_RESET/] })
  await enterDemo(page, demo, nick, path)
  return page
}

const open = async (page: Page) => {
  await openChannel(page, 'rota')
  await expect(composerOf(page, channelName)).toBeVisible()
}

test.beforeAll(async ({ browser, createDemo }) => {
  demo = await createDemo()
  ;[ann, bea] = await Promise.all([enter(browser, 'ann', '/settings/emoji'), enter(browser, 'bea', '/')])
})

test.afterAll(async () => {
  await Promise.all([ann.context().close(), bea.context().close()])
  await demo.end()
  expect(faults).toEqual([])
})

const messageWith = (page: Page, text: string): Locator =>
  page.getByLabel(`Messages in ${channelName}`).getByRole('article').filter({ hasText: text })

test('an emoji that an admin adds appears in messages and reactions of others at once, until it is deleted', async () => {
  await open(bea)
  await composerOf(bea, channelName).fill('well done :ferris: and :no_such:')
  await composerOf(bea, channelName).press('Enter')
  const message = messageWith(bea, 'well done')
  await expect(message).toContainText('well done :ferris: and :no_such:')

  const image = await sharp({ create: { width: 300, height: 200, channels: 4, background: '#b5493b' } })
    .png()
    .toBuffer()
  await ann
    .getByLabel('Image', { exact: true })
    .setInputFiles({ name: 'Ferris.png', mimeType: 'image/png', buffer: image })
  await expect(ann.getByLabel('Name', { exact: true })).toHaveValue('ferris')
  await ann.getByLabel('Other names (optional)').fill('crab_wave')
  await ann.getByRole('button', { name: 'Add emoji' }).click()
  await expect(ann.getByRole('listitem').filter({ hasText: ':ferris:' }).locator('img')).toBeAttached()

  const inText = message.getByRole('img', { name: ':ferris:' })
  await expect(inText).toBeVisible()
  // Resized by the browser that added it.
  const sizeOf = (one: object) => {
    const image = one as { naturalWidth: number; naturalHeight: number }
    return [image.naturalWidth, image.naturalHeight]
  }
  await expect.poll(() => inText.evaluate(sizeOf)).toEqual([128, 85])
  await expect(message).toContainText(':no_such:')

  // By keyboard, in the picker, by the other name.
  await message.focus()
  await bea.keyboard.press('+')
  await bea.getByRole('searchbox', { name: 'Search emoji' }).fill('crab_w')
  await expect(
    bea.getByRole('dialog', { name: 'Emoji' }).getByRole('button', { name: 'ferris' }),
  ).toBeVisible()
  await bea.keyboard.press('Enter')
  await open(ann)
  const reaction = messageWith(ann, 'well done').getByRole('button', { name: ':ferris: 1, Bea' })
  await expect(reaction.getByRole('img', { name: ':ferris:' })).toBeAttached()
  await reaction.click()
  await expect(message.getByRole('button', { name: /:ferris: 2/ })).toBeVisible()

  // The network changes: the connections of the command and of the next request for the list fail.
  await goTo(ann, '/settings/emoji')
  const deleteButton = ann.getByRole('button', { name: 'Delete :ferris:' })
  await expect(deleteButton).toBeVisible()
  for (const path of ['**/rpc/delete_emoji', '**/custom_emoji?*'])
    await ann.route(path, (route) => route.abort('connectionreset'), { times: 1 })
  await deleteButton.click()
  await ann.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(ann.getByText('No custom emoji yet.')).toBeVisible()
  await expect(message).toContainText('well done :ferris: and')
  await expect(message.getByRole('img', { name: ':ferris:' })).toHaveCount(0)
  await expect(message.getByRole('button', { name: /:ferris: 2/ })).toContainText(':ferris:')
})

test('the skin tone of the device applies to all emoji; the menu of one offers the others', async () => {
  await open(bea)
  const add = bea.getByRole('button', { name: 'Emoji' }).last()
  await add.click()
  const picker = bea.getByRole('dialog', { name: 'Emoji' })
  await picker.getByRole('button', { name: 'Skin tone: No skin tone' }).click()
  const tones = picker.getByRole('group', { name: 'Skin tone' }).getByRole('button')
  await expect(tones.first()).toBeFocused()
  await bea.keyboard.press('ArrowRight')
  await bea.keyboard.press('ArrowRight')
  await bea.keyboard.press('ArrowRight')
  await bea.keyboard.press('Enter')
  await expect(picker.getByRole('button', { name: 'Skin tone: Medium', exact: true })).toBeVisible()
  await picker.getByRole('searchbox').fill('thumbs up')
  await picker.getByRole('button', { name: 'thumbs up' }).click()
  await expectText(composerOf(bea, channelName), '👍🏽')
  await add.click()
  await picker.getByRole('searchbox').fill('waving hand')
  await picker.getByRole('button', { name: 'waving hand' }).click({ button: 'right' })
  await picker
    .getByRole('group', { name: 'Skin tone' })
    .getByRole('button', { name: 'Dark', exact: true })
    .click()
  await expectText(composerOf(bea, channelName), '👍🏽👋🏿')
})
