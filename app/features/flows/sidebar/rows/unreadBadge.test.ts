import { i18n } from '@lingui/core'
import { beforeAll, expect, test } from 'vitest'
import { unreadBadge } from './unreadBadge.ts'

beforeAll(() => i18n.loadAndActivate({ locale: 'en', messages: {} }))

const row = { kind: 'public', unread: 0, mentions: 0, muted: false } as const

test('nothing unread has an empty label', () => {
  expect(unreadBadge(row)).toEqual({ bold: false, count: null, badge: null, label: '' })
})

test('an unread channel is bold with a count, red only with a mention', () => {
  expect(unreadBadge({ ...row, unread: 9 })).toMatchObject({ bold: true, count: '9', badge: null })
  expect(unreadBadge({ ...row, unread: 9, mentions: 2 })).toMatchObject({
    badge: '@2',
    label: '9 unread, 2 mentions',
  })
})

test('a direct conversation is red unless it is muted', () => {
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
