import { i18n } from '@lingui/core'
import { beforeAll, expect, test } from 'vitest'
import { unreadOf } from './unreadOf.ts'

beforeAll(() => i18n.loadAndActivate({ locale: 'en', messages: {} }))

const row = { kind: 'public', unread: 0, mentions: 0, muted: false } as const

test('nothing unread says nothing', () => {
  expect(unreadOf(row)).toEqual({ bold: false, count: null, badge: null, words: '' })
})

test('a channel is bold with a number, red only when the reader is called', () => {
  expect(unreadOf({ ...row, unread: 9 })).toMatchObject({ bold: true, count: '9', badge: null })
  expect(unreadOf({ ...row, unread: 9, mentions: 2 })).toMatchObject({
    badge: '@2',
    words: '9 unread, 2 mentions',
  })
})

test('a direct conversation is red; what is muted is not', () => {
  expect(unreadOf({ ...row, kind: 'direct', unread: 100 }).badge).toBe('99+')
  expect(unreadOf({ ...row, kind: 'direct', unread: 3, muted: true })).toMatchObject({
    bold: false,
    badge: null,
  })
  expect(unreadOf({ ...row, unread: 3, mentions: 1, muted: true })).toMatchObject({
    bold: false,
    badge: '@1',
  })
})
