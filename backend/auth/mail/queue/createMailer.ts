import type pg from 'pg'
import type { Logger } from '../../../logging/logger.ts'
import type { Mailbox } from '../mailbox/mailbox.ts'
import type { MailKind } from '../templates/defaultMails.ts'
import type { MailTemplates } from '../templates/mailTemplates.ts'
import type { TemplateValues } from '../templates/renderTemplate.ts'
import type { SmtpSender } from './createSmtpSender.ts'
import type { MailQueue, QueuedMail } from './mailQueue.ts'

/** A mail as it is printed on the terminal. */
export interface SentMail {
  to: string
  subject: string
  link: string | null
  code: string | null
}

export interface Mailer {
  /**
   * Queues a mail in the transaction of `client`; it is sent after the commit. Nothing waits for it: the time
   * that a mail server takes would reveal whether an address has an account.
   * @param mail.expiresInMs when delivery is no longer useful
   */
  post(
    client: pg.Client,
    mail: { kind: MailKind; to: string; values: TemplateValues; expiresInMs: number },
    later: (deed: () => void) => void,
  ): Promise<void>
  /** Waits a moment for mails that are being sent, and starts no others. */
  drained(): Promise<void>
}

/** How mails are sent by SMTP. */
export interface MailRoute {
  queue: MailQueue
  send: SmtpSender
}

/** Pauses before further attempts, in ms; the last one repeats until the mail expires. */
const pauses = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000]
/** The maximum of concurrent deliveries. */
const mostAtOnce = 4
/** The timeout of a delivery, in ms. */
const longest = 180_000
/** The interval between renewals of a claim, in ms. */
const renewEvery = 10_000
/** The interval of checks for mails of other and of killed servers, in ms. */
const lookEvery = 30_000
/** How long a stopping server waits for its deliveries, in ms. */
const patience = 5_000

/** Sends by SMTP if there is a route, otherwise adds to the mailbox. */
export function createMailer(o: {
  templates: MailTemplates
  route: MailRoute | null
  mailbox: Mailbox | null
  onMail?: (mail: SentMail) => void
  log: Logger
}): Mailer {
  const { route, mailbox } = o
  const postman = route && createPostman(route, o.log)
  // Mails that a previous process has left.
  postman?.wake()
  return {
    async post(client, { kind, to, values, expiresInMs }, later) {
      const mail = o.templates(kind, values)
      if (route && postman) {
        await route.queue.add(client, { ...mail, kind, to, expiresInMs })
        later(postman.wake)
        return
      }
      later(() => {
        mailbox?.add(to, mail)
        o.onMail?.({ to, subject: mail.subject, link: mail.link, code: mail.code })
      })
    },
    drained: async () => postman?.end(),
  }
}

/** Delivers queued mails when they are due. */
function createPostman({ queue, send }: MailRoute, log: Logger): { wake: () => void; end(): Promise<void> } {
  const underWay = new Set<Promise<void>>()
  const ending = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | null = null
  let again = false

  const wake = (): void => {
    again = true
    looking ??= look().finally(() => {
      looking = null
      if (again && !ending.signal.aborted) wake()
    })
  }

  const look = async (): Promise<void> => {
    let wait = lookEvery
    try {
      do {
        again = false
        for (const lost of await queue.sweep()) {
          log.warn('auth.mail_given_up', {
            ...lost,
            reason: lost.mayHaveLeft ? 'outcome unknown' : 'expired',
          })
        }
        await fill()
        wait = Math.min(lookEvery, Math.max(0, (await queue.untilDue()) ?? lookEvery))
      } while (again && !ending.signal.aborted)
    } catch (error) {
      log.warn('auth.mail_queue_failed', { reason: (error as Error).message })
    }
    clearTimeout(timer)
    // At full capacity the end of a delivery triggers the next check.
    if (!ending.signal.aborted && underWay.size < mostAtOnce) timer = setTimeout(wake, wait).unref()
  }

  /** Claims due mails up to the maximum of concurrent deliveries. */
  const fill = async (): Promise<void> => {
    while (underWay.size < mostAtOnce && !ending.signal.aborted) {
      const mail = await queue.claim()
      if (!mail) return
      const delivery = deliver(mail)
        .catch((error: Error) => log.warn('auth.mail_queue_failed', { id: mail.id, reason: error.message }))
        .finally(() => {
          underWay.delete(delivery)
          if (!ending.signal.aborted) wake()
        })
      underWay.add(delivery)
    }
  }

  const deliver = async (mail: QueuedMail): Promise<void> => {
    const renewal = setInterval(() => void queue.renew(mail).catch(() => {}), renewEvery)
    const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(longest)])
    const sent = await send(mail, { handOver: () => queue.handOver(mail), signal }).finally(() =>
      clearInterval(renewal),
    )
    const { id, kind, attempts } = mail
    if (sent.outcome === 'failed') {
      const pause = ending.signal.aborted ? 0 : pauses[Math.min(attempts, pauses.length) - 1]!
      log.warn('auth.mail_failed', { id, kind, attempts, reason: sent.reason })
      await queue.release(mail, pause)
      return
    }
    // Removed before it is logged: if the process is killed in between, it would be sent again.
    await queue.remove(mail)
    if (sent.outcome === 'taken') log.info('auth.mail_sent', { id, kind, attempts })
    else log.warn('auth.mail_given_up', { id, kind, attempts, reason: `${sent.outcome}: ${sent.reason}` })
  }

  /** Resolves when no check and no delivery is in progress. */
  const rest = async (): Promise<void> => {
    await Promise.all([looking, ...underWay])
    if (looking !== null || underWay.size > 0) await rest()
  }

  return {
    wake,
    async end() {
      const enough = new Promise<void>((resolve) => {
        setTimeout(resolve, patience).unref()
      })
      await Promise.race([rest(), enough])
      // Unfinished deliveries return to the queue.
      ending.abort()
      clearTimeout(timer)
      await rest()
    },
  }
}
