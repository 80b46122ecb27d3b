import { createTransport } from 'nodemailer'
import type { Log } from '../../log/log.ts'
import type { Smtp } from '../settings/mailSettings.ts'
import type { MailKind } from './templates/defaultMails.ts'
import type { Mailbox } from './mailbox/mailbox.ts'
import type { MailTemplates, RenderedMail } from './templates/mailTemplates.ts'
import type { TemplateValues } from './templates/renderTemplate.ts'

/** A mail with its recipient, for whoever listens at a terminal. */
export interface SentMail {
  to: string
  subject: string
  link: string | null
  code: string | null
}

export interface Mailer {
  /** Renders a mail; `send` then puts it on its way. Apart, so that it leaves after the commit only. */
  prepare(kind: MailKind, to: string, values: TemplateValues): () => void
  /** Waits a moment for mails that are on their way, and tries none again. */
  drained(): Promise<void>
}

/** Waits between attempts, in ms. */
const pauses = [2_000, 15_000]
/** How long an ending server waits for its mails, in ms. */
const patience = 5_000

/**
 * Sends by SMTP where it is configured, else into the mailbox. Sending is not awaited by requests: how
 * long a mail server takes would tell whether an address has an account.
 */
export function createMailer(o: {
  templates: MailTemplates
  smtp: Smtp | null
  mailbox: Mailbox | null
  onMail?: (mail: SentMail) => void
  log: Log
}): Mailer {
  const ending = new AbortController()
  const deliver = o.smtp ? createSmtpDelivery(o.smtp, o.log, ending.signal) : null
  const underWay = new Set<Promise<void>>()
  return {
    prepare(kind, to, values) {
      const mail = o.templates(kind, values)
      return () => {
        if (deliver) {
          const sending = deliver(to, mail).finally(() => underWay.delete(sending))
          underWay.add(sending)
        } else {
          o.mailbox?.add(to, mail)
          o.onMail?.({ to, subject: mail.subject, link: mail.link, code: mail.code })
        }
      }
    },
    async drained() {
      ending.abort()
      const enough = new Promise<void>((resolve) => {
        setTimeout(resolve, patience).unref()
      })
      await Promise.race([Promise.all(underWay), enough])
    },
  }
}

function createSmtpDelivery(
  smtp: Smtp,
  log: Log,
  ending: AbortSignal,
): (to: string, mail: RenderedMail) => Promise<void> {
  const transport = createTransport({
    host: smtp.host,
    port: smtp.port,
    secure: smtp.port === 465,
    ...(smtp.user ? { auth: { user: smtp.user, pass: smtp.password } } : {}),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    // A template must not be able to read files of this machine or fetch addresses.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return async (to, mail) => {
    for (let attempt = 0; ; attempt++) {
      try {
        await transport.sendMail({
          from: smtp.from,
          // An object is taken as one address, whatever characters it holds.
          to: { name: '', address: to },
          subject: mail.subject,
          html: mail.html,
          text: mail.text,
        })
        log.info('auth.mail_sent', { attempt: attempt + 1 })
        return
      } catch (error) {
        const pause = ending.aborted ? undefined : pauses[attempt]
        log.warn('auth.mail_failed', {
          attempt: attempt + 1,
          last: pause === undefined,
          reason: (error as Error).message,
        })
        if (pause === undefined) return
        await new Promise((resolve) => setTimeout(resolve, pause).unref())
      }
    }
  }
}
