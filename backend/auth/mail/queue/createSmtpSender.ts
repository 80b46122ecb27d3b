import { Readable } from 'node:stream'
import type { ConnectionOptions } from 'node:tls'
import { createTransport } from 'nodemailer'
import type { Smtp } from '../../settings/mailSettings.ts'
import type { QueuedMail } from './mailQueue.ts'

/** What became of a mail; `reason` names neither people nor what the server said of them. */
export type Sent =
  /** A mail server has taken it. */
  | { outcome: 'taken' }
  /** It was refused for good. */
  | { outcome: 'refused'; reason: string }
  /** It has surely not been taken. */
  | { outcome: 'failed'; reason: string }
  /** The connection broke between the end of the mail and the server's answer. */
  | { outcome: 'unknown'; reason: string }

/** Sends a mail; `handOver` is awaited before the server is told that the mail is whole, and may still stop it. */
export type SmtpSender = (
  mail: QueuedMail,
  o: { handOver: () => Promise<boolean>; signal: AbortSignal },
) => Promise<Sent>

/** An error of nodemailer. */
interface SmtpError extends Error {
  code?: string
  command?: string
  responseCode?: number
}

const loopback = /^(localhost|127(\.\d+){3}|::1)$/

/**
 * Speaks to the mail server of the configuration. On port 465 TLS comes first; elsewhere STARTTLS is used wherever it
 * is offered, and required before a password goes to another machine.
 * @param o.name what the server is told that we are called
 * @param o.tls for tests, whose certificates nobody has signed
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
    // A template must not be able to read files of this machine or fetch addresses.
    disableFileAccess: true,
    disableUrlAccess: true,
  }
  const domain = smtp.from.address.slice(smtp.from.address.lastIndexOf('@') + 1)
  return async (mail, { handOver, signal }) => {
    const state = { whole: false }
    const transport = createTransport(options)
    transport.use('stream', ({ message }, done) => {
      message.processFunc((whole: Readable) => holdEnd(whole, state, handOver))
      done()
    })
    try {
      await transport.sendMail({
        from: smtp.from,
        // An object is taken as one address, whatever characters it holds.
        to: { name: '', address: mail.recipient },
        subject: mail.subject,
        html: mail.html,
        text: mail.plain,
        // The same on every attempt, so that whoever gets it twice after all sees it once.
        messageId: `<${mail.id}@${domain}>`,
        // No holiday answers (RFC 3834).
        headers: { 'Auto-Submitted': 'auto-generated' },
        xMailer: false,
        signal,
      })
      return { outcome: 'taken' }
    } catch (error) {
      return explain(error as SmtpError, state.whole)
    }
  }
}

/**
 * Lets a mail pass, and holds its end back until `handOver` has said that it may leave. It is read when the server
 * wants to have it and not before, as a transform would be: what was never asked for has surely not been taken.
 */
function holdEnd(mail: Readable, state: { whole: boolean }, handOver: () => Promise<boolean>): Readable {
  const parts = async function* (): AsyncGenerator<Buffer> {
    yield* mail as AsyncIterable<Buffer>
    if (!(await handOver())) throw new Error('it is no longer ours to send')
    state.whole = true
  }
  return Readable.from(parts(), { objectMode: false })
}

function explain(error: SmtpError, whole: boolean): Exclude<Sent, { outcome: 'taken' }> {
  const { code = 'unknown', command, responseCode } = error
  // Not the server's words: they name the recipient.
  const reason = [code, command, responseCode].filter((part) => part !== undefined).join(' ')
  const answered = responseCode !== undefined && (code === 'EENVELOPE' || code === 'EMESSAGE')
  // Where the password or the greeting was refused, another mail would fare no better, and this one may later.
  if (answered && responseCode >= 500) return { outcome: 'refused', reason }
  return { outcome: whole && !answered ? 'unknown' : 'failed', reason }
}
