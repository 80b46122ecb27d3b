import { i18n } from '@lingui/core'
import { beforeAll, expect, test } from 'vitest'
import { isLong } from './CollapsibleBody.tsx'
import { excerptOf } from './excerptOf.ts'
import { plainText } from './plainText.ts'

beforeAll(() => i18n.loadAndActivate({ locale: 'en', locales: ['en'], messages: {} }))

const ANN = '0f0e8a52-9d1c-4c1e-8a51-111111111111'
const nameOf = (id: string) => (id === ANN ? 'Ann' : null)

test('a body becomes one line without Markdown', () => {
  const lines = [
    '# Plan',
    'for **all** of [us](https://a.example)',
    'now',
    '',
    '- [x] one',
    '- two',
    '',
    '| a | b |',
    '|-|-|',
    '| c | d |',
  ]
  expect(plainText(lines.join('\n'), nameOf)).toBe('Plan for all of us now one two a b c d')
  expect(plainText('```js\nlet a\n```\n> quoted $x$', nameOf)).toBe('let a quoted x')
  expect(plainText(`<@${ANN}> and <!here>: ![a *map*](https://a.example)`, nameOf)).toBe(
    '@Ann and @here: a map',
  )
})

test('what a spoiler hides is in no preview', () => {
  expect(plainText('The ship ||**sinks** in the end||.', nameOf)).toBe('The ship (spoiler).')
})

test('a body is long by its lines as they are shown', () => {
  expect(isLong('a\n'.repeat(23))).toBe(false)
  expect(isLong('a\n'.repeat(24))).toBe(true)
  expect(isLong('word '.repeat(380))).toBe(false)
  expect(isLong('word '.repeat(400))).toBe(true)
  expect(isLong(`[a](https://a.example/${'a'.repeat(3_000)})`)).toBe(false)
})

test('a message without text is excerpted as the names of its files, or as what it forwards', () => {
  const fileOf = (name: string) => ({
    id: name,
    name,
    type: 'text/plain',
    size: 1,
    width: null,
    height: null,
    thumb: false,
  })
  const attachments = ['rota.pdf', 'boats.txt'].map(fileOf)
  const message = { body: '', attachments, extras: null }
  expect(excerptOf(message)).toBe('rota.pdf, boats.txt')
  expect(excerptOf({ ...message, body: '**All**' })).toBe('All')
  const forward = { forward: { message_id: ANN } }
  expect(excerptOf({ body: '', attachments: [], extras: forward })).toBe('A forwarded message')
})
