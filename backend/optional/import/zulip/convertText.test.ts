import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testSeed } from '../../../../tests/support/random.ts'
import { mentionsOf } from '../../../../wire/body/mentionsOf.ts'
import { writeExportFolder } from '../exportFiles.fixture.ts'
import type { ExportReader, Mapping } from '../ExportReader.ts'
import { openZulip } from './openZulip.ts'
import { exportOf, message, stream, user } from './zulipExport.fixture.ts'

const idOf = (digit: string): string =>
  ['8', '4', '4', '4', '12'].map((length) => digit.repeat(Number(length))).join('-')
const ann = idOf('a')
const ben = idOf('b')
const general = idOf('1')
const mapping: Mapping = {
  personId: (person) => ({ 1: ann, 2: ben, 4: idOf('d'), 5: idOf('e') })[person] ?? null,
  channelId: (channel) =>
    ({ 'stream-1': general, 'direct-1-2': idOf('2'), 'group-1': idOf('3') })[channel] ?? null,
  messageId: (_channel, id) => `m${id}`,
  site: 'https://linnet.example',
}

let reader: ExportReader
beforeAll(async () => {
  const messages = [
    message(1, 'a', { subject: 'Lunch & co' }),
    message(2, 'b', { sender: 2, recipient: 101 }),
    message(3, 'c', { recipient: 301 }),
  ]
  reader = await openZulip(
    writeExportFolder(
      exportOf(messages, {
        zerver_userprofile: [user(1, 'Ann'), user(2, 'Ben'), user(4, 'Dup'), user(5, 'Dup')],
        zerver_stream: [stream(1, 'general'), stream(2, 'other')],
        zerver_reaction: [
          {
            message: 1,
            user_profile: 1,
            emoji_name: 'party_time',
            emoji_code: '1f389',
            reaction_type: 'unicode_emoji',
          },
        ],
      }),
    ),
    { topics: 'threads' },
  )
})
afterAll(() => reader.close())

function convert(content: string, more: object = {}): string {
  const fields = { content, sender: '1', title: '', origins: ['https://chat.example.org'], ...more }
  return reader.convertText(fields, mapping, []).body
}

describe('formats of Zulip', () => {
  it.each([
    ['**bold**, *italic*, ***both***, ~~struck~~', '**bold**, *italic*, ***both***, ~~struck~~'],
    ['_no italic_ and __no bold__', String.raw`\_no italic_ and __no bold__`],
    ['char * a, char * b', 'char * a, char * b'],
    ['**bold *and italic***', '**bold *and italic***'],
    ['`**code**` and ``a ` b``', '`**code**` and `` a ` b ``'],
    ['||no spoiler||', String.raw`\||no spoiler||`],
    ['$no formula$', String.raw`\$no formula$`],
    ['the dose is $$d = \\frac{m}{V}$$.', 'the dose is $d = \\frac{m}{V}$.'],
    ['costs $$5 or $$6', String.raw`costs \$$5 or $$6`],
    ['```math\n\\int_0^1 x\n```', '$$\n\\int_0^1 x\n$$'],
    ['<b>html</b> &amp; <!channel>', String.raw`<b>html</b> &amp; \<!channel>`],
    [`<@${ann}> <#${general}>`, `\\<@${ann}> \\<#${general}>`],
    ['```\n<!here>\n```', '```\n\\<!here>\n```'],
    ['a\\*b\\*', String.raw`a\*b\*`],
  ])('convert %j', (from, to) => {
    expect(convert(from)).toBe(to)
  })

  it.each([
    ['- a\n  - b\n* c\n+ d', '- a\n  - b\n- c\n- d'],
    ['Buy:\n* Milk\n\nThanks', 'Buy:\n- Milk\n\nThanks'],
    ['1. one\n2. two', '1. one\n2. two'],
    ['- [ ] no task', '- \u2060[ ] no task'],
    ['> quoted\nmore\n\nanswer', '> quoted\n> more\n\nanswer'],
    ['# Plan\nfor all', '# Plan\nfor all'],
    ['### Plan', '**Plan**'],
    ['#no heading\nx', '#no heading\nx'],
    ['a\n\n---\n\nb', 'a\n\n---\n\nb'],
    ['| A | B |\n|--|:-:|\n| *x* | 1 |', '| A | B |\n| -- | :-: |\n| *x* | 1 |'],
    ['    indented\n    code', '```\nindented\ncode\n```'],
    ['see\n```js\nlet a = `b`\n```\nend', 'see\n```js\nlet a = `b`\n```\nend'],
    ['~~~\na\n\n\n\nb', '```\na\n\n\n\nb\n```'],
  ])('convert the blocks of %j', (from, to) => {
    expect(convert(from)).toBe(to)
  })

  it('quote texts with all that they contain', () => {
    expect(convert('````quote\n```quote\ninner\n```\n```py\n# x\n```\n````\nyes')).toBe(
      '> > inner\n> ```py\n> # x\n> ```\nyes',
    )
  })

  it('hide each line of a spoiler, also code in it', () => {
    expect(convert('```spoiler The **end**\nShe *wins*\n\n~~~\nx || y\n~~~\n```\nafter')).toBe(
      'The **end**\n||She *wins*||\n\n||x || y||\nafter',
    )
  })

  it('name times in UTC', () => {
    expect(convert('at <time:2026-11-30T10:00:00+01:00>, <time:2026-11-30>, <time:1700000000>')).toBe(
      'at 2026-11-30 09:00 UTC, 2026-11-30 00:00 UTC, 2023-11-14 22:13 UTC',
    )
    expect(convert('<time:soon>')).toBe('<time:soon>')
  })

  it('keep the question and options of polls, and the tasks of lists', () => {
    expect(convert('/poll When?\nMonday\n*Tuesday*')).toBe('📊 **When?**\n- Monday\n- \\*Tuesday*')
    expect(convert('/todo\nbread: two\n\nmilk')).toBe('**Task list**\n- [ ] bread: two\n- [ ] milk')
  })

  it('keep actions, and mention their author below a title', () => {
    expect(convert('/me waves')).toBe('/me waves')
    expect(convert('/me waves', { title: 'Hi' })).toBe(`**Hi**\n<@${ann}> waves`)
  })
})

describe('names of emoji', () => {
  it('are those that Linnet knows, or that a reaction explains', () => {
    expect(convert(':tada: :party_time: :unknown_name: `:party_time:`')).toBe(
      ':tada: 🎉 :unknown_name: `:party_time:`',
    )
  })
})

describe('mentions', () => {
  it.each([
    ['@**Ann** and @**Ben|2**', `<@${ann}> and <@${ben}>`],
    ['@**|2**', `<@${ben}>`],
    ['@**all** @**everyone** @**topic**', '<!channel> <!channel> @topic'],
    ['@*nurses* and @_*nurses*', '@nurses and nurses'],
    ['@**Dup** and @**Dup|5**', String.raw`@**Dup** and` + ` <@${idOf('e')}>`],
    ['@**Nobody** or mail@**Ann**', '@**Nobody** or mail@**Ann**'],
    ['`@**Ann**`', '`@**Ann**`'],
  ])('convert %j', (from, to) => {
    expect(convert(from).replaceAll('\\', '')).toBe(to)
  })

  it('are links if they are silent, or in a quote', () => {
    const link = `[Ben](<https://linnet.example/people/${ben}>)`
    expect(convert('@_**Ben|2** left')).toBe(`${link} left`)
    expect(convert('> @**Ben**')).toBe(`> ${link}`)
    expect(convert('```quote\n@**Ben** @**all**\n```')).toBe(`> ${link} all`)
  })
})

describe('links', () => {
  const page = `https://linnet.example/c/${general}`

  it.each([
    ['https://a.example/x_y, (https://a.example/z)', '<https://a.example/x_y>, (<https://a.example/z>)'],
    ['[the *plan*](https://a.example/p_(1) "title")', String.raw`[the \*plan*](<https://a.example/p_(1)>)`],
    ['[x](a.example/b) [m](mail@a.example)', '[x](<http://a.example/b>) [m](<mailto:mail@a.example>)'],
    ['[x](javascript:alert(1)) [y](/settings)', 'x y'],
    ['[no link] (x) [a][b]', '[no link] (x) [a][b]'],
    ['**https://a.example**', '**<https://a.example/>**'],
    ['![map](https://a.example/m.png)', '[map](<https://a.example/m.png>)'],
  ])('convert %j', (from, to) => {
    expect(convert(from)).toBe(to)
  })

  it('lead to the streams, topics and messages of the export', () => {
    expect(convert('#**general**')).toBe(`<#${general}>`)
    expect(convert('#**general>Lunch & co**')).toBe(`[#general > Lunch & co](<${page}/m/m1>)`)
    expect(convert('#**general>Lunch & co@7**')).toBe(`[#general > Lunch & co](<${page}/m/m7>)`)
    expect(convert('#**other** #**nowhere>x**').replaceAll('\\', '')).toBe('#other #**nowhere>x**')
  })

  it.each([
    ['#narrow/channel/1-general/topic/Lunch.20.26.20co/near/7', '/m/m7'],
    ['/#narrow/stream/1-general/topic/lunch.20.26.20co', '/m/m1'],
    ['https://chat.example.org/#narrow/stream/general/subject/x/near/9', '/m/m9'],
    ['#narrow/channel/1-general', ''],
  ])('convert the page %s', (address, path) => {
    expect(convert(`[here](${address}):`)).toBe(`[here](<${page}${path}>):`)
  })

  it('lead to direct messages', () => {
    expect(convert('[x](#narrow/dm/2-Ben/near/5)')).toBe(`[x](<https://linnet.example/c/${idOf('2')}/m/m5>)`)
    expect(convert('[x](#narrow/pm-with/1,2,3-group/near/5)')).toBe(
      `[x](<https://linnet.example/c/${idOf('3')}/m/m5>)`,
    )
    expect(convert('[x](#narrow/dm/3-Cem/near/5)')).toBe('x')
  })

  it('of another server stay as they are', () => {
    const address = 'https://zulip.example.com/#narrow/channel/1-general/near/7'
    expect(convert(`[x](${address})`)).toBe(`[x](<${address}>)`)
  })

  it('to uploads become their texts', () => {
    expect(convert('see [the plan.pdf](/user_uploads/2/ab/plan.pdf)!')).toBe('see the plan.pdf!')
    expect(convert('https://chat.example.org/user_uploads/2/ab/plan.pdf')).toBe('plan.pdf')
  })
})

describe('a text', () => {
  it('that is longer than a message is cut, with all of it beside the message', () => {
    const fields = { content: 'x '.repeat(12_000), sender: '1', title: '', origins: [] }
    const { body, whole } = reader.convertText(fields, mapping, [])
    expect(body).toHaveLength(20_000)
    expect(whole).toHaveLength(23_999)
  })

  it('that is longer than Zulip permits is attached as it is', () => {
    const fields = { content: 'x '.repeat(50_000), sender: '1', title: '', origins: [] }
    expect(reader.convertText(fields, mapping, []).whole).toBe(fields.content)
  })

  it('has the title of a topic before it, and other lines behind it', () => {
    const fields = { content: 'text', sender: '1', title: 'a *b* c', origins: [] }
    expect(reader.convertText(fields, mapping, ['line']).body).toBe('**a \\*b* c**\ntext\n\nline')
  })

  it('mentions nobody whom it does not mention in Zulip', () => {
    const marks = '\\ ` ``` ```quote ```spoiler $ $$ | || ** * ~~ [ ]( ) > - 1. # a : --- < /me'.split(' ')
    const tokens = [`<@${ann}>`, `<#${general}>`, '<!channel>', '<!here>', '\n', '\n\n', ' ']
    const parts = [...marks, ...tokens]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 30 }), (all) => {
        expect(mentionsOf(convert(all.join('')))).toEqual([])
      }),
      { seed: testSeed, numRuns: 500 },
    )
  })

  it.each(['-', '#', '`', '~', '*', '> ', '[', '](', '| ', '$$', 'https://a.example/)', '@**'])(
    'of %j only is converted in proportion to its length',
    (part) => {
      expect(convert(`a\n${part.repeat(Math.floor(20_000 / part.length))}x`)).toMatch(/^a/)
      expect(convert(`${part}${part}${part} ${part.repeat(5_000)}x${part}`) === '').toBe(false)
    },
  )

  it('with deep nesting is converted', () => {
    expect(convert(`${'>'.repeat(300)} x`)).toContain('x')
    expect(convert(`a${'*'.repeat(2_000)}`)).toContain('*')
    expect(convert('['.repeat(5_000))).toContain('[')
  })
})
