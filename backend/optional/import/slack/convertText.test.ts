import { describe, expect, it } from 'vitest'
import type { Mapping } from '../ExportReader.ts'
import { convertText, rewriteLink } from './convertText.ts'

const ann = '11111111-1111-4111-8111-111111111111'
const general = '22222222-2222-4222-8222-222222222222'
const mapping: Mapping = {
  personId: (user) => (user === 'U1' ? ann : null),
  channelId: (channel) => (channel === 'C1' ? general : null),
  messageId: (channel, message) => `${channel}-${message}`,
  site: 'https://linnet.example',
}
const bodyOf = (message: Record<string, unknown>): string => convertText(message, mapping, []).body
const rich = (...elements: object[]): Record<string, unknown> => ({
  text: 'for other clients',
  blocks: [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] }],
})

describe('a text of mrkdwn', () => {
  it.each([
    ['*bold* _italic_ ~struck~ `code`', '**bold** *italic* ~~struck~~ `code`'],
    ['a &lt;b&gt; &amp; c', 'a <b> & c'],
    ['<https://a.example/x|the plan>', '[the plan](<https://a.example/x>)'],
    ['Hi <@U1>, *<@U1|ann>*', `Hi <@${ann}>, **<@${ann}>**`],
    ['<@U9|Zoe> <@U9>', '@Zoe @U9'],
    ['In <#C1|general>, <#C1>, <#C9|other>', `In <#${general}>, <#${general}>, #other`],
    ['<!here> <!channel> <!everyone|everyone>', '<!here> <!channel> <!channel>'],
    ['<!subteam^S1|@nurses>', '@nurses'],
    [`&lt;@${ann}&gt;`, `\\<@${ann}>`],
    ['> quoted\nnot', '> quoted\nnot'],
  ])('%j becomes %j', (text, body) => {
    expect(bodyOf({ text })).toBe(body)
  })

  it('has links to messages of the workspace with their new addresses', () => {
    const link = 'https://acme.slack.com/archives/C1/p1700000000000100?thread_ts=1600000000.000100&amp;cid=C1'
    const address = 'https://linnet.example/c/22222222-2222-4222-8222-222222222222/m/C1-1700000000.000100'
    expect(bodyOf({ text: `see <${link}>` })).toBe(`see <${address}>`)
    expect(bodyOf({ text: `see <${link}|${link}>` })).toBe(`see <${address}>`)
    expect(bodyOf({ text: `see <${link}|this>` })).toBe(`see [this](<${address}>)`)
    expect(rewriteLink('https://acme.slack.com/archives/C1', mapping)).toBe(
      `https://linnet.example/c/${general}`,
    )
    expect(rewriteLink('https://acme.slack.com/archives/C9/p1700000000000100', mapping)).toBeNull()
    expect(rewriteLink('https://slack.com.evil.example/archives/C1', mapping)).toBeNull()
  })

  it('can describe what its author does', () => {
    expect(bodyOf({ text: '_waves_ at <@U1>', subtype: 'me_message' })).toBe(`/me *waves* at <@${ann}>`)
  })
})

describe('rich text', () => {
  it('has mentions, links and emoji', () => {
    const link = { type: 'link', url: 'https://acme.slack.com/archives/C1/p1700000000000100' }
    expect(
      bodyOf(
        rich(
          { type: 'text', text: 'Hi ' },
          { type: 'user', user_id: 'U1' },
          { type: 'text', text: ' and ', style: { bold: true } },
          { type: 'user', user_id: 'U9' },
          { type: 'text', text: ' in ' },
          { type: 'channel', channel_id: 'C1' },
          { type: 'broadcast', range: 'here' },
          link,
          { type: 'emoji', name: 'tada', unicode: '1f389' },
          { type: 'emoji', name: '+1', unicode: '1f44d-1f3fb', skin_tone: 2 },
          { type: 'emoji', name: 'no_such_name', unicode: '1f389' },
          { type: 'emoji', name: 'party_parrot' },
        ),
      ),
    ).toBe(
      `Hi <@${ann}> **and** @U9 in <#${general}><!here>` +
        `<https://linnet.example/c/${general}/m/C1-1700000000.000100>:tada:\u{1F44D}\u{1F3FB}\u{1F389}:party_parrot:`,
    )
  })

  it('is used in place of the text that other clients show', () => {
    expect(bodyOf(rich({ type: 'text', text: 'a *b*' }))).toBe('a \\*b*')
  })

  it('gives way to the text where nothing of it is known', () => {
    expect(bodyOf({ text: 'a *b*', blocks: [{ type: 'condition' }] })).toBe('a **b**')
    expect(bodyOf({ text: 'a *b*', blocks: Array.from({ length: 60 }, () => ({ type: 'divider' })) })).toBe(
      'a **b**',
    )
  })
})

describe('attachments', () => {
  it('are cards', () => {
    const { body, extras } = convertText(
      { text: 'Build', attachments: [{ color: 'danger', title: 'Failed', text: 'by <@U1>', id: 1 }] },
      mapping,
      [],
    )
    expect(body).toBe(`Build\n\n> **Failed**\n> by <@${ann}>`)
    expect(extras).toEqual({
      cards: { start: 5, items: [{ color: 'red', title: 'Failed', text: `by <@${ann}>` }] },
    })
  })

  it('that are previews of links are left out', () => {
    const preview = { from_url: 'https://a.example', title: 'A', text: 'long' }
    expect(bodyOf({ text: '<https://a.example/>', attachments: [preview] })).toBe('<https://a.example/>')
  })

  it('that share a message are links to it', () => {
    const share = {
      is_share: true,
      from_url: 'https://acme.slack.com/archives/C1/p1700000000000100',
      text: 'shared',
    }
    const link = `https://linnet.example/c/${general}/m/C1-1700000000.000100`
    expect(bodyOf({ text: 'Look', attachments: [share] })).toBe(`Look\n\n${link}`)
    expect(bodyOf({ text: '', attachments: [share] })).toBe(link)
    const elsewhere = { ...share, from_url: 'https://acme.slack.com/archives/C9/p1700000000000100' }
    expect(bodyOf({ text: 'Look', attachments: [elsewhere] })).toBe('Look\n\n> shared')
  })

  it('that are the whole message are shown, also a preview', () => {
    const preview = { from_url: 'https://a.example', text: 'long' }
    expect(bodyOf({ text: '', attachments: [preview] })).toBe('> long')
  })
})

describe('a long text', () => {
  it('is cut, with all of it beside the message', () => {
    const { body, whole } = convertText({ text: 'word '.repeat(5_000) }, mapping, [])
    expect(body).toHaveLength(20_000)
    expect(whole?.trim()).toBe('word '.repeat(5_000).trim())
  })

  it('of exactly the limit stays', () => {
    const { body, whole } = convertText({ text: 'x'.repeat(20_000) }, mapping, [])
    expect([body.length, whole]).toEqual([20_000, null])
  })
})

it('characters between which the converter writes its tokens are harmless', () => {
  expect(bodyOf({ text: '\uF1000\uF101 and \uF1007\uF101' })).toBe('and')
})
