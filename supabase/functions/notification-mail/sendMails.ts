import type { DeliveryOutcome, SmtpMail, SmtpSender } from '../../../backend/runtime/smtp/createSmtpSender.ts'
import { renderAccountMail, type AccountMailContent } from './renderAccountMail.ts'
import { renderInvitation, type InvitationContent, type InvitationLinks } from './renderInvitation.ts'
import { renderMail, type MailContent, type MailLinks } from './renderMail.ts'

interface Claim {
  job: string
  attempt: number
  to: string
}

/** A mail that is due, as `claim_mails` returns it. */
export interface ClaimedMail extends Claim, MailContent {
  /** By which its recipient unsubscribes without a session. */
  token: string
}

/** An invitation that is due, as `claim_invitations` returns it. */
export interface ClaimedInvitation extends Claim, InvitationContent {
  /** Of the invitation. */
  token: string
}

/** A mail about a used recovery code, as `claim_account_mails` returns it. */
export interface ClaimedAccountMail extends Claim, AccountMailContent {}

/** What became of it, as `finish_mails` accepts it. */
export interface MailResult {
  job: string
  attempt: number
  outcome: DeliveryOutcome['outcome']
  problem: string | null
}

/** The claims of one kind of mail. */
export interface MailQueue {
  /** Whether the end of a mail may be sent. */
  begin(job: string, attempt: number): Promise<boolean>
  finish(results: MailResult[]): Promise<void>
}

export interface MailPorts extends MailQueue {
  send: SmtpSender
  /** The address of the application, without a trailing slash. */
  siteUrl: string
  /** Where a token unsubscribes. */
  unsubscribeUrl(token: string): string
}

export interface InvitationPorts extends MailQueue {
  send: SmtpSender
  /** What opens an invitation. */
  createLinks(claimed: ClaimedInvitation): Promise<InvitationLinks>
}

type Rendered = Pick<SmtpMail, 'subject' | 'html' | 'plain' | 'headers'>

const maxConcurrent = 4
const timeoutMs = 60_000

/** Sends mails of unread messages. */
export function sendMails(mails: ClaimedMail[], ports: MailPorts): Promise<void> {
  return sendAll(mails, ports.send, ports, async (claimed) => {
    const unsubscribe = ports.unsubscribeUrl(claimed.token)
    const links: MailLinks = { site: ports.siteUrl, unsubscribe }
    return {
      ...renderMail(claimed, links),
      headers: {
        'List-Unsubscribe': `<${unsubscribe}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    }
  })
}

/** Sends invitations. */
export function sendInvitations(mails: ClaimedInvitation[], ports: InvitationPorts): Promise<void> {
  return sendAll(mails, ports.send, ports, async (claimed) =>
    renderInvitation(claimed, await ports.createLinks(claimed)),
  )
}

/** Sends mails about used recovery codes. */
export function sendAccountMails(
  mails: ClaimedAccountMail[],
  ports: MailQueue & Pick<MailPorts, 'send' | 'siteUrl'>,
): Promise<void> {
  return sendAll(mails, ports.send, ports, async (claimed) => renderAccountMail(claimed, ports.siteUrl))
}

/** Sends all, four at a time, and reports each result at once, so that a killed process leaves few in doubt. */
async function sendAll<C extends Claim>(
  mails: C[],
  send: SmtpSender,
  queue: MailQueue,
  render: (claimed: C) => Promise<Rendered>,
): Promise<void> {
  const waiting = mails.values()
  const sendNext = async (): Promise<void> => {
    for (const claimed of waiting) await queue.finish([await sendMail(claimed, send, queue, render)])
  }
  await Promise.all(Array.from({ length: maxConcurrent }, sendNext))
}

async function sendMail<C extends Claim>(
  claimed: C,
  send: SmtpSender,
  queue: MailQueue,
  render: (claimed: C) => Promise<Rendered>,
): Promise<MailResult> {
  const { job, attempt, to } = claimed
  try {
    const mail: SmtpMail = { id: job, recipient: to, ...(await render(claimed)) }
    const sent = await send(mail, {
      markDelivering: () => queue.begin(job, attempt),
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { job, attempt, outcome: sent.outcome, problem: 'reason' in sent ? sent.reason : null }
  } catch (error) {
    return { job, attempt, outcome: 'failed', problem: error instanceof Error ? error.name : 'unknown' }
  }
}
