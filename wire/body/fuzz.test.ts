import { array, assert, constantFrom, property } from 'fast-check'
import { expect, test } from 'vitest'
import { nodesOf } from './nodesOf.ts'
import { parseBody } from './parseBody.ts'
import { renderMarkdown } from './renderMarkdown.ts'
import { FRAGMENTS } from './testing/adversarialText.ts'
import { describeBlocks } from './testing/describeBlocks.ts'

const texts = array(constantFrom(...FRAGMENTS), { maxLength: 30 })

test('every node has the range of the source from which it was read', () => {
  assert(
    property(texts, (parts) => {
      const body = parts.join('')
      for (const node of nodesOf(parseBody(body))) {
        expect(0 <= node.start && node.start <= node.end && node.end <= body.length).toBe(true)
        const typed = body.slice(node.start, node.end)
        expect(node.type === 'mention' ? /^<[@#!].*>$/.test(typed) : true).toBe(true)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('the normal form of a text means the same', () => {
  assert(
    property(texts, (parts) => {
      const blocks = parseBody(parts.join(''))
      expect(describeBlocks(parseBody(renderMarkdown(blocks)))).toBe(describeBlocks(blocks))
    }),
    { numRuns: 2_000 },
  )
})
