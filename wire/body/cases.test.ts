import { describe, expect, test } from 'vitest'
import { cases, names, type Case } from './cases.ts'
import { linksOf } from './linksOf.ts'
import { nodesOf } from './nodesOf.ts'
import { parseBody } from './parseBody.ts'
import { plainText } from './plainText.ts'
import { renderMarkdown } from './renderMarkdown.ts'
import { describeBlocks } from './testing/describeBlocks.ts'

const context = {
  spoiler: '…',
  nameOf: (id: string) => names.get(id) ?? null,
  emojiOf: (name: string) => (name === 'tada' ? '🎉' : null),
}

describe.each(cases)('$subject: $text', (one: Case) => {
  const blocks = parseBody(one.text)

  test('the tree', () => {
    expect(describeBlocks(blocks)).toBe(one.shown)
  })

  test('one line of text', () => {
    expect(plainText(one.text, blocks, context)).toBe(one.line)
  })

  test('the links with previews', () => {
    expect([...linksOf(blocks)]).toEqual(one.links ?? [])
  })

  test('the mentions', () => {
    const mentions = [...nodesOf(blocks)].flatMap((node) =>
      node.type === 'mention' && node.who !== 'me' ? [node.who] : [],
    )
    expect(mentions).toEqual(one.mentions ?? [])
  })

  test('Markdown again', () => {
    const normal = renderMarkdown(blocks)
    expect(normal).toBe(one.normal ?? one.text)
    expect(describeBlocks(parseBody(normal))).toBe(one.shown)
  })
})
