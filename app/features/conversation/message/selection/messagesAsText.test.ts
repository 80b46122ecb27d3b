import { i18n } from '@lingui/core'
import { beforeAll, expect, test } from 'vitest'
import { buildMessage } from '../../../../data/store/buildRows.fixture.ts'
import { messagesAsQuote, messagesAsText } from './messagesAsText.ts'

beforeAll(() => i18n.loadAndActivate({ locale: 'en', locales: ['en-GB'], messages: {} }))

const created_at = new Date(2026, 10, 3, 9, 5).toISOString()
const photo = { id: 'f', name: 'jetty.jpg' }
const messages = [
  buildMessage(1, { body: 'The tide is early.\n\nBring ropes.', created_at }),
  buildMessage(2, { body: '', created_at, attachments: [photo] as never }),
]
const authorOf = () => 'Bea Lindqvist'

test('copied messages have author, time, text and the names of files, in order', () => {
  expect(messagesAsText(messages, authorOf)).toBe(
    [
      'Bea Lindqvist, 3 November 2026, 09:05',
      'The tide is early.',
      '',
      'Bring ropes.',
      '',
      'Bea Lindqvist, 3 November 2026, 09:05',
      'jetty.jpg',
    ].join('\n'),
  )
})

test('a quote marks each line, so that paragraphs stay within it', () => {
  expect(messagesAsQuote(messages, authorOf).split('\n')).toEqual([
    '> **Bea Lindqvist, 3 November 2026, 09:05**',
    '>',
    '> The tide is early.',
    '>',
    '> Bring ropes.',
    '>',
    '> **Bea Lindqvist, 3 November 2026, 09:05**',
    '>',
    '> jetty.jpg',
  ])
})

test('a moved message has the time at which it was written', () => {
  const moved = { written_at: new Date(2026, 9, 30, 8, 15).toISOString() }
  const message = buildMessage(1, { body: 'Low tide.', created_at, extras: { moved } })
  expect(messagesAsText([message], authorOf)).toBe('Bea Lindqvist, 30 October 2026, 08:15\nLow tide.')
})
