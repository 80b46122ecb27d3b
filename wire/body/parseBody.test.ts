import { describe, expect, test } from 'vitest'
import { safeHref } from './addresses.ts'
import { nodesOf } from './nodesOf.ts'
import { isAction, parseBody } from './parseBody.ts'
import { shownText } from './plainText.ts'
import { MAX_CHARACTERS } from './testing/adversarialText.ts'
import type { Block, Inline } from './tree.ts'

const repeatToMax = (text: string) => text.repeat(Math.floor(MAX_CHARACTERS / text.length))

function depthOf(node: Block | Inline): number {
  const children =
    node.type === 'list'
      ? node.items.flatMap((item) => item.children)
      : 'children' in node
        ? (node.children as (Block | Inline)[])
        : []
  return 1 + Math.max(0, ...children.map(depthOf))
}

const countOf = (body: string, type: string): number =>
  [...nodesOf(parseBody(body))].filter((node) => node.type === type).length

describe('bounds', () => {
  test.each(['>', '> ', '- ', '1. ', '- > ', '> - ', '**a *b ', '*_', '||*', '[', '![', '[a](', '~~||'])(
    'nested "%s" are text beyond a depth',
    (unit) => {
      const closed =
        repeatToMax(unit).slice(0, 9_000) + 'a' + [...repeatToMax(unit)].slice(0, 9_000).toReversed().join('')
      for (const body of [repeatToMax(unit), closed])
        expect(Math.max(...parseBody(body).map(depthOf))).toBeLessThan(50)
    },
  )

  test('items that are indented further and further are text beyond a depth', () => {
    const steps = Array.from({ length: 100 }, (_, at) => `${'  '.repeat(at)}- a`).join('\n')
    expect(Math.max(...parseBody(steps).map(depthOf))).toBeLessThan(50)
    expect(countOf(steps, 'text')).toBeGreaterThan(0)
  })

  test('a message with too many nodes is one block of code with all its text', () => {
    for (const unit of ['- a\n', '**a** ', 'a\n', '|a|b\n|-|-|\n\n', ':a: ', '`a` ', '> a\n\n']) {
      const body = repeatToMax(unit)
      const [block, ...others] = parseBody(body)
      expect([unit, block?.type, others.length]).toEqual([unit, 'codeBlock', 0])
      expect(shownText(body, (block as { children: Inline[] }).children)).toBe(body)
    }
  })

  test('long lists, texts and tables of ordinary messages are formatted', () => {
    const list = Array.from({ length: 1_000 }, (_, at) => `- item ${at}`).join('\n')
    expect(parseBody(list)[0]?.type).toBe('list')
    expect(countOf('| a | b |\n|---|---|\n| 1 | 2 |\n\n'.repeat(100), 'table')).toBe(100)
    expect(countOf(repeatToMax('Some *words* in `code` and _more_ '), 'code')).toBeGreaterThan(500)
    expect(countOf(repeatToMax('ann.lee@example.org, '), 'link')).toBeGreaterThan(900)
    expect(countOf('<!channel>'.repeat(1_500), 'mention')).toBe(1_500)
  })
})

describe('code in place of text', () => {
  test('has its indentation and its language', () => {
    expect(parseBody('```SQL\n    select 1\n\n  from a\n```')).toMatchObject([
      { type: 'codeBlock', language: 'sql', children: [{ text: '    select 1\n\n  from a' }] },
    ])
    expect(parseBody('  ```\n    a\n  b\n```')).toMatchObject([{ children: [{ text: '  a\nb' }] }])
    expect(parseBody('- ```\n  a\n    b\n  ```')).toMatchObject([
      { items: [{ children: [{ children: [{ text: 'a\n  b' }] }] }] },
    ])
  })
})

test('tasks have their line, and the number of equal lines before it', () => {
  const [list] = parseBody('- [ ] a\n- [x] b\n  - [ ] a\n\n> - [ ] a')
  expect(list).toMatchObject({
    items: [{ task: { line: '0 - [ ] a', isDone: false } }, { task: { line: '0 - [x] b', isDone: true } }],
  })
  const lines = [
    ...JSON.stringify(parseBody('- [ ] a\n- [x] b\n  - [ ] a\n\n> - [ ] a')).matchAll(/"line":"([^"]*)"/g),
  ]
  expect(lines.map(([, line]) => line)).toEqual(['0 - [ ] a', '0 - [x] b', '1 - [ ] a', '2 - [ ] a'])
})

test('the text after /me is what the author does', () => {
  expect(isAction('/me waves')).toBe(true)
  for (const body of ['/me', '/me ', 'say /me waves', '/metoo', '/me\n\nwaves'])
    expect(isAction(body)).toBe(false)
})

test('nodes have the range of the source, with the marks', () => {
  const body = '> a\n> **b <!here>** `c`\n\n- d\n\n  *e*'
  const ranges = [...nodesOf(parseBody(body))].map(({ type, start, end }) => [type, body.slice(start, end)])
  expect(ranges).toEqual([
    ['quote', '> a\n> **b <!here>** `c`'],
    ['paragraph', 'a\n> **b <!here>** `c`'],
    ['text', 'a'],
    ['lineBreak', '\n> '],
    ['strong', '**b <!here>**'],
    ['text', 'b '],
    ['mention', '<!here>'],
    ['text', ' '],
    ['code', '`c`'],
    ['text', 'c'],
    ['list', '- d\n\n  *e*'],
    ['paragraph', 'd'],
    ['text', 'd'],
    ['paragraph', '*e*'],
    ['emphasis', '*e*'],
    ['text', 'e'],
  ])
})

test('links lead to the web or to an email address only', () => {
  expect(safeHref('https://example.org/a')).toBe('https://example.org/a')
  expect(safeHref('mailto:ann@example.org')).toBe('mailto:ann@example.org')
  for (const href of [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'file:///etc',
    '/x',
    '',
  ])
    expect(safeHref(href)).toBeNull()
})
