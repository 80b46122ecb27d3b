import { describe, expect, test } from 'vitest'
import { applyCompletion, searchCompletionAt, quoted, withFilter, withoutPart } from './completeQuery.ts'

/** `|` is the caret. */
const at = (input: string) => {
  const caret = input.indexOf('|')
  const found = searchCompletionAt(input.replace('|', ''), caret)
  return found && [found.operator, found.query]
}

describe('completions', () => {
  const cases: [input: string, expected: [string | null, string] | null][] = [
    ['|', null],
    ['f|', null],
    ['fro|', [null, 'fro']],
    ['keys fro|', [null, 'fro']],
    ['fr|om', null],
    ['from:|', ['from', '']],
    ['von:be|', ['from', 'be']],
    ['from:be| keys', ['from', 'be']],
    ['from:"Bea Li|', ['from', 'Bea Li']],
    ['from:@"Bea Li|"', ['from', 'Bea Li']],
    ['from:"Bea Lindqvist"|', null],
    ['in:#des|', ['in', 'des']],
    ['-fro|', [null, 'fro']],
    ['-from:be|', ['from', 'be']],
    ['from:bea |', null],
    ['fro|m:bea', null],
    ['"from: be|', null],
    ['https:|', null],
  ]
  test.each(cases)('%s', (input, expected) => {
    expect(at(input)).toEqual(expected)
  })
})

test('a completion replaces what is typed, and the next word remains', () => {
  const completion = searchCompletionAt('keys from:be van', 12)!
  expect(applyCompletion('keys from:be van', completion, `from:${quoted('Bea Lindqvist')}`)).toEqual({
    text: 'keys from:"Bea Lindqvist" van',
    caret: 26,
  })
  expect(applyCompletion('-from:be', searchCompletionAt('-from:be', 8)!, 'from:beatrix').text).toBe(
    '-from:beatrix ',
  )
  expect(applyCompletion('fro', searchCompletionAt('fro', 3)!, 'from:')).toEqual({ text: 'from:', caret: 5 })
})

test('filters are appended and removed', () => {
  expect(withFilter('', 'has:')).toBe('has:')
  expect(withFilter('keys ', 'has:')).toBe('keys has:')
  expect(withoutPart('keys has:file van', { start: 5, end: 13 })).toBe('keys van')
  expect(withoutPart('has:file', { start: 0, end: 8 })).toBe('')
})
