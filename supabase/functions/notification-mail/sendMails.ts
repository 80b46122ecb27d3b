import type { DeliveryOutcome, SmtpMail, SmtpSender } from '../../../backend/runtime/smtp/createSmtpSender.ts'
import { renderMail, type MailContent, type MailLinks } from './renderMail.ts'

/** A mail that is due, as `claim_mails` returns it. */
export interface ClaimedMail extends MailContent {
  job: string
  attempt: number
  to: string
  /** By which its recipient unsubscribes without a session. */
  token: string
}

/** What became of it, as `finish_mails` accepts it. */
export interface MailResult {
  job: string
  attempt: number
  outcome: DeliveryOutcome['outcome']
  problem: string | null
}

export interface MailPorts {
  send: SmtpSender
  /** Whether the end of a mail may be sent. */
  begin(job: string, attempt: number): Promise<boolean>
  finish(results: MailResult[]): Promise<void>
  /** The address of the application, without a trailing slash. */
  siteUrl: string
  /** Where a token unsubscribes. */
  unsubscribeUrl(token: string): string
}

const maxConcurrent = 4
const timeoutMs = 60_000

/** Sends all, four at a time, and reports each result at once, so that a killed process leaves few in doubt. */
export async function sendMails(mails: ClaimedMail[], ports: MailPorts): Promise<void> {
  const waiting = mails.values()
  const sendNext = async (): Promise<void> => {
    for (const mail of waiting) await ports.finish([await sendMail(mail, ports)])
  }
  await Promise.all(Array.from({ length: maxConcurrent }, sendNext))
}

async function sendMail(claimed: ClaimedMail, ports: MailPorts): Promise<MailResult> {
  const { job, attempt, token } = claimed
  const unsubscribe = ports.unsubscribeUrl(token)
  const links: MailLinks = { site: ports.siteUrl, unsubscribe }
  const mail: SmtpMail = {
    id: job,
    recipient: claimed.to,
    ...renderMail(claimed, links),
    headers: {
      'List-Unsubscribe': `<${unsubscribe}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  }
  try {
    const sent = await ports.send(mail, {
      markDelivering: () => ports.begin(job, attempt),
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { job, attempt, outcome: sent.outcome, problem: 'reason' in sent ? sent.reason : null }
  } catch (error) {
    return { job, attempt, outcome: 'failed', problem: error instanceof Error ? error.name : 'unknown' }
  }
}
