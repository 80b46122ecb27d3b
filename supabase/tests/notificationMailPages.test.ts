import { describe, expect, it } from 'vitest'
import type { SmtpMail, SmtpSender } from '../../backend/runtime/smtp/createSmtpSender.ts'
import { renderMail, type MailContent } from '../functions/notification-mail/renderMail.ts'
import { respond, type Ports } from '../functions/notification-mail/respond.ts'

const links = { site: 'https://chat.example', unsubscribe: 'https://chat.example/f?token=a&b' }
const message = (author: string, text: string | null) => ({
  author,
  text,
  created_at: '2026-11-23T20:15:00Z',
  path: '/c/1/m/2',
})
const content = (more: Partial<MailContent> = {}): MailContent => ({
  name: 'Bea',
  time_zone: null,
  workspace: 'Harbour Street',
  language: 'en',
  delay_minutes: 15,
  total: 1,
  conversations: [{ kind: 'direct', title: 'Ann', messages: [message('Ann', 'Hello')] }],
  ...more,
})

describe('a mail', () => {
  const two = [
    { kind: 'direct' as const, title: 'Ann', messages: [message('Ann', 'Hello')] },
    { kind: 'public' as const, title: '#lobby', messages: [message('Ann', 'Hello')] },
  ]
  const group = [{ kind: 'group' as const, title: 'Ann, Cem', messages: [message('Cem', 'Hello')] }]
  it.each([
    ['Ann sent you a message', {}],
    ['3 unread messages from Ann', { total: 3 }],
    ['Ann mentioned you in #lobby', { conversations: two.slice(1) }],
    ['Cem sent you a message', { conversations: group }],
    ['25 unread messages in Harbour Street', { conversations: two, total: 25 }],
    ['25 ungelesene Nachrichten in Harbour Street', { conversations: two, total: 25, language: 'de' }],
    ['Ann hat dir eine Nachricht gesendet', { language: 'de' }],
  ] as [string, Partial<MailContent>][])('has the subject %j', (subject, more) => {
    expect(renderMail(content(more), links).subject).toBe(subject)
  })

  it('escapes names and texts, shows no Markdown, and hides spoilers', () => {
    const evil = `<img src=x onerror="alert(1)"> & 'more'`
    const conversations = [
      { kind: 'public' as const, title: `#${evil}`, messages: [message(evil, `**${evil}** ||gardener||`)] },
    ]
    const { html, plain, subject } = renderMail(content({ conversations, workspace: evil }), links)
    expect(html).not.toMatch(/<img|<script|"alert/)
    expect(html).toContain('https://chat.example/f?token=a&#38;b')
    expect(plain).toContain(`${evil} …`)
    expect(plain).not.toContain('gardener')
    expect(subject).not.toMatch(/[\r\n]/)
    expect(html).not.toMatch(/@import|url\(/)
  })

  it('has the local time of the reader where it is known, links, and how many messages are not quoted', () => {
    const at = (timeZone: string | null) =>
      renderMail(content({ time_zone: timeZone, total: 8 }), links).plain
    expect(at('Europe/Berlin')).toContain('Ann, 23 Nov 2026, 21:15:\nHello\nhttps://chat.example/c/1/m/2')
    for (const unknown of [null, 'Mars/Base']) expect(at(unknown)).toContain('Ann:\nHello\n')
    expect(at(null)).toContain('and 7 more: https://chat.example/activity')
    const messages = [message('Ann', null)]
    const conversations = [{ kind: 'direct' as const, title: 'Ann', messages }]
    expect(renderMail(content({ conversations }), links).plain).toContain(
      'Ann:\nhttps://chat.example/c/1/m/2',
    )
  })
})

describe('the function', () => {
  const calls: string[] = []
  const queue = { claim: async () => [], begin: async () => true, finish: async () => {} }
  const ports: Ports = {
    isTask: async () => true,
    send: null,
    mails: queue,
    invitations: { ...queue, createLinks: async () => ({ url: '', code: null }) },
    findAdministrator: async () => null,
    accountMails: queue,
    requestNextCall: async () => void calls.push('next call'),
    reportNoMailServer: async () => void calls.push('no mail server'),
    async unsubscribe(token, isConfirmed) {
      if (token !== 'good') throw new Error('not_allowed')
      calls.push(isConfirmed ? 'unsubscribe' : 'look')
      return { workspace: '<b>Harbour</b>', language: 'de' }
    },
    siteUrl: 'https://chat.example',
    url: 'https://project.example/functions/v1/notification-mail',
    servesHtml: true,
  }
  const request = (method: string, query = '', more: Partial<Ports> = {}) => {
    calls.length = 0
    const headers = { 'x-linnet-task': 'secret' }
    return respond(new Request(`http://x/notification-mail${query}`, { method, headers }), {
      ...ports,
      ...more,
    })
  }

  it('reports that there is no mail server', async () => {
    expect(await (await request('GET')).json()).toEqual({ available: false })
    await request('POST')
    expect(calls).toEqual(['no mail server'])
  })

  it('sends a few mails of each kind in a call, whose processor time is limited, and requests the next one', async () => {
    const claimed: number[] = []
    const claim = async (max: number) => {
      claimed.push(max)
      return []
    }
    const invitations = { ...ports.invitations, claim }
    await request('POST', '', {
      send: async () => ({ outcome: 'accepted' }),
      mails: { ...queue, claim },
      invitations,
    })
    expect([claimed, calls]).toEqual([[8, 8], ['next call']])
  })

  it('mails administrators of the server who try the mail server, and nobody else', async () => {
    const sent: SmtpMail[] = []
    const send: SmtpSender = async (mail) => {
      sent.push(mail)
      return { outcome: 'accepted' }
    }
    expect((await request('POST', '?test=w', { send })).status).toBe(403)
    expect(sent).toEqual([])
    const findAdministrator = async () => 'ann@harbour.example'
    const accepted = await request('POST', '?test=w', { send, findAdministrator })
    expect(await accepted.json()).toEqual({ recipient: 'ann@harbour.example', problem: null })
    expect(sent.map(({ recipient, subject }) => [recipient, subject])).toEqual([
      ['ann@harbour.example', 'Test email from Linnet'],
    ])
    const refused = await request('POST', '?test=w', {
      send: async () => ({ outcome: 'failed', reason: 'EAUTH AUTH PLAIN 535' }),
      findAdministrator,
    })
    expect(await refused.json()).toEqual({ recipient: 'ann@harbour.example', problem: 'sign_in' })
  })

  it('unsubscribes with POST only', async () => {
    for (const method of ['GET', 'HEAD', 'PUT']) {
      await request(method, '?token=good')
      expect(calls).not.toContain('unsubscribe')
    }
    const page = await (await request('GET', '?token=good')).text()
    expect(page).toContain('&#60;b&#62;Harbour')
    expect(page).toContain('action="https://project.example/functions/v1/notification-mail?token=good"')
    const done = await request('POST', '?token=good')
    expect(done.status).toBe(200)
    expect(await done.text()).toContain('E-Mails abbestellt')
    expect(calls).toEqual(['unsubscribe'])
    expect((await request('POST', '?token=bad')).status).toBe(403)
  })

  it('leads to the settings where its pages would be displayed as text', async () => {
    const response = await request('GET', '?token=good', { servesHtml: false })
    expect(response.headers.get('location')).toBe('https://chat.example/settings/notifications')
    // Mail programs follow no redirect.
    expect((await request('POST', '?token=good', { servesHtml: false })).status).toBe(200)
    expect(calls).toEqual(['unsubscribe'])
  })
})
