import { createTransport } from 'nodemailer'
import { testMailTexts } from '../../wire/testMailTexts.ts'
import type { TestMailResult } from '../../wire/serverSettings.ts'
import { smtpOptions, type Smtp } from '../runtime/smtp/smtpOptions.ts'

const timeoutMs = 10_000
const maxProblemLength = 300

/** Sends a test mail with settings that need not be stored. A failure has the response of the mail server, or the error of the connection. */
export async function sendTestMail(o: {
  smtp: Smtp
  recipient: string
  /** The header `Accept-Language`. */
  language: string | null
  siteUrl: string
}): Promise<TestMailResult> {
  const { subject, text } = testMailTexts(o.language)
  const { from } = o.smtp
  const transport = createTransport({
    ...smtpOptions(o.smtp),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  })
  try {
    await transport.sendMail({
      from,
      to: { name: '', address: o.recipient },
      subject,
      text: [text, '', o.siteUrl, ''].join('\n'),
      headers: { 'Auto-Submitted': 'auto-generated' },
      xMailer: false,
    })
    return { recipient: o.recipient, problem: null, isResponse: false }
  } catch (error) {
    const { response, message } = error as Error & { response?: string }
    return {
      recipient: o.recipient,
      problem: (response ?? message).slice(0, maxProblemLength),
      isResponse: response !== undefined,
    }
  } finally {
    transport.close()
  }
}
