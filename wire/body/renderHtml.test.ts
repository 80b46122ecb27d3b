import { expect, it } from 'vitest'
import { renderHtml } from './renderHtml.ts'

const nameOf = (who: string): string | undefined =>
  who === '11111111-1111-4111-8111-111111111111' ? 'Bea <b>' : undefined
const render = (body: string): string =>
  renderHtml(body, { author: 'Ann', nameOf, emojiNamed: (name) => (name === 'tada' ? '🎉' : null) })

it.each([
  ['**Soup** and *bread*', '<p dir="auto"><strong>Soup</strong> and <em>bread</em></p>'],
  ['/me waves', '<p dir="auto"><strong><bdi>Ann</bdi></strong> waves</p>'],
  ['- one\n- two', '<ul><li dir="auto">one</li><li dir="auto">two</li></ul>'],
  ['3. one\n4. two', '<ol><li dir="auto" value="3">one</li><li dir="auto" value="4">two</li></ol>'],
  [':tada: :harbour:', '<p dir="auto">🎉 :harbour:</p>'],
  ['`a < b`', '<p dir="auto"><code>a &lt; b</code></p>'],
  ['||Rosebud||', '<p dir="auto"><details class="spoiler"><summary>Spoiler</summary>Rosebud</details></p>'],
  [
    'https://example.org/?a=1&b=2',
    '<p dir="auto"><a href="https://example.org/?a=1&amp;b=2" rel="noopener noreferrer">https://example.org/?a=1&amp;b=2</a></p>',
  ],
  [
    '<@11111111-1111-4111-8111-111111111111> and <@22222222-2222-4222-8222-222222222222>',
    '<p dir="auto"><strong>@<bdi>Bea &lt;b&gt;</bdi></strong> and <strong>@<bdi>someone</bdi></strong></p>',
  ],
])('%j is rendered', (body, html) => {
  expect(render(body)).toBe(html)
})

it.each([
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '[click](javascript:alert(1))',
  '![picture](data:text/html,<script>alert(1)</script>)',
  '[x](https://example.org/"onmouseover="alert(1))',
  '```"><script>\n</code></pre><script>alert(1)</script>\n```',
  '| a |\n|---|\n| </td><script>alert(1)</script> |',
  '$<script>$ `<script>` ||<script>|| :<script>:',
])('%j becomes no other element, attribute or address', (body) => {
  const known =
    /<\/?(?:p|strong|em|del|bdi|code|pre|br|blockquote|ul|ol|li|details|summary|div|table|thead|tbody|tr|th|td|a)(?: (?:dir="(?:auto|ltr)"|class="(?:scroll|spoiler|parenthesis)"|tabindex="0"|rel="noopener noreferrer"|href="(?:https?|mailto):[^"<>]*"))*>/g
  expect(render(body).replaceAll(known, '')).not.toMatch(/[<>"]/)
})
