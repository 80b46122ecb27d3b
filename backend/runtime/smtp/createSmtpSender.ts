import { Readable } from 'node:stream'
import type { ConnectionOptions } from 'node:tls'
import { createTransport } from 'nodemailer'

/** The settings of a mail server, and the sender of mails. */
export interface Smtp {
  host: string
  port: number
  /** The user; empty if the server needs no password. */
  user: string
  password: string
  from: { name: string; address: string }
}

/** A mail to one person. */
export interface SmtpMail {
  /** The id of the mail, which is the same for each attempt. */
  id: string
  recipient: string
  subject: string
  html: string
  plain: string
  /** Further headers. */
  headers?: Record<string, string>
}

/** The outcome of a delivery; `reason` contains neither recipients nor the server's response. */
export type DeliveryOutcome =
  /** The mail server accepted it. */
  | { outcome: 'accepted' }
  /** The mail server rejected it permanently. */
  | { outcome: 'rejected'; reason: string }
  /** It was certainly not accepted. */
  | { outcome: 'failed'; reason: string }
  /** The connection broke between the end of the mail and the server's response. */
  | { outcome: 'unknown'; reason: string }

/** Sends a mail. It awaits `markDelivering` before it sends the end of the data; a rejection still stops the mail. */
export type SmtpSender = (
  mail: SmtpMail,
  o: { markDelivering: () => Promise<boolean>; signal: AbortSignal },
) => Promise<DeliveryOutcome>

/** An error of nodemailer. */
interface SmtpError extends Error {
  code?: string
  command?: string
  responseCode?: number
}

const loopback = /^(localhost|127(\.\d+){3}|::1)$/

/**
 * Creates a sender for an SMTP server. Port 465 uses TLS from the start. Other ports use STARTTLS if the server
 * offers it. STARTTLS is required before a password is sent to another machine.
 * @param o.name the name in EHLO
 * @param o.tls for tests with self-signed certificates
 */
export function createSmtpSender(smtp: Smtp, o: { name?: string; tls?: ConnectionOptions } = {}): SmtpSender {
  const secure = smtp.port === 465
  const options = {
    host: smtp.host,
    port: smtp.port,
    secure,
    requireTLS: !secure && smtp.user !== '' && !loopback.test(smtp.host),
    ...(smtp.user ? { auth: { user: smtp.user, pass: smtp.password } } : {}),
    ...(o.name ? { name: o.name } : {}),
    ...(o.tls ? { tls: o.tls } : {}),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 60_000,
    // Templates must not read files of this machine or fetch URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  }
  const domain = smtp.from.address.slice(smtp.from.address.lastIndexOf('@') + 1)
  return async (mail, { markDelivering, signal }) => {
    const state = { isComplete: false }
    const transport = createTransport(options)
    transport.use('stream', ({ message }, done) => {
      message.processFunc((isComplete: Readable) => delayEnd(isComplete, state, markDelivering))
      done()
    })
    try {
      await transport.sendMail({
        from: smtp.from,
        // An object is one address, whatever characters it contains.
        to: { name: '', address: mail.recipient },
        subject: mail.subject,
        html: mail.html,
        text: mail.plain,
        // The same for every attempt, so that mail clients show a duplicate only once.
        messageId: `<${mail.id}@${domain}>`,
        // Prevents automatic replies (RFC 3834).
        headers: { 'Auto-Submitted': 'auto-generated', ...mail.headers },
        xMailer: false,
        signal,
      })
      return { outcome: 'accepted' }
    } catch (error) {
      return explain(error as SmtpError, state.isComplete)
    }
  }
}

/**
 * Passes on the bytes of a mail, but its end only after `markDelivering` allows it. The mail is read on demand,
 * unlike in a transform stream. So a mail whose end was never requested was certainly not accepted.
 */
function delayEnd(
  mail: Readable,
  state: { isComplete: boolean },
  markDelivering: () => Promise<boolean>,
): Readable {
  const chunks = async function* (): AsyncGenerator<Buffer> {
    yield* mail as AsyncIterable<Buffer>
    if (!(await markDelivering())) throw new Error('the claim of this mail has ended')
    state.isComplete = true
  }
  return Readable.from(chunks(), { objectMode: false })
}

function explain(error: SmtpError, isComplete: boolean): Exclude<DeliveryOutcome, { outcome: 'accepted' }> {
  const { code = 'unknown', command, responseCode } = error
  // Without the server's text, which names the recipient.
  const reason = [code, command, responseCode].filter((part) => part !== undefined).join(' ')
  const hasResponse = responseCode !== undefined && (code === 'EENVELOPE' || code === 'EMESSAGE')
  // After a rejected password or greeting another mail would fail too, and this one may succeed later.
  if (hasResponse && responseCode >= 500) return { outcome: 'rejected', reason }
  return { outcome: isComplete && !hasResponse ? 'unknown' : 'failed', reason }
}
