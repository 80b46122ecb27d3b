import { describe, expect, it } from 'vitest'
import { mentionsOf } from '../../../../wire/body/mentionsOf.ts'
import type { Mapping } from '../ExportReader.ts'
import { convertText, readPostText } from './convertText.ts'

const ann = '11111111-1111-4111-8111-111111111111'
const bea = '22222222-2222-4222-8222-222222222222'
const square = '33333333-3333-4333-8333-333333333333'
const plans = '44444444-4444-4444-8444-444444444444'
const people: Record<string, string> = { ann, 'bea.l': bea }
const channels: Record<string, string> = { 'main/town-square': square, 'other/plans': plans }
const mapping: Mapping = {
  personId: (name) => people[name] ?? null,
  channelId: (key) => channels[key] ?? null,
  messageId: (channel, key) => `${channel}-${key}`,
  site: 'https://linnet.example',
}
const server = 'https://chat.acme.example'
const convert = (post: object, lines: string[] = [], team = 'main') =>
  convertText(readPostText({ ...post }, team), mapping, lines, server)
const bodyOf = (message: string): string => convert({ message }).body

describe('the Markdown of a post', () => {
  it.each([
    ['**bold** *italic* _italic_ ~~struck~~ `code`', '**bold** *italic* *italic* ~~struck~~ `code`'],
    ['__bold__ ***both***', '**bold** ***both***'],
    ['snake_case_name and 2*3*4', 'snake_case_name and 2*3*4'],
    ['\\*stars\\* and C:\\temp', '\\*stars* and C:\\temp'],
    ['\\- no item, 1\\. no number', '\\- no item, 1. no number'],
    ['hey!https://a.example/x|y', 'hey!<https://a.example/x%7Cy>'],
    ['line one\nline two\n\nnext', 'line one\nline two\n\nnext'],
    ['- a\n- b\n  1. c\n  2. d\n- [x] done', '- a\n- b\n  1. c\n  2. d\n- [x] done'],
    ['+ a\n+ b', '- a\n- b'],
    ['> quoted\n> more\n\nreply', '> quoted\n> more\n\nreply'],
    ['## Plan\nfor all', '## Plan\n\nfor all'],
    ['Plan\n====\nfor all', '# Plan\n\nfor all'],
    ['```js\nlet a\n```', '```js\nlet a\n```'],
    ['```let a = 1\nlet b\n```', '```\nlet a = 1\nlet b\n```'],
    ['    indented()\n', '```\nindented()\n```'],
    ['| a | b |\n|:--|--:|\n| 1 \\| 2 | `x` |', '| a | b |\n|:-|-:|\n| 1 \\| 2 | `x` |'],
    ['a\n\n---\n\nb', 'a\n\n---\n\nb'],
    ['[the plan](https://a.example/x "title")', '[the plan](<https://a.example/x>)'],
    ['see https://a.example/x_y_z', 'see <https://a.example/x_y_z>'],
    ['(https://a.example/Überblick?a=1&b=2)', '(<https://a.example/Überblick?a=1&b=2>)'],
    ['www.a.example/x', '<http://www.a.example/x>'],
    ['mail ann@a.example', 'mail <ann@a.example>'],
    ['![map](https://a.example/m.png =100x20)', '![map](<https://a.example/m.png>)'],
    ['![](https://a.example/m.png)', '<https://a.example/m.png>'],
    ['[up](/main/pl/abc)', '[up](/main/pl/abc)'],
    ['<b>bold</b> &lt;i&gt; &amp;', '<b>bold</b> <i> &'],
    ['#hashtag and ||no spoiler|| and $x$', '#hashtag and \\||no spoiler|| and \\$x$'],
    [':tada: :+1_dark_skin_tone: :party_parrot:', ':tada: \u{1F44D}\u{1F3FF} :party_parrot:'],
    ['[x]: https://a.example', '[x]: <https://a.example>'],
  ])('%j becomes %j', (message, body) => {
    expect(bodyOf(message)).toBe(body)
  })

  it.each([
    ['Hi @ann, @Bea.L.', `Hi <@${ann}>, <@${bea}>.`],
    ['@ann. @zoe **@ann**', `<@${ann}>. @zoe **<@${ann}>**`],
    ['@channel @all @here @everyone', '<!channel> <!channel> <!here> @everyone'],
    ['&lt;!channel&gt; \\<!here>', '\\<!channel> \\<!here>'],
    ['mail@ann x@ann', 'mail@ann x@ann'],
    ['`@ann` and [@ann](https://a.example)', '`@ann` and [@ann](<https://a.example/>)'],
    ['\\@ann', '@ann'],
    ['~town-square, ~nowhere ~~~town-square', `<#${square}>, ~nowhere ~~~town-square`],
    [`<@${ann}> \`<!channel>\``, `\\<@${ann}> \`\\<!channel>\``],
  ])('mentions in %j become %j', (message, body) => {
    expect(bodyOf(message)).toBe(body)
  })

  it('mentions a channel of another team that the post names', () => {
    const props = { channel_mentions: { plans: { display_name: 'Plans', team_name: 'other' } } }
    expect(convert({ message: 'see ~plans', props }).body).toBe(`see <#${plans}>`)
    expect(convert({ message: 'see ~plans' }).body).toBe('see ~plans')
    expect(convert({ message: 'see ~constructor' }).body).toBe('see ~constructor')
  })

  it('has links to channels of the server with their new addresses, and no others', () => {
    const link = `${server}/main/channels/town-square`
    expect(bodyOf(link)).toBe(`<https://linnet.example/c/${square}>`)
    expect(bodyOf(`[here](${link})`)).toBe(`[here](<https://linnet.example/c/${square}>)`)
    const permalink = `${server}/main/pl/ej34dnq3mprymkmqmkn9nz9ueo`
    expect(bodyOf(permalink)).toBe(`<${permalink}>`)
    const other = 'https://chat.acme.example.evil.example/main/channels/town-square'
    expect(bodyOf(other)).toBe(`<${other}>`)
  })

  it('can describe what its author does', () => {
    const action = { message: '*waves*', type: 'me', props: { message: 'waves' } }
    expect(convert(action).body).toBe('/me waves')
    expect(convert({ message: '*waves*', type: 'me' }).body).toBe('/me waves')
    expect(bodyOf('/me waves')).toBe('\\/me waves')
  })

  it('of thousands of quotes or lists within each other is text', () => {
    expect(bodyOf('>'.repeat(15_000))).toContain('>>>')
    expect(bodyOf('1. '.repeat(5_000)).length).toBeGreaterThan(10_000)
    expect(bodyOf(`${'> '.repeat(40)}@ann`)).toContain('@ann')
  })

  it('mentions nobody by signs between which nothing is formatted', () => {
    const signs = ['<', '@', ann, '>', '`', '\\', '\n', '*', '[', '](', ')', '!', 'channel', '|', '~', ' ']
    let state = 7
    const next = (): number => (state = (state * 48_271) % 2_147_483_647)
    for (let round = 0; round < 500; round++) {
      const text = Array.from({ length: 20 }, () => signs[next() % signs.length]).join('')
      if (/@channel/.test(text)) continue
      expect({ text, mentions: mentionsOf(bodyOf(text)) }).toEqual({ text, mentions: [] })
    }
  })
})

describe('attachments of a post', () => {
  it('are cards', () => {
    const attachment = {
      fallback: 'for old clients',
      color: '#ff0000',
      pretext: 'Build **12**',
      author_name: 'CI_bot',
      author_link: 'https://ci.example',
      title: 'Failed *again*',
      title_link: 'https://ci.example/12',
      text: 'by @ann in `main`',
      fields: [{ title: 'Branch', value: 'a_b', short: true }, { title: 'Tries', value: 3 }, 'none'],
      footer: 'CI',
      ts: 1_700_000_000,
    }
    const { body, extras } = convert({ message: '', props: { attachments: [attachment] } })
    expect(body).toBe(
      [
        'Build **12**',
        '',
        '> [CI_bot](<https://ci.example/>)',
        '> **[Failed \\*again*](<https://ci.example/12>)**',
        `> by <@${ann}> in \`main\``,
        '> **Branch:** a_b',
        '> **Tries:** 3',
        '> *CI*',
      ].join('\n'),
    )
    expect(extras?.cards).toMatchObject({
      start: 12,
      items: [{ color: 'red', at: '2023-11-14T22:13:20.000Z', fields: [{ short: true }, {}] }],
    })
  })

  it('show their replacement if they have nothing else', () => {
    expect(convert({ message: 'a', props: { attachments: [{ fallback: '*b*' }] } }).body).toBe('a\n\n> *b*')
    expect(convert({ message: 'a', props: { attachments: [{}, null, 7] } }).body).toBe('a')
  })
})

describe('a long text', () => {
  it('is cut, with all of it beside the message', () => {
    const { body, whole } = convert({ message: 'word '.repeat(5_000) })
    expect(body).toHaveLength(20_000)
    expect(whole?.trim()).toBe('word '.repeat(5_000).trim())
  })

  it('that Mattermost could not store is not formatted', () => {
    const text = `@ann ${'x'.repeat(70_000)}`
    const { body, whole } = convert({ message: text })
    expect([body.slice(0, 7), body.length, whole]).toEqual(['@ann xx', 20_000, text])
  })

  it('has the lines of its files at its end', () => {
    expect(convert({ message: 'a' }, ['📎 b', '📎 c']).body).toBe('a\n\n📎 b\n📎 c')
  })
})
