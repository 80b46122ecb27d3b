import { i18n } from '@lingui/core'
import { beforeAll, expect, test } from 'vitest'
import type { LastMessage } from '../../../../data/messages/lastMessages.ts'
import { messageLine } from './messageLine.ts'

const ME = '00000000-0000-4000-8000-00000000000a'
const BEA = '00000000-0000-4000-8000-00000000000b'
const names = new Map([
  [ME, 'Ann'],
  [BEA, 'Bea'],
])

beforeAll(() => i18n.loadAndActivate({ locale: 'en', locales: ['en'], messages: {} }))

/** The line without the marks that isolate names. */
function lineOf(change: Partial<LastMessage>, isAuthorShown = true): string {
  const message = {
    author_id: BEA,
    kind: 'text',
    system: null,
    body: '',
    extras: null,
    attachments: [],
    ...change,
  }
  const line = messageLine(message as LastMessage, {
    me: ME,
    nameOf: (id) => names.get(id) ?? null,
    isAuthorShown,
  })
  return line.replaceAll(/[\u2066-\u2069]/g, '')
}

test('a text is one line without Markdown, after its author', () => {
  expect(lineOf({ body: '*Back*\nat three' })).toBe('Bea: Back at three')
  expect(lineOf({ body: 'Back', author_id: ME })).toBe('You: Back')
  expect(lineOf({ body: 'Back' }, false)).toBe('Back')
})

test('files, polls, recordings and forwarded messages are named', () => {
  expect(lineOf({ attachments: [{ name: 'a.png' }, { name: 'b.pdf' }] })).toBe('Bea: a.png, b.pdf')
  const poll = { options: ['Yes', 'No'], multiple: false, anonymous: false, closes_at: null }
  expect(lineOf({ body: 'Lunch?', extras: { poll } })).toBe('Bea: Poll: Lunch?')
  const voice = { duration_ms: 1_000, waveform: [1] }
  expect(lineOf({ attachments: [{ name: 'voice.webm' }], extras: { voice } })).toBe('Bea: Voice message')
  expect(lineOf({ extras: { forward: { message_id: BEA } } })).toBe('Bea: A forwarded message')
})

test('an action and a system message are sentences about their author', () => {
  expect(lineOf({ body: '/me waves' }, false)).toBe('Bea waves')
  expect(lineOf({ kind: 'system', system: { event: 'added', profile_id: ME } })).toBe('Bea added Ann.')
})

test('a message of another service has the name of its sender', () => {
  expect(lineOf({ body: '**Deploys** Done', extras: { sender: { name: 'Deploys', end: 12 } } }, false)).toBe(
    'Deploys: Done',
  )
})
