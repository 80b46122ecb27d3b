import { createECDH } from 'node:crypto'
import { expect, it } from 'vitest'
import { conversationPath, pathTo } from '../../app/paths.ts'
import type { DeclarativePushMessage } from '../../wire/push.ts'
import { messageLine } from '../functions/_shared/messageLine.ts'
import { decodeBase64url, encodeBase64url } from '../functions/push/base64url.ts'
import { encryptPayload } from '../functions/push/encryptPayload.ts'
import { notificationPayload, type Content } from '../functions/push/notification.ts'
import { sendPushes, type ClaimedPush, type PushPorts } from '../functions/push/sendPushes.ts'

it('encrypts the example of RFC 8291 (appendix A)', async () => {
  const curve = { name: 'ECDH', namedCurve: 'P-256' }
  const sender = 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8'
  const point = decodeBase64url(sender)
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: encodeBase64url(point.subarray(1, 33)),
    y: encodeBase64url(point.subarray(33)),
    d: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  }
  const message = await encryptPayload(
    'When I grow up, I want to be a watermelon',
    {
      p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    },
    {
      keys: {
        privateKey: await crypto.subtle.importKey('jwk', jwk, curve, false, ['deriveBits']),
        publicKey: await crypto.subtle.importKey('raw', point, curve, true, []),
      },
      salt: decodeBase64url('DGv6ra1nlYgDCS1FRnbzlw'),
    },
  )
  expect(encodeBase64url(message)).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  )
})

const content: Content = {
  kind: 'message',
  urgent: true,
  tag: 'tag',
  language: 'en',
  token: 'token',
  message: 'message',
  title: '#channel',
  lines: [],
  close: [],
}

it('cuts a payload to 3 KB, whatever the text, and further where that was too much', () => {
  const long = '👩‍🚀'.repeat(500)
  const lines = Array.from({ length: 3 }, () => ({ author: long, text: long }))
  const close = Array.from({ length: 20 }, () => crypto.randomUUID())
  const messages = lines.map(() => crypto.randomUUID())
  const given = { ...content, title: long, lines, messages, close }
  const bytes = (isShort: boolean) =>
    new TextEncoder().encode(
      notificationPayload(given, { report: 'https://linnet.example/functions/v1/push', site: null }, isShort),
    ).byteLength
  expect(bytes(false)).toBeLessThan(3_000)
  expect(bytes(false)).toBeGreaterThan(1_000)
  expect(bytes(true)).toBeLessThan(1_000)
  expect(JSON.parse(notificationPayload(given, { report: 'x', site: null }, true))).toMatchObject({
    lines: [{}],
    messages: messages.slice(-1),
    close: [],
    report: 'x',
  })
  // A lone surrogate would become another character in UTF-8.
  const payload = notificationPayload(given, { report: 'x', site: null }, false)
  expect(Buffer.from(payload).toString()).toBe(payload)
})

const site = 'https://chat.example'
const report = 'https://linnet.example/functions/v1/push'
const declared = (given: Content, isShort = false) =>
  JSON.parse(notificationPayload(given, { report, site }, isShort)) as DeclarativePushMessage

it('a declarative message has the texts once, in its notification, and the rest as data for the worker', () => {
  const lines = [
    { author: 'Ann', text: '**one**' },
    { author: 'Bea', text: 'two' },
  ]
  const given = { ...content, channel: 'c', thread: 't', messages: ['a', 'b'], lines, close: ['side'] }
  expect(declared(given)).toEqual({
    web_push: 8030,
    mutable: true,
    notification: {
      title: '#channel',
      body: 'Ann: one\nBea: two',
      lang: 'en',
      tag: 'tag',
      navigate: `${site}${conversationPath('c', 't')}`,
      data: {
        kind: 'message',
        tag: 'tag',
        language: 'en',
        token: 'token',
        report,
        message: 'message',
        channel: 'c',
        thread: 't',
        messages: ['a', 'b'],
        close: ['side'],
      },
    },
  })
})

it('a declarative message opens the page that the worker would open, and hides what the device hides', () => {
  const { title: _, lines: _lines, ...hidden } = content
  const summary = (given: Content) => {
    const { title, body, navigate } = declared(given).notification
    return { title, body, path: navigate.slice(site.length) }
  }
  const language = 'de'
  expect(summary({ ...hidden, channel: 'c', thread: null, language })).toEqual({
    title: 'Linnet',
    body: 'Du hast neue Nachrichten.',
    path: conversationPath('c', null),
  })
  expect(summary({ ...hidden, kind: 'reminder', reminder: 'r', language })).toEqual({
    title: 'Erinnerung',
    body: 'Eine Erinnerung ist fällig.',
    path: pathTo('saved'),
  })
  expect(summary({ ...hidden, kind: 'test' }).path).toBe(pathTo('notificationSettings'))
})

it('a declarative message is cut to 3 KB like any other', () => {
  const long = '👩‍🚀'.repeat(500)
  const lines = Array.from({ length: 3 }, () => ({ author: long, text: long }))
  const [close, messages] = [20, 3].map((length) => Array.from({ length }, () => crypto.randomUUID()))
  const given = { ...content, title: long, lines, messages: messages!, close: close! }
  const bytes = (isShort: boolean) =>
    new TextEncoder().encode(notificationPayload(given, { report, site }, isShort)).byteLength
  expect(bytes(false)).toBeLessThan(3_000)
  expect(bytes(true)).toBeLessThan(1_100)
  // An ordinary message is about as long as for other browsers.
  const ordinary = {
    ...content,
    channel: crypto.randomUUID(),
    lines: [{ author: 'Ann', text: 'x'.repeat(150) }],
  }
  const plain = notificationPayload(ordinary, { report, site: null }, false).length
  expect(notificationPayload(ordinary, { report, site }, false).length - plain).toBeLessThan(200)
})

it.each([
  ['https://web.push.apple.com/QGs', 'application/notification+json', 8030],
  ['https://fcm.googleapis.com/fcm/send/a', 'application/octet-stream', undefined],
  ['https://push.apple.com.example/a', 'application/octet-stream', undefined],
  ['https://example/web.push.apple.com/a', 'application/octet-stream', undefined],
])('only browsers of Apple receive declarative messages: %s', async (endpoint, type, version) => {
  const receiver = createECDH('prime256v1')
  receiver.generateKeys()
  const sent: { headers: Record<string, string>; bytes: number }[] = []
  const push: ClaimedPush = {
    jobs: [],
    subscription: 's',
    endpoint,
    short: false,
    p256dh: receiver.getPublicKey('base64url'),
    auth: encodeBase64url(crypto.getRandomValues(new Uint8Array(16))),
    content,
  }
  const ports: PushPorts = {
    authorization: async () => 'vapid',
    reportUrl: report,
    siteUrl: site,
    async post(_endpoint, headers, body) {
      sent.push({ headers, bytes: body.byteLength })
      return { status: 201, retryAfter: null }
    },
  }
  const [result] = await sendPushes([push], ports)
  expect(result).toMatchObject({ status: 201, problem: null })
  expect(sent[0]!.headers['content-type']).toBe(type)
  // A record has 86 bytes before the text, and 17 bytes after it.
  const text = notificationPayload(content, { report, site: version === undefined ? null : site }, false)
  expect(sent[0]!.bytes).toBe(text.length + 103)
  expect((JSON.parse(text) as Partial<DeclarativePushMessage>).web_push).toBe(version)
  // A hosted project may not have set the address of the application.
  await sendPushes([push], { ...ports, siteUrl: null })
  expect(sent[1]!.headers['content-type']).toBe('application/octet-stream')
})

it.each([
  ['**Bold** and `code`', 'Bold and code'],
  ['# Title\n\n- [ ] one\n- two\n> three', 'Title one two three'],
  ['See [the page](<https://example.org/ab>) or [this](https://example.org)', 'See the page or this'],
  ['The murderer is ||the gardener||', 'The murderer is …'],
  ['```js\nlet a\n```', 'let a'],
  ['2 * 3 * 4 and snake_case', '2 * 3 * 4 and snake_case'],
  ['4. Juli passt', '4. Juli passt'],
  ['10:00~12:00, 13:00~15:00', '10:00~12:00, 13:00~15:00'],
  ['Done :tada: :+1: :unknown:', 'Done 🎉 👍 :unknown:'],
])('shows %j as %j', (text, expected) => {
  expect(messageLine(text)).toBe(expected)
})
