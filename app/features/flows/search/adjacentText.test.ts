import { i18n } from '@lingui/core'
import { beforeAll, expect, test } from 'vitest'
import { adjacentText } from './adjacentText.ts'

beforeAll(() => i18n.loadAndActivate({ locale: 'en', locales: ['en'], messages: {} }))

const message = { id: 'm', author_id: 'a', body: '', files: [] }

test('a message beside a result is one line of text, or the names of its files', () => {
  expect(adjacentText({ ...message, body: 'The *ropes*\n\nare here' })).toBe('The ropes are here')
  expect(adjacentText({ ...message, files: ['rota.pdf', 'boats.txt'] })).toBe('rota.pdf, boats.txt')
})

test('the text of a spoiler whose end was cut off is not shown', () => {
  const cut = `The ship ||sinks ${'slowly '.repeat(200)}`.slice(0, 1000)
  expect(adjacentText({ ...message, body: cut })).toBe('The ship')
  const whole = `The ship ||sinks|| ${'slowly '.repeat(200)}`.slice(0, 1000)
  expect(adjacentText({ ...message, body: whole })).toMatch(/^The ship \(spoiler\) slowly/)
})
