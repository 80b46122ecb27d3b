import { describe, expect, it } from 'vitest'
import { BadChangeRequest, describeRequest, parseChangeRequest } from './changeRequest.ts'

const filtersOf = (filter: string): unknown =>
  parseChangeRequest({ schema: 'public', table: 't', filter }).filters.map((f) => [
    f.column,
    f.operator,
    f.value,
    f.negated,
  ])

function refusal(params: Record<string, unknown>): string {
  try {
    parseChangeRequest(params)
  } catch (error) {
    if (error instanceof BadChangeRequest) return error.message
    throw error
  }
  throw new Error('the request was not refused')
}

const badFilter = (filter: string): string => refusal({ schema: 'public', table: 't', filter })

describe('a request', () => {
  it.each([
    [{ schema: 'app', table: 't', event: 'insert' }, ['INSERT', 'app', 't']],
    [{ schema: 'app' }, ['*', 'app', '*']],
    [{ table: 't', event: 'TRUNCATE' }, ['*', 'public', 't']],
    [{ schema: '*', event: '*' }, ['*', '*', '*']],
  ])('%j', (params, [event, schema, table]) => {
    expect(parseChangeRequest(params)).toEqual({ event, schema, table, filters: [], select: null })
  })

  it.each([
    [{}, '%{}'],
    [{ event: '*' }, '%{"event" => "*"}'],
    [{ schema: 'app', filter: 'a=eq.1' }, '%{"filter" => "a=eq.1", "schema" => "app"}'],
    [{ schema: 7, table: [null, true] }, '%{"schema" => 7, "table" => [nil, true]}'],
    [{ user_token: 'secret' }, '<redacted>'],
  ])('without schema and table: %j', (params, shown) => {
    expect(refusal(params)).toBe(
      `No subscription params provided. Please provide at least a \`schema\` or \`table\` to subscribe to: ${shown}`,
    )
  })

  it('selects columns of one table', () => {
    expect(parseChangeRequest({ schema: 'a', table: 't', select: ['x', 7, 'y'] }).select).toEqual(['x', 'y'])
    expect(parseChangeRequest({ schema: 'a', table: 't', select: [] }).select).toBeNull()
    expect(refusal({ schema: 'a', table: 't', select: 'x' })).toMatch(/^Error parsing `select` params/)
    expect(refusal({ schema: 'a', select: ['x'] })).toMatch(/^Column selection is not supported/)
  })

  it('is described as in the hosted service', () => {
    const request = parseChangeRequest({
      schema: 'public',
      table: 't',
      filter: 'a=not.eq."x,y"',
      event: 'INSERT',
    })
    expect(describeRequest(request)).toBe(
      '[event: INSERT, schema: public, table: t, filters: [{"a", "eq", "x,y", true}], select: nil]',
    )
  })
})

describe('filters', () => {
  it.each([
    ['a=eq.1', [['a', 'eq', '1', false]]],
    ['a=eq.1.5=6', [['a', 'eq', '1.5=6', false]]],
    ['a=eq.', [['a', 'eq', '', false]]],
    ['', []],
    ['  ', []],
    [
      'a=gt.0, b=lt.9',
      [
        ['a', 'gt', '0', false],
        ['b', 'lt', '9', false],
      ],
    ],
    [
      'a=in.(1,2),b=is.null',
      [
        ['a', 'in', '{1,2}', false],
        ['b', 'is', 'null', false],
      ],
    ],
    ['a=in.("x,y",z)', [['a', 'in', '{"x,y",z}', false]]],
    [
      'a=in.("x)y",z),b=eq.1',
      [
        ['a', 'in', '{"x)y",z}', false],
        ['b', 'eq', '1', false],
      ],
    ],
    ['a=not.like.x%', [['a', 'like', 'x%', true]]],
    ['a=eq."x\\"y\\\\,z"', [['a', 'eq', 'x"y\\,z', false]]],
    ['a=eq."x"y', [['a', 'eq', '"x"y', false]]],
  ])('%s', (filter, read) => {
    expect(filtersOf(filter)).toEqual(read)
  })

  it.each([
    ['a=foo.hey', '["foo", "hey"]'],
    ['undefined', '["undefined"]'],
    ['a=eq', '["eq"]'],
    ['a=eq.say "x, y"', '["y\\""]'],
    ['a=in.1,2', '`in` filter value must be wrapped by parentheses'],
    ['a=eq.1,,b=eq.2', 'filter must not contain empty segments (check for extra commas)'],
  ])('refuses %s', (filter, reason) => {
    expect(badFilter(filter)).toBe(`Error parsing \`filter\` params: ${reason}`)
  })

  it('refuses a filter beyond the maximum length, and accepts a long one', () => {
    expect(badFilter(`a=eq.${'x'.repeat(20_000)}`)).toMatch(/longer than 16384/)
    expect(filtersOf(`a=eq."${'x'.repeat(16_000)}"`)).toEqual([['a', 'eq', 'x'.repeat(16_000), false]])
  })
})
