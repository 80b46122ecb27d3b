import { i18n } from '@lingui/core'
import { beforeAll, expect, test } from 'vitest'
import { unreadBadge } from './unreadBadge.ts'

beforeAll(() => i18n.loadAndActivate({ locale: 'en', messages: {} }))

const row = { kind: 'public', unread: 0, mentions: 0, muted: false } as const

test('nothing unread says nothing', () => {
  expect(unreadBadge(row)).toEqual({ bold: false, count: null, badge: null, label: '' })
})

test('a channel is bold with a number, red only when the reader is called', () => {
  expect(unreadBadge({ ...row, unread: 9 })).toMatchObject({ bold: true, count: '9', badge: null })
  expect(unreadBadge({ ...row, unread: 9, mentions: 2 })).toMatchObject({
    badge: '@2',
    label: '9 unread, 2 mentions',
  })
})

test('a direct conversation is red; what is muted is not', () => {
  expect(unreadBadge({ ...row, kind: 'direct', unread: 100 }).badge).toBe('99+')
  expect(unreadBadge({ ...row, kind: 'direct', unread: 3, muted: true })).toMatchObject({
    bold: false,
    badge: null,
  })
  expect(unreadBadge({ ...row, unread: 3, mentions: 1, muted: true })).toMatchObject({
    bold: false,
    badge: '@1',
  })
})
