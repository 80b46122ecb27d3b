import { array, assert, constantFrom, property } from 'fast-check'
import { expect, test } from 'vitest'
import { FRAGMENTS } from '../../../../../wire/body/testing/adversarialText.ts'
import { bodyTree, unsafeParts } from './elementTree.ts'

test('no text becomes an element, an attribute or an address that messages do not have', () => {
  assert(
    property(array(constantFrom(...FRAGMENTS), { maxLength: 80 }), (parts) => {
      expect(unsafeParts(bodyTree(parts.join('')))).toEqual([])
    }),
    { numRuns: 2_000 },
  )
})

test('what is dangerous is found', () => {
  const link = { tag: 'a', attributes: { href: 'javascript:a' }, children: ['a'] }
  const styled = { tag: 'p', attributes: { style: { color: 'red' } }, children: [link] }
  const script = { tag: 'script', attributes: {}, children: [] }
  expect(unsafeParts([styled, script])).toEqual(['p style=[object Object]', 'a href=javascript:a', 'script'])
})
