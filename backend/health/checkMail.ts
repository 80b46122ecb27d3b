import { createTransport } from 'nodemailer'
import type { ProblemKind } from '../../wire/serverChecks.ts'
import type { Smtp } from '../runtime/smtp/smtpOptions.ts'
import { smtpOptions } from '../runtime/smtp/smtpOptions.ts'
import { createLocalFinding, type LocalFinding } from './LocalFinding.ts'

/** The mail server and the outcome of signing in to it; null without a mail server. */
export type MailFacts = { host: string; port: number; error: MailError | null } | null

/** An error of nodemailer. */
interface MailError {
  code?: string | undefined
  responseCode?: number | undefined
  message: string
}

/**
 * Judges the mail server.
 * @param isPublic whether other machines can use this server, so that people need its mails
 */
export function judgeMail(facts: MailFacts, isPublic: boolean): LocalFinding[] {
  if (facts === null) return [createLocalFinding(isPublic ? 'mail.no_server' : 'mail.local_mailbox', {})]
  const { host, port, error } = facts
  if (error === null) return [createLocalFinding('mail.reachable', {})]
  const [message = ''] = error.message.split('\n')
  return [
    createLocalFinding(
      'mail.failing',
      { problem: problemOf(error) },
      { details: [`${host}:${port}: ${message.slice(0, 200)}`] },
    ),
  ]
}

/**
 * Judges the limit of mails for sign-in in an hour.
 * @param limit when the last mail was refused and when the next hour begins, in milliseconds
 */
export function judgeMailLimit(limit: { refusedAt: number; endsAt: number } | null): LocalFinding[] {
  if (limit === null) return []
  const values = {
    refused_at: new Date(limit.refusedAt).toISOString(),
    until: new Date(limit.endsAt).toISOString(),
  }
  return [createLocalFinding('mail.limit_reached', values)]
}

function problemOf({ code = '', responseCode, message }: MailError): ProblemKind {
  if (code === 'EAUTH' || responseCode === 535) return 'sign_in'
  if (code === 'ETLS' || /certificate|CERT_|SELF_SIGNED|UNABLE_TO_VERIFY/i.test(`${code} ${message}`))
    return 'certificate'
  if (code === 'ETIMEDOUT') return 'timeout'
  if (responseCode !== undefined && responseCode >= 400) return 'refused'
  if (/^(EDNS|ESOCKET|ECONN|EHOSTUNREACH|ENETUNREACH|ENOTFOUND)/.test(code)) return 'unreachable'
  return 'other'
}

/** Connects to the mail server and signs in, without sending a mail. */
export async function readMail(smtp: Smtp | null): Promise<MailFacts> {
  if (smtp === null) return null
  const { host, port } = smtp
  const transport = createTransport({
    ...smtpOptions(smtp),
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
    socketTimeout: 5_000,
  })
  try {
    await transport.verify()
    return { host, port, error: null }
  } catch (error) {
    return { host, port, error: error as MailError }
  } finally {
    transport.close()
  }
}
