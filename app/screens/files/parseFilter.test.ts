import { expect, test } from 'vitest'
import { parseFilter, formatFilter } from './parseFilter.ts'

const by = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'

test('a filter is formatted and parsed again', () => {
  const filter = { channelId: 'c', kind: 'pdf', author: by, terms: 'rota & plan' } as const
  expect(parseFilter('c', new URLSearchParams(formatFilter(filter) as Record<string, string>))).toEqual(
    filter,
  )
  expect(formatFilter({ channelId: 'c', kind: null, author: null, terms: '' })).toEqual({
    type: null,
    by: null,
    name: '',
  })
})

test('invalid parts of a query are ignored', () => {
  const nothing = { channelId: null, kind: null, author: null, terms: '' }
  expect(parseFilter(null, new URLSearchParams(`type=painting&by=${by}x&name=%20`))).toEqual(nothing)
  expect(parseFilter(null, new URLSearchParams())).toEqual(nothing)
  expect(parseFilter(null, new URLSearchParams(`name=${'x'.repeat(300)}`)).terms).toHaveLength(255)
})
