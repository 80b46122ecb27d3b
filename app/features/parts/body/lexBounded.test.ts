import { Lexer, type Token } from 'marked'
import { expect, onTestFinished, test, vi } from 'vitest'
import { parseBody } from './parseBody.ts'

const MAX_CHARACTERS = 20_000
const repeatToMax = (text: string) => text.repeat(Math.floor(MAX_CHARACTERS / text.length))

function depthOf(tokens: readonly Token[]): number {
  const inner = tokens.flatMap((token) => ('tokens' in token ? (token.tokens ?? []) : []))
  return tokens.length === 0 ? 0 : 1 + depthOf(inner)
}

function textOf(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'br') return '\n'
      return 'tokens' in token && token.tokens ? textOf(token.tokens) : (token as { text: string }).text
    })
    .join('')
}

test('a message with deeply nested quotes, lists or emphasis is shown as plain text', () => {
  // Without a bound this throws, or produces a tree that no browser renders.
  expect(() => Lexer.lex(repeatToMax('>'))).toThrow(RangeError)
  const steps = (mark: string) =>
    Array.from({ length: 15 }, (_, at) => '  '.repeat(at * 49) + mark.repeat(49))
  const nested = [
    repeatToMax('>'),
    repeatToMax('> '),
    repeatToMax('- '),
    repeatToMax('1. '),
    steps('- ').join('\n'),
  ]
  for (const body of nested) {
    const tokens = parseBody(body.slice(0, MAX_CHARACTERS))
    expect(depthOf(tokens)).toBeLessThan(150)
  }
  expect(parseBody(repeatToMax('>'))).toMatchObject([{ type: 'code', text: repeatToMax('>') }])
  expect(depthOf(parseBody(repeatToMax('**a *b ') + repeatToMax(' b* a**')))).toBeLessThan(150)
})

test.each([
  '>',
  '> ',
  '>  ',
  '>   ',
  '>\t',
  ' > ',
  ' >  ',
  '- ',
  '-   ',
  '*\t',
  '1.  ',
  '9) ',
  '- >  ',
  '>  1. ',
  '> -   ',
  '>\u00A0',
  '[',
  '![',
  '](',
  '**a ',
  '*_',
  '~~',
  '[a](',
  '|',
  '||a',
  '$',
  '`',
  '<a ',
  '\\',
  '&',
])('the lexer scans a text of nested "%s" at most fifty times', (unit) => {
  const blocks = vi.spyOn(Lexer.prototype, 'blockTokens')
  const inlines = vi.spyOn(Lexer.prototype, 'inlineTokens')
  onTestFinished(() => void vi.restoreAllMocks())
  const half = unit.repeat(MAX_CHARACTERS / 2 / unit.length) + 'a'.repeat(MAX_CHARACTERS / 2)
  for (const body of [repeatToMax(unit), half]) {
    parseBody(body)
    const scanned = [...blocks.mock.calls, ...inlines.mock.calls].reduce(
      (sum, [source]) => sum + source.length,
      0,
    )
    expect(scanned).toBeLessThan(52 * MAX_CHARACTERS)
    blocks.mockClear()
    inlines.mockClear()
  }
})

test('lines of nested list items are shown as plain text, also when each line is below the limit', () => {
  const steps = Array.from({ length: 190 }, (_, at) => `${'- '.repeat(Math.min(at, 40))}a`).join('\n')
  expect(parseBody(steps)[0]?.type).toBe('code')
})

test('a message with more lines, tables or marks than the lexer handles in time is shown as plain text', () => {
  const tables = ['|\n-\n', '|\n-|\n', '-\n', 'a|b\n-|-\n']
  const lines = ['- a\n', '> a\n- b\n', '# a\n', 'a\n\n', 'a\r\r', '- [ ] a\n']
  const marks = ['_a', '~~a', '**a*', '![', '<', '***a', ' #:~a@b.c)']
  // One item of many lines.
  const item = '- ' + repeatToMax('[a](data:text/html,a)onclick\n')
  for (const body of [...[...tables, ...lines, ...marks].map(repeatToMax), item.slice(0, MAX_CHARACTERS)]) {
    expect([parseBody(body)[0]?.type, body.slice(0, 20)]).toEqual(['code', body.slice(0, 20)])
  }
})

test('long lists, many tables, rules and emphasis of ordinary messages are parsed', () => {
  const list = Array.from({ length: 900 }, (_, at) => `- item ${at}`).join('\n')
  expect(parseBody(list)[0]?.type).toBe('list')
  const table = '| a | b |\n|---|---|\n| 1 | 2 |\n\n'
  expect(parseBody(table.repeat(40)).filter((token) => token.type === 'table')).toHaveLength(40)
  expect(parseBody('Day\n\n---\n\n'.repeat(200)).filter((token) => token.type === 'hr')).toHaveLength(200)
  expect(parseBody(repeatToMax('Some *words* in `code` and _more_ '))[0]?.type).toBe('paragraph')
  const addresses = repeatToMax('ann.lee@example.org, ')
  expect(JSON.stringify(parseBody(addresses)).match(/"type":"link"/g)!.length).toBeGreaterThan(900)
  const text = '- one\n- two\n\n' + repeatToMax('Some words of a long text after a list.\n')
  expect(parseBody(text)[0]?.type).toBe('list')
  // Marks in code are not compared with each other.
  expect(parseBody('```\n' + 'snake_case\n'.repeat(900) + '```')[0]).toMatchObject({
    type: 'code',
    text: 'snake_case\n'.repeat(900).trim(),
  })
  expect(parseBody('```sh\n' + '__'.repeat(9_000) + '\n```')[0]).toMatchObject({ type: 'code' })
})

test('ordinary nested quotes stay quotes', () => {
  expect(parseBody('>>> a\n>> b')[0]?.type).toBe('blockquote')
  expect(parseBody('-'.repeat(80))[0]?.type).toBe('hr')
})

test('long runs are parsed in chunks without losing a character', () => {
  const line = 'Boats *leave* at noon, **all** of them; 潮が満ちたら出ます。 '
  for (const long of [repeatToMax(line).trim(), Array.from({ length: 300 }, () => line.trim()).join('\n')]) {
    const tokens = parseBody(long)
    expect(textOf(tokens)).toBe(long.replaceAll('*', ''))
    expect(depthOf(tokens)).toBeGreaterThan(2)
  }
  expect(textOf(parseBody('潮'.repeat(MAX_CHARACTERS)))).toBe('潮'.repeat(MAX_CHARACTERS))
  const mentions = parseBody('<!channel>'.repeat(1500))
  expect(JSON.stringify(mentions).match(/"type":"mention"/g)).toHaveLength(1500)
})
