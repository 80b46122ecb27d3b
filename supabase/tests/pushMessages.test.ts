import { expect, it } from 'vitest'
import { messageLine } from '../functions/_shared/messageLine.ts'
import { decodeBase64url, encodeBase64url } from '../functions/push/base64url.ts'
import { encryptPayload } from '../functions/push/encryptPayload.ts'
import { notificationPayload, type Content } from '../functions/push/notification.ts'

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
    new TextEncoder().encode(notificationPayload(given, 'https://linnet.example/functions/v1/push', isShort))
      .byteLength
  expect(bytes(false)).toBeLessThan(3_000)
  expect(bytes(false)).toBeGreaterThan(1_000)
  expect(bytes(true)).toBeLessThan(1_000)
  expect(JSON.parse(notificationPayload(given, 'x', true))).toMatchObject({
    lines: [{}],
    messages: messages.slice(-1),
    close: [],
    report: 'x',
  })
  // A lone surrogate would become another character in UTF-8.
  const payload = notificationPayload(given, 'x', false)
  expect(Buffer.from(payload).toString()).toBe(payload)
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
