import { describe, expect, test } from 'vitest'
import { parseQuery, type QueryContext } from './parseQuery.ts'

const now = new Date(2026, 10, 23, 14, 5)
const context: QueryContext = {
  isDayFirst: true,
  firstWeekday: 1,
  me: 'ann',
  people: [
    { id: 'ann', name: 'Ann Okafor' },
    { id: 'bea', name: 'Bea Lindqvist' },
    { id: 'tomas', name: 'Tomás Rey' },
    { id: 'beatrix', name: 'Beatrix' },
  ],
  conversations: [
    { id: 'desk', name: 'front-desk', kind: 'public' },
    { id: 'team', name: 'desk-team', kind: 'private' },
    { id: 'with-bea', name: 'Bea Lindqvist', kind: 'direct' },
    { id: 'group', name: 'Bea, Tomás', kind: 'group' },
    { id: 'bea-channel', name: 'bea', kind: 'public' },
    { id: 'notes', name: 'Ann Okafor', kind: 'direct' },
  ],
}

const iso = (year: number, month: number, day: number) => new Date(year, month - 1, day).toISOString()

const parse = (input: string) => {
  const { text, filters, written } = parseQuery(input, context, now)
  const problems = written.flatMap(({ problem }) => problem ?? [])
  return { text, filters, problems }
}

describe('searches', () => {
  const cases: [input: string, text: string, filters?: object, problems?: string[]][] = [
    ['', ''],
    ['  fire   alarm ', 'fire alarm'],
    ['"fire alarm" -drill', '"fire alarm" -drill'],
    ['„fire alarm“ -“old drill”', '"fire alarm" -"old drill"'],
    ['"fire alarm', '"fire alarm"'],
    ['- -- "" ?', ''],
    ['消防 🔥', '消防 🔥'],
    ['https://example.org at 10:30', 'https://example.org at 10:30'],
    ['constructor:x toString:y', 'constructor:x toString:y'],
    ['from:bea keys', 'keys', { from: ['bea', 'beatrix'] }],
    ['FROM:"bea lindqvist"', '', { from: ['bea'] }],
    ['from:@beatrix', '', { from: ['beatrix'] }],
    ['von:tomas', '', { from: ['tomas'] }],
    ['from:okafor from:"tomás"', '', { from: ['ann', 'tomas'] }],
    ['from:me', '', { from: ['ann'] }],
    ['von:mir mit:lind with:tomas', '', { from: ['ann'], with: ['bea', 'tomas'] }],
    ['with:bea', '', {}, ['too_many']],
    ['from:zoe keys', 'keys', {}, ['nobody']],
    ['from: keys', 'keys'],
    ['in:front-desk', '', { in: ['desk'] }],
    ['in:#desk', '', { in: ['desk', 'team'] }],
    ['in:bea', '', { in: ['bea-channel'] }],
    ['in:@bea', '', { in: ['with-bea', 'group'] }],
    ['in:@"Bea Lindqvist"', '', { in: ['with-bea'] }],
    ['in:"Bea, Tomás"', '', { in: ['group'] }],
    ['in:@me', '', { in: ['notes'] }],
    ['in:nowhere', '', {}, ['no_conversation']],
    ['before:2026-03', '', { before: iso(2026, 3, 1) }],
    ['after:2026-03', '', { after: iso(2026, 4, 1) }],
    ['vor:9.3.2026 nach:2025', '', { before: iso(2026, 3, 9), after: iso(2026, 1, 1) }],
    ['on:yesterday', '', { after: iso(2026, 11, 22), before: iso(2026, 11, 23) }],
    ['während:"letzte Woche"', '', { after: iso(2026, 11, 16), before: iso(2026, 11, 23) }],
    ['during:2026 before:march', '', { after: iso(2026, 1, 1), before: iso(2026, 3, 1) }],
    ['on:someday', '', {}, ['bad_date']],
    ['has:file hat:bild has:file', '', { has: ['file', 'image'] }],
    ['has:link has:reaction', '', { has: ['link', 'reaction'] }],
    ['hat:code hat:umfrage', '', { has: ['code', 'poll'] }],
    ['has:cheese', '', {}, ['bad_value']],
    ['is:thread ist:gespeichert', '', { is: ['thread', 'saved'] }],
    ['is:pinned', '', { is: ['pinned'] }],
    ['mentions:me', '', { mentions_me: true }],
    ['erwähnt:mich', '', { mentions_me: true }],
    ['mentions:bea', '', { mentions: ['bea', 'beatrix'] }],
    ['mentions:zzz', '', {}, ['nobody']],
    ['-from:beatrix -has:file x', 'x', { not: { from: ['beatrix'], has: ['file'] } }],
    ['-in:#desk -ist:thread from:me', '', { from: ['ann'], not: { in: ['desk', 'team'], is: ['thread'] } }],
    ['-from:zoe', '', {}, ['nobody']],
    ['-from: x', 'x'],
    ['-is:saved -on:today -mentions:me', '', {}, ['excluded_filter', 'excluded_filter', 'excluded_filter']],
  ]
  test.each(cases)('%s', (input, text, filters = {}, problems = []) => {
    expect(parse(input)).toEqual({ text, filters, problems })
  })
})

test('filters have their place in the search', () => {
  const input = 'keys from:"Bea Lindqvist" has:file'
  const { written } = parseQuery(input, context, now)
  expect(written.map(({ start, end }) => input.slice(start, end))).toEqual([
    'from:"Bea Lindqvist"',
    'has:file',
  ])
})

test('a beginning that more than 10 names have is not a filter', () => {
  const people = Array.from({ length: 11 }, (_, index) => ({ id: `p${index}`, name: `Person ${index}` }))
  expect(parseQuery('from:p', { ...context, people }).written[0]?.problem).toBe('too_many')
  expect(parseQuery('from:"person 7" from:p', { ...context, people }).written[1]?.problem).toBe('too_many')
  expect(parseQuery('from:"person 7"', { ...context, people }).filters).toEqual({ from: ['p7'] })
})

test('characters beyond the limit are ignored', () => {
  expect(parseQuery('x'.repeat(1_000), context).text).toHaveLength(500)
})

test('arbitrary text neither fails nor takes long', () => {
  const pieces = ['from:', '"', '-', ' ', 'a', '#', '@', '„', 'ß', 'before:', '2026-', ':', '🙂', 'has:']
  let seed = 7
  for (let round = 0; round < 2_000; round += 1) {
    let input = ''
    for (let count = 0; count < 40; count += 1) {
      seed = (seed * 48_271) % 2_147_483_647
      input += pieces[seed % pieces.length]
    }
    const { written } = parseQuery(input, context, now)
    for (const { start, end } of written) expect(end).toBeGreaterThan(start)
  }
})
