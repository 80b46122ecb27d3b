import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createSmsProvider, type SmsProviderSettings } from './createSmsProvider.ts'

/** The responses of the providers by URL, and the requests that they received. */
let responses: Record<string, [status: number, body: unknown]> = {}
let requests: { url: string; authorization: string | null; fields: Record<string, string> }[] = []
let server: Server
let fetchFn: typeof fetch

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += String(chunk)))
    request.on('end', () => {
      const url = `https:/${request.url}`
      const authorization = request.headers.authorization ?? null
      requests.push({ url, authorization, fields: Object.fromEntries(new URLSearchParams(body)) })
      const [status, answer] = responses[url] ?? [404, { message: 'nothing is here' }]
      response.writeHead(status, { location: 'http://127.0.0.1:1/' })
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  // The whole URL becomes the path: the tests compare it.
  fetchFn = (url, init) => fetch(`http://127.0.0.1:${port}${String(url).replace('https:/', '')}`, init)
})
afterAll(() => new Promise((resolve) => server.close(resolve)))
beforeEach(() => {
  responses = {}
  requests = []
})

const text = {
  phone: '4915112345678',
  message: 'Your code is 123456',
  code: '123456',
  channel: 'sms',
} as const
const account = { accountSid: 'AC1', messageServiceSid: 'MG1', authToken: 'secret' }
const basic = `Basic ${Buffer.from('AC1:secret').toString('base64')}`
const twilioUrl = 'https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json'
const verifyUrl = 'https://verify.twilio.com/v2/Services/MG1'

interface Case {
  settings: SmsProviderSettings
  url: string
  authorization: string | null
  fields: Record<string, string>
  success: unknown
  id: string
  errors: [status: number, body: unknown, sentence: string][]
}

const cases: Case[] = [
  {
    settings: { name: 'twilio', ...account },
    url: twilioUrl,
    authorization: basic,
    fields: { To: '+4915112345678', From: 'MG1', Channel: 'sms', Body: text.message },
    success: { sid: 'SM1', status: 'queued' },
    id: 'SM1',
    errors: [
      [400, { message: 'no number', more_info: 'https://x' }, 'no number More information: https://x'],
      [201, { sid: 'SM1', status: 'failed', error_message: 'no', error_code: 3 }, 'twilio error: no 3'],
      [500, 'not JSON', 'status 500'],
    ],
  },
  {
    settings: { name: 'twilio_verify', ...account },
    url: `${verifyUrl}/Verifications`,
    authorization: basic,
    fields: { To: '+4915112345678', Channel: 'sms' },
    success: { sid: 'VE1', status: 'pending' },
    id: 'VE1',
    errors: [[429, { message: 'too many' }, 'too many']],
  },
  {
    settings: { name: 'messagebird', originator: 'Linnet', accessKey: 'key' },
    url: 'https://rest.messagebird.com/messages',
    authorization: 'AccessKey key',
    fields: {
      originator: 'Linnet',
      body: text.message,
      recipients: text.phone,
      type: 'sms',
      datacoding: 'unicode',
    },
    success: { id: 'M1', recipients: { totalSentCount: 1 } },
    id: 'M1',
    errors: [
      [422, { errors: [{ description: 'no credit' }] }, 'no credit'],
      [200, { id: 'M1', recipients: { totalSentCount: 0 } }, 'messagebird error: total sent count is 0'],
      [200, [], 'messagebird error: total sent count is 0'],
    ],
  },
  {
    settings: { name: 'textlocal', sender: 'Linnet', apiKey: 'key' },
    url: 'https://api.textlocal.in/send',
    authorization: null,
    fields: { sender: 'Linnet', apikey: 'key', message: text.message, numbers: text.phone },
    success: { status: 'success', messages: [{ id: 'T1' }] },
    id: 'T1',
    errors: [
      [200, { status: 'failure', errors: [{ code: 80, message: 'no' }] }, 'textlocal error: no (code: 80)'],
    ],
  },
  {
    settings: { name: 'vonage', from: 'Linnet', apiKey: 'key', apiSecret: 'secret' },
    url: 'https://rest.nexmo.com/sms/json',
    authorization: null,
    fields: {
      from: 'Linnet',
      to: text.phone,
      text: text.message,
      api_key: 'key',
      api_secret: 'secret',
    },
    success: { messages: [{ 'message-id': 'V1', status: '0' }] },
    id: 'V1',
    errors: [
      [200, { messages: [{ status: '4', 'error-text': 'bad' }] }, 'vonage error: bad (status: 4)'],
      [200, {}, 'vonage error: Internal Error'],
    ],
  },
]

it.each(cases.map((one) => [one.settings.name, one] as const))('sends with %s', async (_, one) => {
  const service = createSmsProvider(one.settings, fetchFn)
  responses = { [one.url]: [201, one.success] }
  expect(await service.send(text)).toBe(one.id)
  expect(requests).toEqual([{ url: one.url, authorization: one.authorization, fields: one.fields }])
  for (const [status, body, sentence] of one.errors) {
    responses = { [one.url]: [status, body] }
    await expect(service.send(text)).rejects.toThrow(sentence)
  }
})

it('sends to WhatsApp', async () => {
  responses = { [twilioUrl]: [201, { sid: 'SM2', status: 'queued' }] }
  const from = async (messageServiceSid: string) => {
    const service = createSmsProvider({ name: 'twilio', ...account, messageServiceSid }, fetchFn)
    await service.send({ ...text, channel: 'whatsapp' })
    return requests.at(-1)?.fields
  }
  expect(await from('+14155550100')).toMatchObject({
    To: 'whatsapp:+4915112345678',
    From: 'whatsapp:+14155550100',
  })
  expect(await from('MG1')).toMatchObject({ To: 'whatsapp:+4915112345678', From: 'MG1' })
})

it('verifies codes with Twilio Verify', async () => {
  const service = createSmsProvider({ name: 'twilio_verify', ...account }, fetchFn)
  const url = `${verifyUrl}/VerificationCheck`
  for (const [status, body, isValid] of [
    [200, { status: 'approved', valid: true }, true],
    [200, { status: 'pending', valid: false }, false],
    [200, { status: 'approved' }, false],
    [404, { message: 'not found' }, false],
  ] as const) {
    responses = { [url]: [status, body] }
    expect(await service.verify!(text.phone, '123456')).toBe(isValid)
  }
  expect(requests[0]?.fields).toEqual({ To: '+4915112345678', Code: '123456' })
})

it('reports an unreachable provider without details', async () => {
  const settings = { name: 'textlocal', sender: 'Linnet', apiKey: 'very secret' } as const
  const unreachable = createSmsProvider(settings, () => Promise.reject(new Error('very secret')))
  await expect(unreachable.send(text)).rejects.toThrow(/^the service could not be reached$/)
  // Secrets must not be sent to the target of a redirect.
  responses = { 'https://api.textlocal.in/send': [307, ''] }
  await expect(createSmsProvider(settings, fetchFn).send(text)).rejects.toThrow(
    /^the service could not be reached$/,
  )
  expect(requests).toHaveLength(1)
})

it('requests Unicode for letters outside of ASCII', async () => {
  responses = { 'https://rest.nexmo.com/sms/json': [200, { messages: [{ status: '0' }] }] }
  const service = createSmsProvider({ name: 'vonage', from: 'L', apiKey: 'k', apiSecret: 's' }, fetchFn)
  await service.send({ ...text, message: 'Schlüssel' })
  expect(requests[0]?.fields['type']).toBe('unicode')
})
