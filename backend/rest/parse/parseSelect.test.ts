import { describe, expect, it } from 'vitest'
import { RestError } from '../errors.ts'
import { parseSelect } from './parseSelect.ts'

const field = (name: string, more = {}) => ({
  kind: 'field',
  field: { name, path: [] },
  alias: null,
  cast: null,
  aggregate: null,
  aggregateCast: null,
  ...more,
})
const step = (key: string, more = {}) => ({ key, isIndex: false, asText: false, ...more })

describe('parseSelect', () => {
  it('parses fields with alias, path and cast', () => {
    expect(parseSelect('*')).toEqual([field('*')])
    expect(parseSelect('a,"b.c", d e ')).toEqual([field('a'), field('b.c'), field('d e')])
    expect(parseSelect('x:a::int4')).toEqual([field('a', { alias: 'x', cast: 'int4' })])
    expect(parseSelect('a-b')).toEqual([field('a-b')])
    expect(parseSelect('a->b->>2')).toEqual([
      field('a', {
        field: { name: 'a', path: [step('b'), step('2', { isIndex: true, asText: true })] },
      }),
    ])
    expect(parseSelect('a->"x,y"->-1')).toMatchObject([
      { field: { path: [step('x,y'), step('-1', { isIndex: true })] } },
    ])
    expect(parseSelect('a.sum(),count()')).toMatchObject([{ aggregate: 'sum' }, { aggregate: 'count' }])
  })

  it('parses embeds with alias, hint, join and spread', () => {
    expect(parseSelect('x:rel!hint!inner(a,...other!left(b))')).toEqual([
      {
        kind: 'embed',
        relation: 'rel',
        alias: 'x',
        hint: 'hint',
        join: 'inner',
        spread: false,
        items: [
          field('a'),
          {
            kind: 'embed',
            relation: 'other',
            alias: null,
            hint: null,
            join: 'left',
            spread: true,
            items: [field('b')],
          },
        ],
      },
    ])
    expect(parseSelect('rel()')).toMatchObject([{ items: [] }])
  })

  it.each(['a,', ',a', 'a(b', 'a b(', 'a::', 'a->', '"a', 'a::int;', 'a!x', '...a', '*a', '(', 'a:b:c'])(
    'refuses %s',
    (text) => {
      expect(() => parseSelect(text)).toThrow(RestError)
    },
  )

  it('parses long texts without backtracking', () => {
    for (const part of ['a,', 'a->b', '"', '((', 'a(', 'a-', '!', '...']) {
      expect(() => parseSelect(`${part.repeat(300_000)}(`)).toThrow(RestError)
    }
  })
})

it('refuses too many embeds, side by side or nested', () => {
  const embeds = (count: number): string => Array.from({ length: count }, (_, n) => `a${n}:b(c(d))`).join()
  expect(parseSelect(embeds(100))).toHaveLength(100)
  expect(() => parseSelect(embeds(101))).toThrow('failed to parse select parameter')
})
