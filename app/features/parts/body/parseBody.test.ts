import type { Token } from 'marked'
import { expect, test } from 'vitest'
import { isAction, parseBody, safeHref } from './parseBody.ts'

const ANN = '0f0e8a52-9d1c-4c1e-8a51-111111111111'

function inline(body: string): Token[] {
  const [first] = parseBody(body)
  return (first as { tokens?: Token[] }).tokens ?? []
}

test('mentions of people and mass mentions are tokens of their own', () => {
  expect(inline(`<@${ANN}> and <!channel>`)).toMatchObject([
    { type: 'mention', who: ANN },
    { type: 'text', raw: ' and ' },
    { type: 'mention', who: 'channel' },
  ])
})

test('a mass mention can be the first word of a message or a line', () => {
  expect(inline('<!channel> lunch')).toMatchObject([
    { type: 'mention', who: 'channel' },
    { type: 'text', raw: ' lunch' },
  ])
  expect(inline('lunch\n<!here> now')[2]).toMatchObject({ type: 'mention', who: 'here' })
  expect(parseBody('<!doctype html>')[0]?.type).toBe('html')
})

test('a link to a channel is a mention with its id', () => {
  expect(inline(`see <#${ANN}>.`)).toMatchObject([
    { type: 'text', raw: 'see ' },
    { type: 'mention', who: `#${ANN}` },
    { type: 'text', raw: '.' },
  ])
  for (const body of [`<${ANN}>`, `<@#${ANN}>`, '<#front-desk>'])
    expect(inline(body).some((token) => token.type === 'mention')).toBe(false)
})

test('the text after /me is what the author does', () => {
  expect(inline('/me *waves*')).toMatchObject([
    { type: 'mention', who: 'me' },
    { type: 'text', raw: ' ' },
    { type: 'em' },
  ])
  for (const body of ['/me', '/me ', 'say /me waves', '/metoo', '/me\n\nwaves'])
    expect(isAction(body)).toBe(false)
  expect(inline('/me')).toMatchObject([{ type: 'text', raw: '/me' }])
})

test('similar text is no mention', () => {
  for (const body of ['<@ann>', '<!everyone>', `<@${ANN}`])
    expect(inline(body).some((token) => token.type === 'mention')).toBe(false)
})

test('a mention inside code is code', () => {
  expect(inline(`\`<@${ANN}>\``)).toMatchObject([{ type: 'codespan' }])
})

test('a line break is a line break', () => {
  expect(inline('one\ntwo').map((token) => token.type)).toEqual(['text', 'br', 'text'])
})

test('an indented line is no code block; a fence is one and keeps its indentation', () => {
  expect(parseBody('    hello')[0]?.type).toBe('paragraph')
  expect(parseBody('```sql\n    select 1\n```')[0]).toMatchObject({
    type: 'code',
    lang: 'sql',
    text: '    select 1',
  })
})

test('HTML is a token that is shown as text, never markup', () => {
  expect(parseBody('<script>alert(1)</script>')[0]?.type).toBe('html')
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

test('code blocks that are too long together lose their language', () => {
  const block = (length: number) => '```js\n' + 'a'.repeat(length) + '\n```\n'
  expect(parseBody(block(1_900))[0]).toMatchObject({ type: 'code', lang: 'js' })
  for (const body of [
    block(19_900),
    block(1_500).repeat(2),
    '> ' + block(2_100).trim().replaceAll('\n', '\n> '),
  ]) {
    expect(JSON.stringify(parseBody(body))).not.toContain('"lang":"js"')
  }
})

test('a spoiler has Markdown of its own; operators and empty cells are no spoilers', () => {
  expect(inline('who ||**did** it||')[1]).toMatchObject({ type: 'spoiler', tokens: [{ type: 'strong' }, {}] })
  for (const body of ['a || b || c', '||||', '`||a||`', '||a', String.raw`\||a||`])
    expect([body, JSON.stringify(parseBody(body)).includes('spoiler')]).toEqual([body, false])
})
