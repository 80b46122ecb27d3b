import { expect, test } from 'vitest'
import { htmlToMarkdown } from './htmlToMarkdown.ts'

test.each([
  [
    '<p>See <a href="https://a.example/x_(y)">the <b>page</b></a>.</p>',
    'See [the **page**](https://a.example/x_%28y%29).',
  ],
  ['<a href="https://a.example">https://a.example</a>', 'https://a.example'],
  ['a <b>bold </b>word, <i>italic</i>, <s>struck</s>', 'a **bold** word, *italic*, ~~struck~~'],
  ['<b><i>both</i></b>', '***both***'],
  ['<code>a`b</code> and <kbd>x</kbd>', '`` a`b `` and `x`'],
  [
    '<pre class="language-js"><code>if (a &lt; b) {\n  c()\n}\n</code></pre>',
    '```js\nif (a < b) {\n  c()\n}\n```',
  ],
  ['<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>', '- a\n  - b\n- c'],
  ['<ol start="3"><li><p>a</p></li><li>b</li></ol>', '3. a\n4. b'],
  [
    '<ul><li><input type="checkbox" checked> done</li><li><input type="checkbox"> open</li></ul>',
    '- [x] done\n- [ ] open',
  ],
  ['<h2>Title</h2><p>one</p><p>two</p>', '## Title\n\none\n\ntwo'],
  ['<blockquote><p>a</p><p>b</p></blockquote>', '> a\n>\n> b'],
  [
    '<table><tr><th>a</th><th>b|c</th></tr><tr><td>1</td><td>2</td></tr></table>',
    '| a | b\\|c |\n| --- | --- |\n| 1 | 2 |',
  ],
  ['<div>one</div><div><b>two</b></div>', 'one\n**two**'],
  ['one<br>two <em>three</em>', 'one\ntwo *three*'],
  [
    '<span style="font-weight:700">Docs</span> and <span style="font-style:italic">more</span>',
    '**Docs** and *more*',
  ],
  ['<b style="font-weight:normal"><p>a</p><ul><li>b</li></ul></b>', 'a\n\n- b'],
  ['<b>*stars* # and snake_case_name</b>', '**\\*stars* # and snake_case_name**'],
  ['<p># no title</p><p>1. no list</p><p><i>x</i></p>', '\\# no title\n\n1\\. no list\n\n*x*'],
])('%s', (html, markdown) => {
  expect(htmlToMarkdown(html)).toBe(markdown)
})

test('styling alone is pasted as plain text', () => {
  for (const html of [
    '<span style="color:red">red</span>',
    '<p>one</p><p>two</p>',
    '<div style="font-family: monospace; white-space: pre;"><div><span style="font-weight: bold">const</span> a</div></div>',
    '<meta charset="utf-8"><b style="font-weight:normal"><p>a</p></b>',
    '<table><tr><td>one cell</td></tr></table>',
    '<a href="javascript:alert(1)">text</a>',
    '',
  ])
    expect(htmlToMarkdown(html)).toBeNull()
})

test('scripts, styles and markup in text stay text', () => {
  expect(htmlToMarkdown('<b>a</b><script>alert(1)</script><style>b{}</style>')).toBe('**a**')
  expect(htmlToMarkdown('<b>&lt;img src=x&gt;</b>')).toBe('**<img src=x>**')
})

test('HTML is read as browsers read it', () => {
  expect(
    htmlToMarkdown("<!DOCTYPE html><!-- <b>no</b> --><P CLASS=x>a &amp; <B title='>'>b</B>&#x2026;"),
  ).toBe('a & **b**…')
  expect(htmlToMarkdown('<ul><li>a<li>b</ul><p>c<p>d')).toBe('- a\n- b\n\nc\n\nd')
  expect(htmlToMarkdown('1 < 2 <i>yes</i></b>')).toBe('1 < 2 *yes*')
  expect(htmlToMarkdown('<i>cut <b "')).toBe('*cut*')
  expect(htmlToMarkdown('<title><b>no</b></title><i>x</i>')).toBe('*x*')
})

test('HTML beyond the limits is pasted as plain text', () => {
  expect(htmlToMarkdown(`<b>${'x'.repeat(500_000)}</b>`)).toBeNull()
  expect(htmlToMarkdown('<b>a</b>'.repeat(20_001))).toBeNull()
  expect(htmlToMarkdown(`${'<blockquote>'.repeat(300)}<b>deep</b>`)).toContain('deep')
})
