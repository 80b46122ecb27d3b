// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest'
import { activateLanguage } from './language.ts'

vi.mock('./locales/de.po?import', () => ({ messages: {} }))
vi.mock('./locales/en.po?import', () => ({ messages: {} }))
vi.mock('../../wire/languages.ts', async (load) => {
  const module = await load<typeof import('../../wire/languages.ts')>()
  return { ...module, LANGUAGES: { ...module.LANGUAGES, de: { ...module.LANGUAGES.de, direction: 'rtl' } } }
})

test('the page has the language and the direction of the language', async () => {
  const { documentElement } = document
  await activateLanguage('en')
  expect([documentElement.lang, documentElement.dir]).toEqual(['en', 'ltr'])
  await activateLanguage('de')
  expect([documentElement.lang, documentElement.dir]).toEqual(['de', 'rtl'])
})
