import { expect, it } from 'vitest'
import { mentionsOf } from '../../wire/body/mentionsOf.ts'
import { PayloadError, type Fields } from '../functions/_shared/payloadFields.ts'
import { parsePayload, slackMessage } from '../functions/_shared/slackPayload.ts'
import { createRandom, testSeed } from '../../tests/support/random.ts'

const bodyOf = (payload: Fields): string => slackMessage(payload).body

it.each([
  ['*bold*, _slanted_ and ~struck~', '**bold**, *slanted* and ~~struck~~'],
  ['*_both_* and *<https://a.example/x_y|x_y>*', '***both*** and **[x_y](<https://a.example/x_y>)**'],
  ['2 * 3 * 4 and a*b*c', '2 * 3 * 4 and a*b*c'],
  ['**twice**', '\\**twice**'],
  ['__init__ and snake_case', '__init__ and snake_case'],
  [':white_check_mark: done, *:+1::skin-tone-3:*', ':white_check_mark: done, **:+1:**'],
  ['<https://example.com/a?b=1|the page>', '[the page](<https://example.com/a?b=1>)'],
  ['<https://example.com/>', '<https://example.com/>'],
  ['<https://example.com/|a *b* [c]>', '[a **b** [c]](<https://example.com/>)'],
  ['<mailto:ann@harbour.example|Ann>', '[Ann](<mailto:ann@harbour.example>)'],
  ['<javascript:alert(1)|here>', 'javascript:alert(1)|here'],
  ['<!here> and <!channel|everybody> &lt;!channel&gt;', '@here and @channel \\<!channel>'],
  ['<!date^1392734382^{date}|18 February>', '18 February'],
  ['<!subteam^S012|@bakers>', '@bakers'],
  ['<@U012AB3CD> in <#C024BE7LR|general>', '@U012AB3CD in #general'],
  ['<@3f2b0c1e-0a57-4c38-9d5c-4c1d8f0b7a11>', '<@3f2b0c1e-0a57-4c38-9d5c-4c1d8f0b7a11>'],
  ['&lt;@3f2b0c1e-0a57-4c38-9d5c-4c1d8f0b7a11&gt;', '\\<@3f2b0c1e-0a57-4c38-9d5c-4c1d8f0b7a11>'],
  ['`*a* &lt;!here&gt;` *b*', '`*a* \\<!here>` **b**'],
  ['```\n*a* &amp; b```', '```\n*a* & b\n```'],
  ['log ```a``` end', 'log \n```\na\n```\n end'],
  ['&gt; quoted *text*\nnot', '> quoted **text**\nnot'],
  ['[text](https://example.com)', '\\[text](https://example.com)'],
  ['# of items: $5\n# of rooms', '# of items: $5\n# of rooms'],
  ['- Milk\n- Eggs\nThanks', '- Milk\n- Eggs\nThanks'],
  ['• Milk\n• Eggs\nThanks', '• Milk\n• Eggs\nThanks'],
])('converts %s', (text, markdown) => {
  expect(bodyOf({ text })).toBe(markdown)
})

it('shows a text without marks if the payload has `mrkdwn: false`', () => {
  expect(bodyOf({ text: '*a* _b_ &lt;!here&gt;\n- c\n1. d', mrkdwn: false })).toBe(
    '\\*a* \\_b_ \\<!here>\n\\- c\n1\\. d',
  )
})

it('reads JSON, and forms with the field payload', () => {
  expect(parsePayload('{"text": "Hi"}', 'application/json')).toEqual({ text: 'Hi' })
  const form = `payload=${encodeURIComponent('{"text": "Hi + bye"}')}`
  expect(parsePayload(form, 'application/x-www-form-urlencoded; charset=utf-8')).toEqual({ text: 'Hi + bye' })
  for (const body of ['', 'Hi', '[]', '"Hi"', 'null', '{"text": "Hi"'])
    expect(() => parsePayload(body, 'application/json')).toThrow(new PayloadError('invalid_payload'))
})

it('joins the user name and the text, and shows attachments as cards', () => {
  const { body, cards, sender } = slackMessage({
    username: ' CI  *bot*',
    icon_emoji: ':tada:',
    text: 'Build <https://ci.example/7|#7> *failed*',
    attachments: [
      {
        fallback: 'Not shown',
        color: '#a30200',
        pretext: 'Details',
        author_name: 'Bea',
        author_link: 'https://ci.example/bea',
        title: 'main [1]',
        title_link: 'https://ci.example/7/log',
        text: 'line one\nline *two*',
        fields: [
          { title: '__init__', value: '__init__.py :white_check_mark:', short: true },
          { title: '', value: 'by <@U1|Bea>' },
        ],
        image_url: 'https://ci.example/7.png',
        actions: [
          { type: 'button', text: 'Log', url: 'https://ci.example/7/log' },
          { type: 'button', text: 'Retry', name: 'retry' },
        ],
        footer: 'CI',
        ts: 1_700_000_000,
      },
      { fallback: 'Only *this*', color: 'good', actions: [{ text: 'x', url: 'javascript:alert(1)' }] },
    ],
  })
  const main = 'CI \\*bot*\nBuild [#7](<https://ci.example/7>) **failed**\n\nDetails'
  expect(body).toBe(
    [
      main,
      '',
      '> [Bea](<https://ci.example/bea>)',
      '> **[main [1]](<https://ci.example/7/log>)**',
      '> line one',
      '> line **two**',
      '> [main [1]](<https://ci.example/7.png>)',
      '> **__init__:** __init__.py :white_check_mark:',
      '> by @Bea',
      '> [Log](<https://ci.example/7/log>)',
      '> *CI*',
      '',
      '> Only **this**',
    ].join('\n'),
  )
  expect(sender).toEqual({ name: 'CI *bot*', end: 'CI \\*bot*\n'.length })
  expect(cards).toEqual({
    start: main.length,
    items: [
      {
        color: 'red',
        author: '[Bea](<https://ci.example/bea>)',
        title: '[main [1]](<https://ci.example/7/log>)',
        text: 'line one\nline **two**\n[main [1]](<https://ci.example/7.png>)',
        fields: [
          { name: '__init__', value: '__init__.py :white_check_mark:', short: true },
          { name: '', value: 'by @Bea' },
        ],
        links: [{ text: 'Log', url: 'https://ci.example/7/log' }],
        footer: 'CI',
        at: '2023-11-14T22:13:20.000Z',
      },
      { color: 'green', text: 'Only **this**' },
    ],
  })
})

it.each([
  ['good', 'green'],
  ['warning', 'yellow'],
  ['danger', 'red'],
  ['#36a64f', 'green'],
  ['#D63232', 'red'],
  ['#e01e5a', 'red'],
  ['ff9830', 'orange'],
  ['#f2c744', 'yellow'],
  ['#439FE0', 'blue'],
  ['#7b1fa2', 'purple'],
  ['#ddd', 'gray'],
  ['constructor', undefined],
  ['#12', undefined],
  [null, undefined],
])('the colour %s is %s', (value, color) => {
  expect(slackMessage({ attachments: [{ text: 'a', color: value }] }).cards?.items[0]?.color).toBe(color)
})

it('shows many or large attachments as quotes only', () => {
  const attachments = (count: number, text: string) => Array.from({ length: count }, () => ({ text }))
  expect(slackMessage({ attachments: attachments(20, 'a') }).cards?.items).toHaveLength(20)
  expect(slackMessage({ attachments: attachments(21, 'a') })).toEqual({
    body: Array.from({ length: 21 }, () => '> a').join('\n\n'),
    cards: null,
    sender: null,
    icon: null,
    isCut: false,
  })
  expect(slackMessage({ attachments: attachments(2, 'é'.repeat(4_000)) }).cards).toBeNull()
})

it('has only backslashes that messages do not show', () => {
  const text = (value: string) =>
    bodyOf({ blocks: [{ type: 'section', text: { type: 'plain_text', text: value } }] })
  expect(text('snake_case, 5 * 3, C:\\temp')).toBe('snake_case, 5 * 3, C:\\temp')
  expect(bodyOf({ text: 'C:\\temp [1] _a_' })).toBe('C:\\temp [1] *a*')
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
  expect(bodyOf({ text: 'Not shown', blocks })).toBe(
    'Release \\*1*\n\n**All** green\na\n\\*b*\n\n---\n\nby *Bea* · [photo](<https://x.example/>)',
  )
})

it('links controls with an address, and leaves the others out', () => {
  const label = (text: string) => ({ type: 'plain_text', text })
  const button = (text: string, url?: string) => ({ type: 'button', text: label(text), url })
  const options = [
    { text: label('Docs'), url: 'https://a.example/docs' },
    { text: label('No'), value: 'no' },
  ]
  const blocks = [
    {
      type: 'actions',
      elements: [button('Open *1*', 'https://a.example/1'), button('Approve'), { type: 'overflow', options }],
    },
    { type: 'section', text: label('Deploy'), accessory: button('Log', 'https://a.example/log') },
    {
      type: 'video',
      title: label('Tour'),
      title_url: 'https://a.example/tour',
      description: label('Two minutes'),
    },
    { type: 'file', external_id: 'x' },
  ]
  expect(bodyOf({ blocks })).toBe(
    [
      '[Open \\*1*](<https://a.example/1>) · [Docs](<https://a.example/docs>)',
      'Deploy\n[Log](<https://a.example/log>)',
      '[Tour](<https://a.example/tour>)\nTwo minutes',
    ].join('\n\n'),
  )
})

it('converts rich text, Markdown and tables', () => {
  const text = (value: string, style = {}) => ({ type: 'text', text: value, style })
  const section = (...elements: object[]) => ({ type: 'rich_text_section', elements })
  const list = (style: string, indent: number, ...items: object[]) => ({
    type: 'rich_text_list',
    style,
    indent,
    elements: items,
  })
  const elements = [
    section(
      text('Hi '),
      text('both ', { bold: true, italic: true }),
      text('a_b', { code: true }),
      { type: 'emoji', name: 'white_check_mark' },
      { type: 'link', url: 'https://a.example/', text: '*x*' },
      { type: 'broadcast', range: 'here' },
      text(' <!channel>'),
    ),
    list('ordered', 0, section(text('one'))),
    list('bullet', 1, section(text('below\nit'))),
    list('ordered', 0, section(text('two'))),
    section(text('after')),
    { type: 'rich_text_quote', elements: [text('a\n'), text('b', { strike: true })] },
    { type: 'rich_text_preformatted', elements: [text('``` <!here>')] },
  ]
  const raw = (value: string) => ({ type: 'raw_text', text: value })
  const blocks = [
    { type: 'rich_text', elements },
    { type: 'markdown', text: '**b** <!here>\n- c' },
    {
      type: 'table',
      column_settings: [{ align: 'left' }, { align: 'right' }],
      rows: [
        [raw('A|B'), raw('N')],
        [{ type: 'rich_text', elements: [section(text('x_y', { bold: true }))] }, raw('2')],
      ],
    },
  ]
  expect(bodyOf({ blocks })).toBe(
    [
      'Hi ***both*** `a_b`:white_check_mark:[\\*x*](<https://a.example/>)@here \\<!channel>',
      '1. one',
      '    - below',
      '      it',
      '2. two',
      'after',
      '> a',
      '> ~~b~~',
      '````',
      '``` \\<!here>',
      '````',
      '',
      '**b** \\<!here>',
      '- c',
      '',
      '| A\\|B | N |',
      '| - | -: |',
      '| **x_y** | 2 |',
    ].join('\n'),
  )
})

it('refuses payloads without content and lists that are too long', () => {
  const error = (payload: object): string => {
    try {
      return bodyOf({ ...payload })
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
  const text = bodyOf(parsePayload(json.replace('USER', name), 'application/json'))
  expect(text).toBe(`**${'n'.repeat(79)}**\nab \uFFFD 😀`)
})

it('cuts a text at 20,000 characters', () => {
  const { body: text, isCut } = slackMessage({ text: 'é'.repeat(19_997) + '😀😀😀👩🏽‍⚕️' })
  expect([...text].length).toBe(20_000)
  expect(text).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/)
  expect(text.endsWith('…')).toBe(true)
  expect(isCut).toBe(true)
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
      'color',
      'ts',
      'url',
      'style',
      'rows',
      'indent',
      'actions',
      'accessory',
      'options',
    ]
    return Object.fromEntries(
      Array.from({ length: random.below(6) }, () => {
        const key = random.pick(keys)
        const type = random.pick([...types])
        return [key, key === 'type' ? type : value(depth + 1)]
      }),
    )
  }
  const types = (
    'header section context actions divider image video markdown rich_text table mrkdwn plain_text button overflow ' +
    'rich_text_section rich_text_list rich_text_quote rich_text_preformatted text link emoji broadcast raw_text'
  ).split(' ')
  let shown = 0
  const tries = 20_000 * Number(process.env['LINNET_RUNS'] ?? 1)
  for (let i = 0; i < tries; i++) {
    const list = () => Array.from({ length: random.below(4) }, () => value(0))
    const payload = { text: value(3), username: value(3), blocks: list(), attachments: list() }
    let markdown = ''
    try {
      const { body, cards } = slackMessage(payload)
      markdown = body
      if (cards) {
        if (cards.start >= body.length) throw new Error(`seed ${testSeed}: ${JSON.stringify(payload)}`)
        for (const { author, title, text, fields = [], footer } of cards.items)
          markdown += `\n${[author, title, text, footer, ...fields.flatMap(Object.values)].join('\n')}`
      }
    } catch (error) {
      if (!(error instanceof PayloadError))
        throw new Error(`seed ${testSeed}: ${JSON.stringify(payload)}`, { cause: error })
    }
    if (mentionsOf(markdown).length > 0)
      throw new Error(`seed ${testSeed}: ${JSON.stringify(payload)} became ${markdown}`)
    if (markdown !== '') shown++
  }
  expect(shown).toBeGreaterThan(tries / 4)
})
