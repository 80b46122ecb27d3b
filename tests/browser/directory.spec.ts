import { expect } from '@playwright/test'
import { enterDemo, goTo, laptopScreen, person, phoneScreen } from './support.ts'
import { test } from './sharedServer.ts'

test('a person describes what they do on a phone, and is found by it with the keyboard', async ({
  browser,
  demo,
}) => {
  const faults: string[] = []
  const noor = await person(browser, faults, phoneScreen)
  const ann = await person(browser, faults, laptopScreen)
  await enterDemo(noor, demo, 'noor', '/settings/profile')
  await enterDemo(ann, demo, 'ann')

  const title = noor.getByRole('textbox', { name: 'Title' })
  await title.fill('Wound <b>care</b>')
  await title.press('Enter')
  await expect(noor.getByText('Saved.').first()).toBeVisible()
  const zone = noor.getByLabel('Time zone')
  await zone.selectOption('Pacific/Kiritimati')
  // Disabled until it is saved.
  await expect(zone).toBeEnabled()
  await expect(zone).toHaveValue('Pacific/Kiritimati')
  await goTo(noor, '/people')
  const people = (page: typeof noor) => page.getByRole('list', { name: 'People directory' })
  await expect(people(noor).getByText('Wound <b>care</b>')).toBeVisible()
  expect(await noor.evaluate('document.documentElement.scrollWidth')).toBe(390)

  // On a phone the sheet scrolls, and no list within it.
  await goTo(noor, '/direct')
  await noor.getByRole('button', { name: 'Start a conversation' }).tap()
  const choices = noor.getByRole('dialog').getByRole('list', { name: 'People' })
  await expect(choices.getByRole('listitem').nth(8)).toBeVisible()
  const hiddenHeight = (list: { scrollHeight: number; clientHeight: number }) =>
    list.scrollHeight - list.clientHeight
  expect(await choices.evaluate(hiddenHeight)).toBe(0)
  await noor.keyboard.press('Escape')

  await expect(ann.getByRole('textbox', { name: /^Message / })).toBeVisible()
  await ann.keyboard.press('ControlOrMeta+k')
  await ann.getByRole('combobox', { name: 'Jump to' }).fill('people dir')
  await ann.keyboard.press('Enter')
  const search = ann.getByRole('searchbox', { name: 'Search people' })
  await expect(search).toBeFocused()
  await ann.keyboard.type('wound')
  await expect(people(ann).getByRole('listitem')).toHaveCount(1)
  await ann.keyboard.press('ArrowDown')
  await expect(people(ann).getByRole('button', { name: /^Noor Haddad/ })).toBeFocused()
  await ann.keyboard.press('Enter')
  const card = ann.getByRole('dialog', { name: 'Noor Haddad' })
  await expect(card).toContainText('Wound <b>care</b>')
  await expect(card).toContainText(/Local time: .*\d\d/)
  await ann.keyboard.press('Escape')
  await expect(people(ann).getByRole('button', { name: /^Noor Haddad/ })).toBeFocused()
  await ann.keyboard.press('Tab')
  await expect(ann.getByRole('button', { name: 'Message Noor Haddad' })).toBeFocused()
  await ann.keyboard.press('Enter')
  await expect(ann.getByRole('textbox', { name: /^Message Noor Haddad/ })).toBeVisible()

  // Channels are sorted by their latest message.
  await goTo(ann, '/people')
  await ann.getByRole('button', { name: 'Browse channels' }).press('Enter')
  const channels = ann.getByRole('dialog', { name: 'Browse channels' })
  await channels.getByLabel('Sort by').selectOption('active')
  await expect(channels.getByRole('listitem').first()).toContainText('Last message:')
  expect(faults).toEqual([])
})
