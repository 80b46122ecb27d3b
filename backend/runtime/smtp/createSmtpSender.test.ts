import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { startSmtp, type SmtpFault, type SmtpServer } from '../../../tests/support/startSmtp.ts'
import { createSmtpSender, type DeliveryOutcome, type SmtpMail } from './createSmtpSender.ts'

let server: SmtpServer
afterEach(() => server.stop())

const mail: SmtpMail = {
  id: '6f1e2ad3-6ad8-4a38-9e30-6b3c1f0fcb4a',
  recipient: "o'neil+a@x.example",
  subject: 'Grüße',
  html: '<p>Hi</p>',
  plain: 'Hi',
}

/** The outcome, and how often `markDelivering` was called. */
async function send(
  o: {
    fault?: SmtpFault
    isClaimed?: boolean
    onMark?: () => void
    user?: string
    host?: string
    mail?: Partial<SmtpMail>
    ca?: Buffer
  } = {},
): Promise<DeliveryOutcome & { markCalls: number }> {
  if (o.fault) server.faults.push(o.fault)
  const from = { name: 'Linnet\r\nBcc: x@evil.example', address: 'chat@x.example' }
  const { host = '127.0.0.1', user = '' } = o
  const sender = createSmtpSender(
    { host, port: server.port, user, password: user && 'secret', from },
    { name: 'chat.example', ...(o.ca ? { tls: { ca: o.ca } } : {}) },
  )
  let markCalls = 0
  const sent = await sender(
    { ...mail, ...o.mail },
    {
      markDelivering: async () => {
        markCalls++
        o.onMark?.()
        return o.isClaimed ?? true
      },
      signal: AbortSignal.timeout(20_000),
    },
  )
  return { ...sent, markCalls }
}

it('sends a mail as HTML and text to one address with special characters', async () => {
  server = await startSmtp()
  expect(await send()).toEqual({ outcome: 'accepted', markCalls: 1 })
  expect(server.accepted).toHaveLength(1)
  const [taken] = server.accepted
  expect(taken!.recipients).toEqual(["RCPT TO:<o'neil+a@x.example>"])
  expect(server.lines).toContain('EHLO chat.example')
  expect(taken!.data).toMatch(/^Message-ID: <6f1e2ad3-6ad8-4a38-9e30-6b3c1f0fcb4a@x\.example>\r$/m)
  expect(taken!.data).toMatch(/^Auto-Submitted: auto-generated\r$/m)
  expect(taken!.data).toMatch(/text\/plain/)
  expect(taken!.data).toMatch(/text\/html/)
})

it.each([
  ['a subject', { subject: 'Hi\r\nBcc: x@evil.example\r\n\r\nand more' }],
  ['a header', { headers: { 'X-Link': '<https://x.example>\r\nBcc: x@evil.example' } }],
  ['an address', { recipient: 'a@x.example\r\nRCPT TO:<x@evil.example>' }],
  ['another address', { recipient: 'a@x.example, x@evil.example' }],
  ['a name', { recipient: '"x@evil.example" <a@x.example>' }],
])('adds no header and no recipient for line breaks in %s', async (_, part) => {
  server = await startSmtp()
  await send({ mail: part })
  expect(server.lines.filter((line) => line.startsWith('RCPT')).length).toBeLessThanOrEqual(1)
  expect(server.lines.filter((line) => line.startsWith('RCPT TO:<x@evil'))).toEqual([])
  expect(server.accepted.map(({ data }) => data).join('')).not.toMatch(/^(Bcc|and more)/m)
})

describe('reports the outcome', () => {
  it.each([
    ['rejected', 'EENVELOPE RCPT TO 550', 0, { at: 'RCPT', answer: "550 no such person o'neil" }],
    ['rejected', 'EENVELOPE MAIL FROM 553', 0, { at: 'MAIL', answer: '553 not you' }],
    ['rejected', 'EMESSAGE DATA 554', 1, { at: 'END', answer: '554 spam' }],
    ['failed', 'EENVELOPE RCPT TO 451', 0, { at: 'RCPT', answer: '451 later' }],
    ['failed', 'EENVELOPE DATA 451', 0, { at: 'DATA', answer: '451 later' }],
    ['failed', 'EMESSAGE DATA 451', 1, { at: 'END', answer: '451 later' }],
    ['failed', expect.stringMatching(/554|EPROTOCOL/), 0, { at: 'GREETING', answer: '554 closed' }],
    ['failed', expect.any(String), 0, { at: 'GREETING', drop: true }],
    ['failed', expect.any(String), 0, { at: 'DATA', drop: true }],
    ['unknown', expect.any(String), 1, { at: 'END', drop: true }],
    ['unknown', expect.any(String), 1, { afterAccepting: true }],
  ] as [string, string, number, SmtpFault][])('%s %s', async (outcome, reason, markCalls, fault) => {
    server = await startSmtp()
    const sent = await send({ fault })
    expect(sent).toEqual({ outcome, reason, markCalls })
    expect(JSON.stringify(sent)).not.toMatch(/neil|x\.example/)
    expect(server.accepted).toHaveLength('afterAccepting' in fault ? 1 : 0)
  })

  it('and calls handOver only after the server accepts DATA', async () => {
    server = await startSmtp()
    let release = (): void => {}
    const dataAllowed = new Promise<void>((resolve) => (release = resolve))
    let markCalls = 0
    const sending = send({ fault: { at: 'DATA', wait: dataAllowed }, onMark: () => markCalls++ })
    await server.waitForLine('DATA')
    expect(markCalls).toBe(0)
    release()
    expect(await sending).toEqual({ outcome: 'accepted', markCalls: 1 })
  })

  it('if the connection breaks during DATA', async () => {
    server = await startSmtp()
    const html = `<p>${'x'.repeat(500_000)}</p>`
    const sent = await send({ fault: { midData: true }, mail: { html } })
    expect(['failed', 'unknown']).toContain(sent.outcome)
    expect(sent.outcome === 'failed' ? 0 : 1).toBe(sent.markCalls)
    expect(server.accepted).toHaveLength(0)
  })

  it('if the claim has ended', async () => {
    server = await startSmtp()
    expect(await send({ isClaimed: false })).toMatchObject({ outcome: 'failed', markCalls: 1 })
    expect(server.accepted).toHaveLength(0)
  })
})

/** A self-signed certificate for 127.0.0.1; null without openssl. */
function makeCertificate(): { key: Buffer; cert: Buffer } | null {
  const dir = mkdtempSync(join(tmpdir(), 'linnet-smtp-'))
  const make = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=mail'
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')]
  try {
    const names = ['-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost']
    execFileSync('/usr/bin/openssl', [...make.split(' '), ...names, '-keyout', key, '-out', cert], {
      stdio: 'ignore',
    })
    return { key: readFileSync(key), cert: readFileSync(cert) }
  } catch {
    return null
  } finally {
    rmSync(dir, { recursive: true })
  }
}
const tls = makeCertificate()

describe.skipIf(tls === null)('with STARTTLS', () => {
  it('sends everything over TLS, including the password', async () => {
    server = await startSmtp({ tls: tls!, auth: true })
    expect(await send({ user: 'linnet', ca: tls!.cert })).toMatchObject({ outcome: 'accepted' })
    expect(server.accepted[0]).toMatchObject({ secure: true, user: 'linnet' })
    expect(server.lines.findIndex((line) => line.startsWith('AUTH'))).toBeGreaterThan(
      server.lines.indexOf('STARTTLS'),
    )
  })

  it('sends nothing to a server with an untrusted certificate', async () => {
    server = await startSmtp({ tls: tls!, auth: true })
    expect(await send({ user: 'linnet' })).toMatchObject({ outcome: 'failed', markCalls: 0 })
    expect(server.lines.filter((line) => /^(AUTH|MAIL|RCPT)/.test(line))).toEqual([])
  })
})

it('does not send a password without TLS', async () => {
  server = await startSmtp({ auth: true })
  // Another spelling of a loopback address.
  expect(await send({ user: 'linnet', host: '::ffff:127.0.0.1' })).toMatchObject({
    outcome: 'failed',
    markCalls: 0,
  })
  expect(server.lines.filter((line) => /^(AUTH|MAIL|RCPT)/.test(line))).toEqual([])
  expect(await send({ user: 'linnet' })).toMatchObject({ outcome: 'accepted' })
})

it('reports a rejected password as a temporary failure', async () => {
  server = await startSmtp({ auth: true })
  expect(await send({ user: 'linnet', fault: { at: 'AUTH', answer: '535 no' } })).toMatchObject({
    outcome: 'failed',
  })
})
