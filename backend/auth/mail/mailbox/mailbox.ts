import { randomBytes, randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../../../logging/logger.ts'
import type { RenderedMail } from '../templates/mailTemplates.ts'

/** A mail in the mailbox. */
export interface MailboxMessage {
  id: string
  to: string
  subject: string
  text: string
  html: string
  link: string | null
  code: string | null
  /** ISO 8601, UTC. */
  sentAt: string
}

export interface Mailbox {
  /** The secret part of its URL. */
  token: string
  add(to: string, mail: RenderedMail): void
  /** Newest first. */
  messages(): MailboxMessage[]
}

/** The maximum number of mails. */
export const maxMails = 200

/**
 * Stores mails for servers without SMTP. They are in `<dir>/mailbox.json`, so that links can still be opened
 * after a restart; null stores them in memory only.
 */
export function openMailbox(dir: string | null, log: Logger): Mailbox {
  const file = dir === null ? null : mailboxFile(dir)
  const stored = file ? readMailbox(file) : null
  const token = stored?.token ?? randomBytes(24).toString('base64url')
  let messages = stored?.messages ?? []
  const save = (): void => {
    if (!file) return
    try {
      // Written atomically, and readable only by the owner: these mails sign users in.
      writeFileSync(`${file}.new`, JSON.stringify({ token, messages }), { mode: 0o600 })
      renameSync(`${file}.new`, file)
    } catch (error) {
      log.warn('auth.mailbox_save_failed', { reason: (error as Error).message })
    }
  }
  if (dir !== null) mkdirSync(dir, { recursive: true })
  if (!stored) save()
  return {
    token,
    add(to, { subject, text, html, link, code }) {
      const message = {
        id: randomUUID(),
        to,
        subject,
        text,
        html,
        link,
        code,
        sentAt: new Date().toISOString(),
      }
      messages = [message, ...messages].slice(0, maxMails)
      save()
    },
    messages: () => messages,
  }
}

/** The file with the mails and the secret of the mailbox, below the data directory. */
export const mailboxFile = (dir: string): string => join(dir, 'mailbox.json')

/** Reads the file of a mailbox; null if it is missing, unreadable or corrupt. */
export function readMailbox(file: string): { token: string; messages: MailboxMessage[] } | null {
  try {
    const parsed = JSON.parse(readFileSync(file, 'utf8')) as { token?: unknown; messages?: unknown }
    if (typeof parsed.token !== 'string' || !Array.isArray(parsed.messages)) return null
    return { token: parsed.token, messages: parsed.messages as MailboxMessage[] }
  } catch {
    return null
  }
}
