import { createCompiledCatalog } from '@lingui/cli/api'
import { i18n as lingui, type Messages } from '@lingui/core'
import { expect, test } from 'vitest'
import { i18n, messageKey, setRestLoader, withMessages } from './i18nRuntime.ts'

const catalogs = import.meta.glob<string>('./locales/*.po', { query: '?raw', import: 'default', eager: true })

const unquoted = (lines: string): string =>
  lines
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as string)
    .join('')

function compiledMessages(locale: string, po: string): Messages {
  const entries = [...po.matchAll(/^msgid ((?:".*"\n)+)msgstr ((?:".*"\n?)+)/gm)]
  const texts = Object.fromEntries(entries.map(([, id, text]) => [unquoted(id ?? ''), unquoted(text ?? '')]))
  delete texts['']
  const { source } = createCompiledCatalog(locale, texts, { namespace: 'json' })
  return (JSON.parse(source) as { messages: Messages }).messages
}

function withKeys(messages: Messages): Messages {
  return Object.fromEntries(Object.entries(messages).map(([id, text]) => [messageKey(id), text]))
}

test.each(Object.entries(catalogs))('%s is formatted as by the library', (path, po) => {
  const locale = /(\w+)\.po$/.exec(path)?.[1] ?? ''
  const messages = compiledMessages(locale, po)
  expect(Object.keys(messages).length).toBeGreaterThan(300)
  const catalog = { locale, locales: [locale], messages }
  lingui.loadAndActivate(catalog)
  i18n.loadAndActivate({ ...catalog, messages: withKeys(messages) })
  for (const id of Object.keys(messages)) {
    const names = [...id.matchAll(/\{(\w+)/g)].map(([, name]) => name!)
    for (const sample of [0, 1, 2, 5, 12_345]) {
      const values = Object.fromEntries(names.map((name) => [name, sample]))
      expect(i18n._(id, values)).toBe(lingui._(id, values))
    }
  }
  expect(i18n.number(0.42, { style: 'percent' })).toBe(lingui.number(0.42, { style: 'percent' }))
})

test('a message without translation is its own text', () => {
  i18n.loadAndActivate({ locale: 'en', locales: ['en'], messages: {} })
  expect(i18n._('Try again')).toBe('Try again')
})

test('an import with messages of its own ends when they are loaded, and fails with them', async () => {
  i18n.loadAndActivate({ locale: 'de', locales: ['de'], messages: withKeys({ First: 'Zuerst' }) })
  const loaded = withMessages(Promise.resolve('module'))
  let isOffline = false
  setRestLoader(() =>
    isOffline
      ? Promise.reject(new Error('offline'))
      : Promise.resolve({ messages: withKeys({ Later: 'Später' }) }),
  )
  expect(await loaded).toBe('module')
  expect([i18n._('First'), i18n._('Later')]).toEqual(['Zuerst', 'Später'])
  isOffline = true
  await expect(withMessages(Promise.resolve('module'))).rejects.toThrow('offline')
})
