import { expect, it } from 'vitest'
import { contentRange } from './contentRange.ts'

it.each([
  [
    'the range that storage sent',
    { 'content-range': 'bytes 0-4/12', 'content-length': '9' },
    'bytes=0-',
    'bytes 0-4/12',
  ],
  ['all from a place on', { 'content-length': '9' }, 'bytes=3-', 'bytes 3-11/12'],
  ['less than was asked for', { 'content-length': '9' }, 'bytes=3-99', 'bytes 3-11/12'],
  ['no more than was asked for', { 'content-length': '9' }, 'bytes=3-11', 'bytes 3-11/*'],
  ['an end of unknown place', { 'content-length': '9' }, 'bytes=-9', null],
  ['an unknown length', {}, 'bytes=3-', null],
  ['no part', { 'content-length': '9' }, null, null],
])('returns the range for %s', (_what, headers, requested, expected) => {
  expect(contentRange(new Headers(headers as Record<string, string>), requested)).toBe(expected)
})
