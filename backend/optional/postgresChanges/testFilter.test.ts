import { describe, expect, it } from 'vitest'
import type { Operator } from './changeRequest.ts'
import { testFilter, type CheckedFilter } from './testFilter.ts'
import type { ValueType } from './ValueTypes.ts'

const integer = { isExact: true, isInteger: true, isBoolean: false } as ValueType
const boolean = { isExact: true, isInteger: false, isBoolean: true } as ValueType
const numeric = { isExact: false, isInteger: false, isBoolean: false } as ValueType

function filter(
  operator: Operator,
  texts: (string | null)[],
  { negated = false, type = integer } = {},
): CheckedFilter {
  return { column: 'a', operator, value: texts[0] ?? '', texts, negated, typeId: 23, type }
}

const test = (f: CheckedFilter, value: string | null | undefined): unknown => testFilter(f, 23, value)

describe('without the database', () => {
  it.each<[Operator, string[], string, boolean]>([
    ['eq', ['1'], '1', true],
    ['eq', ['1'], '2', false],
    ['neq', ['1'], '2', true],
    ['in', ['1', '2'], '2', true],
    ['in', ['1', '2'], '3', false],
    ['lt', ['10'], '9', true],
    ['lte', ['9'], '9', true],
    ['gt', ['9'], '10', true],
    ['gte', ['9223372036854775807'], '9223372036854775806', false],
    ['isdistinct', ['1'], '2', true],
  ])('%s %j of %s', (operator, texts, value, passes) => {
    expect(test(filter(operator, texts), value)).toBe(passes)
    expect(test(filter(operator, texts, { negated: true }), value)).toBe(!passes)
  })

  it.each([
    ['null', null, true],
    ['null', 't', false],
    ['unknown', null, true],
    ['true', 't', true],
    ['true', null, false],
    ['false', 'f', true],
  ])('is %s of %s', (word, value, passes) => {
    expect(test(filter('is', [word], { type: boolean }), value)).toBe(passes)
    expect(test(filter('is', [word], { type: boolean, negated: true }), value)).toBe(!passes)
  })

  it('NULL does not pass, negated or not', () => {
    for (const negated of [false, true]) {
      expect(test(filter('eq', ['1'], { negated }), null)).toBe(false)
      expect(test(filter('like', ['1'], { negated }), null)).toBe(false)
      expect(test(filter('in', ['1', null], { negated }), '2')).toBe(false)
    }
    expect(test(filter('in', ['1', null]), '1')).toBe(true)
    expect(test(filter('isdistinct', ['1']), null)).toBe(true)
  })

  it('a missing value does not pass', () => {
    for (const negated of [false, true])
      expect(test(filter('is', ['null'], { negated }), undefined)).toBe(false)
  })
})

it('requires the database for other types, patterns, and a column whose type has changed', () => {
  expect(test(filter('eq', ['1.0'], { type: numeric }), '1.00')).toBe('database')
  expect(test(filter('like', ['a%']), 'ab')).toBe('database')
  expect(testFilter(filter('eq', ['1']), 25, '1')).toBe('database')
})
