import { expect, it } from 'vitest'
import { slackMarkdown } from '../functions/_shared/slackMarkdown.ts'
import { parsePayload, PayloadError, payloadMarkdown } from '../functions/_shared/slackPayload.ts'
import { createRandom, testSeed } from '../../tests/support/random.ts'

it.each([
  ['*bold*, _slanted_ and ~struck~', '**bold**, _slanted_ and ~~struck~~'],
  ['2 * 3 * 4 and a*b*c', '2 * 3 * 4 and a*b*c'],
  ['**twice**', '**twice**'],
  ['<https://example.com/a?b=1|the page>', '[the page](<https://example.com/a?b=1>)'],
  ['<https://example.com/>', '<https://example.com/>'],
  ['<https://example.com/|a *b* [c]>', '[a \\*b\\* \\[c\\]](<https://example.com/>)'],
  ['<mailto:ann@harbour.example|Ann>', '[Ann](<mailto:ann@harbour.example>)'],
  ['<javascript:alert(1)|here>', 'javascript:alert(1)|here'],
  ['<!here> and <!channel|everybody> &lt;!channel&gt;', '@here and everybody <\u2060!channel>'],
  ['<<!x|!here>>', '<\u2060!here>'],
  ['<!date^1392734382^{date}|18 February>', '18 February'],
  ['<!subteam^S012|@bakers>', '@bakers'],
  ['<@U012AB3CD> in <#C024BE7LR|general>', '@U012AB3CD in #general'],
  ['<@3f2b0c1e-0a57-4c38-9d5c-4c1d8f0b7a11>', '<@3f2b0c1e-0a57-4c38-9d5c-4c1d8f0b7a11>'],
  ['&lt;@3f2b0c1e-0a57-4c38-9d5c-4c1d8f0b7a11&gt;', '<\u2060@3f2b0c1e-0a57-4c38-9d5c-4c1d8f0b7a11>'],
  ['`*a* &lt;!here&gt;` *b*', '`*a* <\u2060!here>` **b**'],
  ['```\n*a* &amp; b```', '```\n*a* & b\n```'],
  ['&gt; quoted *text*', '> quoted **text**'],
  ['[text](https://example.com)', '\\[text\\](https://example.com)'],
  ['# heading', '\\# heading'],
])('converts %s', (text, markdown) => {
  expect(slackMarkdown(text)).toBe(markdown)
})

it('reads JSON, and forms with the field payload', () => {
  expect(parsePayload('{"text": "Hi"}', 'application/json')).toEqual({ text: 'Hi' })
  const form = `payload=${encodeURIComponent('{"text": "Hi + bye"}')}`
  expect(parsePayload(form, 'application/x-www-form-urlencoded; charset=utf-8')).toEqual({ text: 'Hi + bye' })
  for (const body of ['', 'Hi', '[]', '"Hi"', 'null', '{"text": "Hi"'])
    expect(() => parsePayload(body, 'application/json')).toThrow(new PayloadError('invalid_payload'))
})

it('joins the user name, the text and attachments', () => {
  expect(
    payloadMarkdown({
      username: 'CI *bot*',
      icon_emoji: ':tada:',
      text: 'Build <https://ci.example/7|#7> *failed*',
      attachments: [
        {
          fallback: 'Not shown',
          pretext: 'Details',
          title: 'main [1]',
          title_link: 'https://ci.example/7/log',
          text: 'line one\nline *two*',
          fields: [
            { title: 'Branch', value: 'main', short: true },
            { title: '', value: 'by <@U1|Bea>' },
          ],
          footer: 'CI',
        },
        { fallback: 'Only *this*' },
      ],
    }),
  ).toBe(
    [
      '**CI \\*bot\\***',
      'Build [#7](<https://ci.example/7>) **failed**',
      '',
      'Details',
      '> **[main [1]](<https://ci.example/7/log>)**',
      '> line one',
      '> line **two**',
      '> **Branch:** main',
      '> by @Bea',
      '> _CI_',
      '',
      '> Only **this**',
    ].join('\n'),
  )
})

it('has only backslashes that messages do not show', () => {
  const text = (value: string) =>
    payloadMarkdown({ blocks: [{ type: 'section', text: { type: 'plain_text', text: value } }] })
  expect(text('snake_case, 5 * 3, C:\\temp')).toBe('snake_case, 5 * 3, C:\\temp')
  expect(payloadMarkdown({ text: 'C:\\temp [1] _a_' })).toBe('C:\\temp [1] _a_')
})

it('shows blocks in place of the text', () => {
  const mrkdwn = (text: string) => ({ type: 'mrkdwn', text })
  const blocks = [
    { type: 'header', text: { type: 'plain_text', text: 'Release *1*' } },
    {
      type: 'section',
      text: mrkdwn('*All* green'),
      fields: [mrkdwn('a'), { type: 'plain_text', text: '*b*' }],
    },
    { type: 'divider' },
    { type: 'actions', elements: [{ type: 'button' }] },
    {
      type: 'context',
      elements: [mrkdwn('by _Bea_'), { type: 'image', image_url: 'https://x.example/', alt_text: 'photo' }],
    },
  ]
  expect(payloadMarkdown({ text: 'Not shown', blocks })).toBe(
    '**Release \\*1\\***\n\n**All** green\na\n\\*b*\n\n---\n\nby _Bea_ · photo',
  )
})

it('refuses payloads without content and lists that are too long', () => {
  const error = (payload: object): string => {
    try {
      return payloadMarkdown({ ...payload })
    } catch (thrown) {
      return (thrown as Error).message
    }
  }
  expect(error({})).toBe('no_text')
  expect(error({ text: ' \n' })).toBe('no_text')
  expect(error({ username: 'CI' })).toBe('no_text')
  expect(error({ blocks: 'x' })).toBe('invalid_blocks')
  expect(error({ blocks: Array.from({ length: 51 }, () => ({ type: 'divider' })) })).toBe('invalid_blocks')
  expect(error({ attachments: Array.from({ length: 101 }, () => ({ text: 'a' })) })).toBe(
    'too_many_attachments',
  )
})

it('has no text that PostgreSQL cannot store', () => {
  const json = String.raw`{"text": "a\u0000b \ud83d \ud83d\ude00", "username": "USER"}`
  const name = `${'n'.repeat(79)}👩🏽‍⚕️`
  const text = payloadMarkdown(parsePayload(json.replace('USER', name), 'application/json'))
  expect(text).toBe(`**${'n'.repeat(79)}**\nab \uFFFD 😀`)
})

it('cuts a text at 20,000 characters', () => {
  const text = payloadMarkdown({ text: 'é'.repeat(19_997) + '😀😀😀👩🏽‍⚕️' })
  expect([...text].length).toBe(20_000)
  expect(text).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/)
  expect(text.endsWith('…')).toBe(true)
})

it('mentions nobody by any payload, and fails only by its own errors', () => {
  const random = createRandom(testSeed)
  const pieces = [
    '<',
    '>',
    '!',
    'here',
    'channel',
    'me',
    '@',
    '#',
    '|',
    '&lt;',
    '&gt;',
    '&amp;',
    '*',
    '_',
    '~',
    '`',
    '```',
    '\n',
    ' ',
    '[',
    ']',
    '(',
    ')',
    'https://a.example/',
    '^',
    '\\',
    'a',
    '😀',
    '<!here>',
    '<!channel|x>',
    '<!x|!here>',
    '<#C1|!here>',
    '&amp;lt;',
    '\u202E',
  ]
  const text = (): string => Array.from({ length: random.below(30) }, () => random.pick(pieces)).join('')
  const value = (depth: number): unknown => {
    const kind = random.below(depth > 3 ? 3 : 6)
    if (kind < 2) return text()
    if (kind === 2) return random.pick([null, 1, true, {}, []])
    if (kind === 3) return Array.from({ length: random.below(4) }, () => value(depth + 1))
    const keys = [
      'text',
      'type',
      'fields',
      'title',
      'title_link',
      'value',
      'elements',
      'fallback',
      'pretext',
      'footer',
    ]
    return Object.fromEntries(
      Array.from({ length: random.below(6) }, () => {
        const key = random.pick(keys)
        const type = ['header', 'section', 'context', 'divider', 'image', 'mrkdwn', 'plain_text']
        return [key, key === 'type' ? random.pick(type) : value(depth + 1)]
      }),
    )
  }
  let shown = 0
  const tries = 20_000 * Number(process.env['LINNET_RUNS'] ?? 1)
  for (let i = 0; i < tries; i++) {
    const list = () => Array.from({ length: random.below(4) }, () => value(0))
    const payload = { text: value(3), username: value(3), blocks: list(), attachments: list() }
    let markdown = ''
    try {
      markdown = payloadMarkdown(payload)
    } catch (error) {
      if (!(error instanceof PayloadError))
        throw new Error(`seed ${testSeed}: ${JSON.stringify(payload)}`, { cause: error })
    }
    if (/<!(?:here|channel|me)>|<@[0-9a-f]{8}-/.test(markdown))
      throw new Error(`seed ${testSeed}: ${JSON.stringify(payload)} became ${markdown}`)
    if (markdown !== '') shown++
  }
  expect(shown).toBeGreaterThan(tries / 4)
})
