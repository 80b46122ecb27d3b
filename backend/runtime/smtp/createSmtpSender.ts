import { Readable } from 'node:stream'
import type { ConnectionOptions } from 'node:tls'
import { createTransport } from 'nodemailer'
import { smtpOptions, type Smtp } from './smtpOptions.ts'

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

/**
 * Creates a sender for an SMTP server.
 * @param o.name the name in EHLO
 * @param o.tls for tests with self-signed certificates
 */
export function createSmtpSender(smtp: Smtp, o: { name?: string; tls?: ConnectionOptions } = {}): SmtpSender {
  const options = smtpOptions(smtp, o)
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
