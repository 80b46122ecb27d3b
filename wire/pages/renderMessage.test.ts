import { describe, expect, it } from 'vitest'
import type { MessageExtras, SystemNote } from '../messages.ts'
import { renderMessage, type PageMessage } from './renderMessage.ts'

const nameOf = (who: string): string | undefined => ({ ann: 'Ann', bea: 'Bea <b>' })[who]

const render = (message: Partial<PageMessage>): string =>
  renderMessage(
    {
      id: '1',
      kind: 'text',
      thread_root: null,
      author_id: 'ann',
      body: '',
      system: null,
      extras: null,
      created_at: '2026-11-24T10:00:00+01:00',
      edited_at: null,
      deleted_at: null,
      pinned_at: null,
      files: [],
      reactions: [],
      referred: null,
      ...message,
    },
    { nameOf, emojiNamed: () => null },
  )

const referred = {
  author_id: 'bea',
  body: 'Bring **soup**',
  created_at: '2026-11-23T09:00:00Z',
  files: ['a.pdf'],
}

describe('a message of a page', () => {
  it('has its author, its time in UTC, and marks', () => {
    const html = render({
      body: 'Hello',
      edited_at: '2026-11-24T10:01:00Z',
      pinned_at: '2026-11-24T10:02:00Z',
    })
    expect(html).toContain(
      '<strong><bdi>Ann</bdi></strong> <time datetime="2026-11-24T10:00:00+01:00">2026-11-24 09:00',
    )
    expect(html).toContain('<span class="quiet">edited</span> <span class="quiet">pinned</span>')
    expect(html).toContain('<p dir="auto">Hello</p>')
  })

  it('has the options of a poll with their votes, which are no reactions', () => {
    const poll = { options: ['Monday', 'Tuesday'], multiple: false, anonymous: true, closes_at: null }
    const reactions = [
      { emoji: 'poll:1', count: 3 },
      { emoji: '🎉', count: 2 },
      { emoji: 'task:00000000', count: 1 },
    ]
    const html = render({ body: 'When?', extras: { poll }, reactions })
    expect(html).toContain(
      '<bdi>Monday</bdi> <span class="quiet">0 votes</span><progress max="3" value="0"></progress>',
    )
    expect(html).toContain('<bdi>Tuesday</bdi> <span class="quiet">3 votes</span>')
    expect(html).toContain('Poll: 3 votes. Choose one, anonymous')
    expect(html).toContain('<p class="reactions quiet"><span>🎉 2</span></p>')
  })

  it('has the quoted message above the text, and the forwarded one below it', () => {
    const quoted = render({ body: 'Yes', extras: { quote: { message_id: '2' } }, referred })
    expect(quoted).toMatch(/<blockquote>.*<strong>soup<\/strong>.*a\.pdf.*<\/blockquote>.*Yes/)
    expect(quoted).toContain('<bdi>Bea &lt;b&gt;</bdi>')
    const forwarded = render({ body: 'Look', extras: { forward: { message_id: '2' } }, referred })
    expect(forwarded).toMatch(/Look.*<blockquote><p class="quiet">Forwarded: /)
    expect(render({ extras: { quote: { message_id: '2' } } })).toContain(
      'The quoted message is not in this archive.',
    )
  })

  it('has the cards of another service in place of their quotes', () => {
    const extras: MessageExtras = {
      sender: { name: 'Grafana', end: 9 },
      cards: {
        start: 14,
        items: [
          {
            color: 'red',
            title: 'Disk **full**',
            fields: [{ name: 'Host', value: 'db-1', short: true }],
            links: [
              { text: 'Open', url: 'https://example.org/' },
              { text: 'Run', url: 'javascript:alert(1)' },
            ],
          },
        ],
      },
    }
    const html = render({ body: 'Grafana: Alert> Disk full', extras })
    expect(html).toContain('<bdi>Grafana</bdi>')
    expect(html).toContain('<p dir="auto">Alert</p><blockquote class="red"><div class="title">')
    expect(html).toContain('<dt class="quiet"><p dir="auto">Host</p></dt><dd><p dir="auto">db-1</p></dd>')
    expect(html).toContain('<a href="https://example.org/"')
    expect(html).not.toContain('javascript:')
  })

  it.each<[SystemNote, string]>([
    [{ event: 'joined' }, '<bdi>Ann</bdi> joined.'],
    [{ event: 'added', profile_id: 'bea' }, '<bdi>Ann</bdi> added <bdi>Bea &lt;b&gt;</bdi>.'],
    [{ event: 'renamed', name: '<i>' }, '<bdi>Ann</bdi> renamed the channel to <bdi>&lt;i&gt;</bdi>.'],
    [{ event: 'topic', topic: '' }, '<bdi>Ann</bdi> cleared the topic.'],
  ])('is a sentence for the notice %j', (system, sentence) => {
    expect(render({ kind: 'system', system })).toContain(sentence)
  })

  it('states that it was deleted, removed or moved, without its text', () => {
    const deleted_at = '2026-11-24T11:00:00Z'
    expect(render({ deleted_at })).toContain('This message was deleted.')
    expect(render({ deleted_at, extras: { removed: { reason: '<spam>' } } })).toContain(
      'An admin removed this message: <bdi>&lt;spam&gt;</bdi>',
    )
    expect(render({ extras: { moved_to: { message_id: '2', by: 'bea' } } })).toContain(
      'This message was moved.',
    )
  })

  it.each([
    ['text/plain', 'plan.txt', true],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'plan.docx', true],
    ['image/png', 'a.png', true],
    ['text/html', 'a', false],
    ['image/svg+xml', 'a.svg', false],
    ['application/octet-stream', 'a.HTML', false],
    ['text/plain', 'a.xhtml', false],
    ['image/png', 'a.svg', false],
    ['text/plain', 'a.url', false],
    ['text/javascript', 'a.js', false],
    ['message/rfc822', 'a.mhtml', false],
  ])('of the type %s with the name %s has a link: %s', (type, name, isLinked) => {
    const html = render({ files: [{ name, type, path: `files/${name}` }] })
    expect(html.includes('href=')).toBe(isLinked)
    expect(html).toContain(name)
  })
})

const attack = `"><script>alert(1)</script><img src=x onerror='alert(1)'>`

it('names, texts, cards, polls, notices and files add no element, attribute or address', () => {
  const card = {
    author: attack,
    title: attack,
    text: attack,
    footer: attack,
    at: attack,
    color: attack as 'red',
  }
  const pages = [
    render({ id: attack, body: attack, created_at: attack, reactions: [{ emoji: attack, count: 1 }] }),
    render({ extras: { icon: attack, sender: { name: attack, end: 0 } } }),
    render({
      extras: { poll: { options: [attack, attack], multiple: true, anonymous: false, closes_at: attack } },
    }),
    render({
      extras: { cards: { start: 0, items: [{ ...card, fields: [{ name: attack, value: attack }] }] } },
    }),
    render({
      extras: {
        cards: { start: 0, items: [{ links: [{ text: attack, url: `https://a.example/${attack}` }] }] },
      },
    }),
    render({
      extras: { quote: { message_id: '2' } },
      referred: { author_id: attack, body: attack, created_at: attack, files: [attack] },
    }),
    render({ kind: 'system', system: { event: 'renamed', name: attack } }),
    render({ deleted_at: attack, extras: { removed: { reason: attack } } }),
    ...['image/png', 'text/plain', 'text/html'].flatMap((type) =>
      [null, `files/${attack}`].map((path) => render({ files: [{ name: attack, type, path }] })),
    ),
  ]
  const known =
    /<\/?(?:article|p|strong|bdi|time|span|div|ul|li|dl|dt|dd|blockquote|progress|a|img)(?: (?:id|class|dir|datetime|href|rel|max|value|src|alt|loading)="[^"<>]*")*>/g
  for (const page of pages) {
    expect(page).toContain('alert(1)')
    expect(page.replaceAll(known, '')).not.toMatch(/[<>"]/)
    for (const [, address] of page.matchAll(/(?:href|src)="([^"]*)"/g))
      expect(address).toMatch(/^(?:https:\/\/a\.example\/|\.\/\.\.\/files\/)/)
  }
})
