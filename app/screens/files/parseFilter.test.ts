import { expect, test } from 'vitest'
import { parseFilter, formatFilter } from './parseFilter.ts'

const by = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'

test('an address tells what the files are narrowed down by, and is told by it', () => {
  const filter = { channelId: 'c', kind: 'pdf', author: by, words: 'rota & plan' } as const
  expect(parseFilter('c', formatFilter(filter))).toEqual(filter)
  expect(formatFilter({ channelId: 'c', kind: null, author: null, words: '' })).toBe('')
})

test('what makes no sense in an address asks nothing', () => {
  const nothing = { channelId: null, kind: null, author: null, words: '' }
  expect(parseFilter(null, `type=painting&by=${by}x&name=%20`)).toEqual(nothing)
  expect(parseFilter(null, '')).toEqual(nothing)
  expect(parseFilter(null, `name=${'x'.repeat(300)}`).words).toHaveLength(255)
})
