import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { Body } from '../../parts/body/Body.tsx'
import { createMatcher } from './findMatches.ts'
import { highlightBlocks } from './highlightBlocks.tsx'

function excerpt(body: string, ...words: string[]): string {
  const findMatches = createMatcher(words)
  const html = renderToStaticMarkup(<Body body={body} change={highlightBlocks(findMatches)} />)
  return html.replaceAll(/ (?:class|dir|tabindex)="[^"]*"/g, '')
}

describe('excerpts', () => {
  const filler = 'some words of no interest '
  const cases: [body: string, expected: string, ...words: string[]][] = [
    ['the van keys', '<div><p>the <mark>van</mark> <mark>key</mark>s</p></div>', 'van', 'key'],
    ['**the van** keys', '<div><p><strong>the <mark>van</mark></strong> keys</p></div>', 'van'],
    ['run `van start`', '<div><p>run <code><mark>van</mark> start</code></p></div>', 'van'],
    ['<b>van</b>', '<div><p>&lt;b&gt;<mark>van</mark>&lt;/b&gt;</p></div>', 'van'],
    ['first\n\nsecond\n\nthe van', '<div><p>first</p><p>second</p><p>the <mark>van</mark></p></div>', 'van'],
    [`${filler.repeat(9)}\n\nthe van`, '<div><p>the <mark>van</mark></p></div>', 'van'],
    [
      '1. one\n2. van\n3. three',
      '<div><ol start="2"><li><mark>van</mark></li><li>three</li></ol></div>',
      'van',
    ],
    [
      'a very **important** `thing` **very**',
      '<div><p>a <mark>very </mark><strong><mark>important</mark></strong><mark> </mark><code><mark>thing</mark></code> <strong>very</strong></p></div>',
      'very important thing',
    ],
    [
      '- a **very _important_**\n- thing',
      '<div><ul><li>a <strong><mark>very </mark><em><mark>important</mark></em></strong></li><li>thing</li></ul></div>',
      'very important',
    ],
    ['very\n\nimportant', '<div><p>very</p><p>important</p></div>', 'very important'],
    ['车**van**', '<div><p>车<strong><mark>van</mark></strong></p></div>', 'van'],
    ['no match', '<div><p>no match</p></div>', 'van'],
  ]
  test.each(cases)('%s', (body, expected, ...words) => {
    expect(excerpt(body, ...words)).toBe(expected)
  })

  test('the text long before the first match is left out', () => {
    const found = excerpt(`${filler.repeat(20)}the van ${filler}`, 'van')
    expect(found).toMatch(
      /^<div><p>… [a-z ]{20,90}<mark>van<\/mark> some words of no interest ?<\/p><\/div>$/,
    )
  })

  test('of a table the head and the rows from the first match on remain', () => {
    const found = excerpt('|a|b|\n|-|-|\n|1|2|\n|van|4|\n|5|6|', 'van')
    expect(found).toContain('<th>a</th>')
    expect(found).toContain('<td><mark>van</mark></td>')
    expect(found).not.toContain('<td>1</td>')
    expect(found).toContain('<td>5</td>')
  })

  test('of a block of code the lines around the first match remain', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line${index}`).join('\n')
    const found = excerpt(`\`\`\`js\n${lines}\n\`\`\``, 'line9')
    expect(found).toContain('line7\nline8\n<mark>line9</mark>\nline10\nline11<')
  })

  test('a spoiler with a match stays hidden', () => {
    expect(excerpt('||the van||', 'van')).toMatch(/^<div><p><span><span inert="">|^<div><p><span>the /)
  })
})
