import { describe, expect, it } from 'vitest'
import { parseInOperand } from './parseFilter.ts'
import { parseColumns, parseQuery } from './parseQuery.ts'
import { splitQuery } from './splitQuery.ts'

const parse = (search: string, allowArguments = false) => parseQuery(splitQuery(search), allowArguments)

describe('splitQuery', () => {
  it('returns the same shape for requests that differ only in values', () => {
    const one = splitQuery('select=a&id=eq.1&name=like(any).{x}')
    const other = splitQuery('select=a&id=eq.2&name=like(any).{y,z}')
    expect(other.shape).toBe(one.shape)
    expect([one.inputs, other.inputs]).toEqual([
      ['1', '{x}'],
      ['2', '{y,z}'],
    ])
  })

  it.each([
    ['id=eq.1', 'id=neq.1'],
    ['id=eq.1', 'id=not.eq.1'],
    ['id=is.null', 'id=is.true'],
    ['id=eq.1', 'name=eq.1'],
    ['limit=1', 'limit=2'],
    ['a.limit=1', 'limit=1'],
    ['order=a', 'order=b'],
    ['or=(a.eq.1)', 'or=(a.eq.2)'],
    ['id=fts(a).x', 'id=fts(b).x'],
    ['a=1', 'b=1'],
    // Without lengths in the shape, these two would be equal.
    [`${encodeURIComponent('a=eq.\u0002b')}=eq.1`, 'a=eq.1&b=eq.1'],
    ['a=eq.1&b=eq.2', `${encodeURIComponent('af1,3:b')}=eq.1`],
  ])('distinguishes %s from %s', (one, other) => {
    expect(splitQuery(one).shape).not.toBe(splitQuery(other).shape)
  })

  it('uses the last of several limits, and accepts semicolons between parameters', () => {
    const { ranges, parts } = splitQuery('limit=1&limit=3;offset=2;limit=x&a=eq.1;b')
    expect(ranges.get('limit')).toEqual({ offset: 2, limit: 3 })
    expect(parts).toMatchObject([{ name: 'a' }])
    expect(splitQuery('a=eq.1%3B2').inputs).toEqual(['1;2'])
  })

  it('never throws while decoding', () => {
    expect(splitQuery('a=eq.b+c%20d').inputs).toEqual(['b c d'])
    expect(splitQuery('a=eq.%zz%e4').inputs).toEqual(['%zz\ufffd'])
    expect(splitQuery('flag&a').parts).toEqual([])
  })
})

describe('parseQuery', () => {
  it('parses filters, also of embeds', () => {
    expect(parse('a->>b=not.eq.1&rel.c=in.(1,2)&d=is.null').filters).toEqual([
      {
        path: [],
        filter: {
          kind: 'filter',
          field: { name: 'a', path: [{ key: 'b', isIndex: false, asText: true }] },
          negated: true,
          operation: { kind: 'compare', operator: 'eq', quantifier: null, operand: { input: 0 } },
        },
      },
      {
        path: ['rel'],
        filter: {
          kind: 'filter',
          field: { name: 'c', path: [] },
          negated: false,
          operation: { kind: 'in', operand: { input: 1 } },
        },
      },
      {
        path: [],
        filter: {
          kind: 'filter',
          field: { name: 'd', path: [] },
          negated: false,
          operation: { kind: 'is', value: 'null' },
        },
      },
    ])
  })

  it('parses logic as a tree', () => {
    const [{ path, tree } = { path: [], tree: null }] = parse(
      'rel.not.or=(a.eq.1,and(b.in.(x,"y,z"),c.not.is.true))',
    ).logic
    expect(path).toEqual(['rel'])
    expect(tree).toMatchObject({
      kind: 'or',
      negated: true,
      items: [
        { field: { name: 'a' }, operation: { operand: { text: '1' } } },
        {
          kind: 'and',
          negated: false,
          items: [
            { operation: { kind: 'in', operand: { values: ['x', 'y,z'] } } },
            { negated: true, operation: { kind: 'is', value: 'true' } },
          ],
        },
      ],
    })
  })

  it('finds the end of a value in logic', () => {
    const values = (text: string): unknown =>
      parse(`or=${encodeURIComponent(text)}`).logic.map(({ tree }) =>
        tree.kind === 'filter'
          ? []
          : tree.items.map(
              (item) => (item as { operation?: { operand: { text: string } } }).operation?.operand.text,
            ),
      )[0]
    expect(values('(a.eq."x,y",b.eq.{1,2},c.eq."q"r,d.eq.)')).toEqual(['x,y', '{1,2}', '"q"r', ''])
    expect(values('(a.eq."q\\"r\\\\")')).toEqual(['q"r\\'])
  })

  it('parses order, limits and names', () => {
    const query = parse('order=a.desc.nullslast,r(b)&r.order=c&r.limit=2&r.offset=1&on_conflict=x,"y z"')
    expect(query.order).toMatchObject([
      {
        path: [],
        terms: [
          { relation: null, field: { name: 'a' }, direction: 'desc', nulls: 'last' },
          { relation: 'r', field: { name: 'b' }, direction: null, nulls: null },
        ],
      },
      { path: ['r'], terms: [{ field: { name: 'c' } }] },
    ])
    expect(query.ranges).toEqual([{ path: ['r'], range: { offset: 1, limit: 2 } }])
    expect(query.onConflict).toEqual(['x', 'y z'])
    expect(parseColumns(splitQuery('columns=a, b,a'))).toEqual(['a', 'b'])
  })

  it('distinguishes arguments of a function from filters on its rows', () => {
    const { args, filters } = parse('a=1&b=eq.2&c=x.y&constructor=1', true)
    expect(args.map(({ name }) => name)).toEqual(['a', 'c', 'constructor'])
    expect(filters).toHaveLength(1)
    expect(() => parse('a=1')).toThrow('failed to parse filter (1)')
    expect(() => parse('a=toString.1')).toThrow('failed to parse filter')
  })
})

describe('parseInOperand', () => {
  it.each([
    ['(1,2)', ['1', '2']],
    ['("a,b","c\\"d","e\\\\")', ['a,b', 'c"d', 'e\\']],
    ['()', ['']],
    ['(,)', ['', '']],
    ['(  )', ['']],
    ['( a , b )', ['a ', ' b ']],
    ['("a"b)', ['"a"b']],
    ['("open,b)', ['"open', 'b']],
  ])('%s', (text, expected) => {
    expect(parseInOperand(text)).toEqual(expected)
  })
  it.each(['1,2', '(1', '(1)2', '("a)'.slice(0, 3)])('refuses %s', (text) => {
    expect(() => parseInOperand(text)).toThrow('failed to parse filter')
  })
  it('parses long lists and unclosed quotes without backtracking', () => {
    expect(parseInOperand(`(${Array.from({ length: 200_000 }, (_, i) => i).join(',')})`)).toHaveLength(
      200_000,
    )
    parseInOperand(`(${'"\\",'.repeat(200_000)})`)
    parseInOperand(`(${'x"'.repeat(200_000)})`)
  })
})
