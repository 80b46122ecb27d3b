import type { Transaction } from '../../Transaction.ts'
import type { Logger } from '../../../logging/logger.ts'
import type { Mailbox } from '../mailbox/mailbox.ts'
import type { MailKind } from '../templates/defaultMails.ts'
import type { MailTemplates } from '../templates/mailTemplates.ts'
import type { TemplateValues } from '../templates/renderTemplate.ts'
import type { SmtpSender } from '../../../runtime/smtp/createSmtpSender.ts'
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
   * Queues a mail in the transaction `tx`; it is sent after the commit. Nothing waits for it: the time
   * that a mail server takes would reveal whether an address has an account.
   * @param mail.expiresInMs when delivery is no longer useful
   */
  queue(
    tx: Transaction,
    mail: { kind: MailKind; to: string; values: TemplateValues; expiresInMs: number },
  ): Promise<void>
  /** Starts no further deliveries. Those in progress may take 5 s; then they are aborted and return to the queue. */
  close(): Promise<void>
}

/** How mails are sent by SMTP. */
export interface SmtpRoute {
  queue: MailQueue
  send: SmtpSender
}

/** Pauses before further attempts, in ms; the last one repeats until the mail expires. */
const retryDelays = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000]
/** The maximum of concurrent deliveries. */
const maxConcurrent = 4
/** The timeout of a delivery, in ms. */
const deliveryTimeoutMs = 180_000
/** The interval between renewals of a claim, in ms. */
const renewIntervalMs = 10_000
/** The interval of checks for mails of other and of killed servers, in ms. */
const checkIntervalMs = 30_000
/** How long a stopping server waits for its deliveries, in ms. */
const shutdownTimeoutMs = 5_000

/** Sends by SMTP if there is a route, otherwise, and while it is paused, adds to the mailbox. */
export function createMailer(o: {
  templates: MailTemplates
  route: SmtpRoute | null
  mailbox: Mailbox | null
  /** Whether no mail is sent by SMTP for now; by default never. */
  isPaused?: () => boolean
  onMail?: (mail: SentMail) => void
  log: Logger
}): Mailer {
  const { route, mailbox, isPaused = () => false } = o
  const worker = route && createMailWorker(route, isPaused, o.log)
  // Mails that a previous process has not sent.
  worker?.wake()
  return {
    async queue(tx, { kind, to, values, expiresInMs }) {
      const mail = o.templates(kind, values)
      if (route && worker && !isPaused()) {
        await route.queue.add(tx, { ...mail, kind, to, expiresInMs })
        tx.afterCommit(worker.wake)
        return
      }
      tx.afterCommit(() => {
        mailbox?.add(to, mail)
        o.onMail?.({ to, subject: mail.subject, link: mail.link, code: mail.code })
      })
    },
    close: async () => worker?.end(),
  }
}

/** Delivers queued mails when they are due. */
function createMailWorker(
  { queue, send }: SmtpRoute,
  isPaused: () => boolean,
  log: Logger,
): { wake: () => void; end(): Promise<void> } {
  const deliveries = new Set<Promise<void>>()
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let checking: Promise<void> | null = null
  let isCheckRequested = false

  const wake = (): void => {
    isCheckRequested = true
    checking ??= check().finally(() => {
      checking = null
      if (isCheckRequested && !stopping.signal.aborted) wake()
    })
  }

  const check = async (): Promise<void> => {
    let wait = checkIntervalMs
    try {
      do {
        isCheckRequested = false
        for (const lost of await queue.sweep()) {
          log.warn('auth.mail_dropped', {
            ...lost,
            reason: lost.mayBeSent ? 'outcome unknown' : 'expired',
          })
        }
        await claimDue()
        wait = Math.min(checkIntervalMs, Math.max(0, (await queue.msUntilDue()) ?? checkIntervalMs))
      } while (isCheckRequested && !stopping.signal.aborted)
    } catch (error) {
      log.warn('auth.mail_queue_failed', { reason: (error as Error).message })
    }
    clearTimeout(timer)
    // At full capacity the end of a delivery triggers the next check.
    if (!stopping.signal.aborted && deliveries.size < maxConcurrent) timer = setTimeout(wake, wait).unref()
  }

  /** Claims due mails up to the maximum of concurrent deliveries. */
  const claimDue = async (): Promise<void> => {
    while (deliveries.size < maxConcurrent && !stopping.signal.aborted && !isPaused()) {
      const mail = await queue.claim()
      if (!mail) return
      const delivery = deliver(mail)
        .catch((error: Error) => log.warn('auth.mail_queue_failed', { id: mail.id, reason: error.message }))
        .finally(() => {
          deliveries.delete(delivery)
          if (!stopping.signal.aborted) wake()
        })
      deliveries.add(delivery)
    }
  }

  const deliver = async (mail: QueuedMail): Promise<void> => {
    const renewal = setInterval(() => void queue.renew(mail).catch(() => {}), renewIntervalMs)
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(deliveryTimeoutMs)])
    const sent = await send(mail, { markDelivering: () => queue.markDelivering(mail), signal }).finally(() =>
      clearInterval(renewal),
    )
    const { id, kind, attempts } = mail
    if (sent.outcome === 'failed') {
      const retryDelay = stopping.signal.aborted
        ? 0
        : retryDelays[Math.min(attempts, retryDelays.length) - 1]!
      log.warn('auth.mail_failed', { id, kind, attempts, reason: sent.reason })
      await queue.release(mail, retryDelay)
      return
    }
    // Removed before it is logged: if the process is killed in between, it would be sent again.
    await queue.remove(mail)
    if (sent.outcome === 'accepted') log.info('auth.mail_sent', { id, kind, attempts })
    else log.warn('auth.mail_dropped', { id, kind, attempts, reason: `${sent.outcome}: ${sent.reason}` })
  }

  /** Resolves when no check and no delivery is in progress. */
  const idle = async (): Promise<void> => {
    await Promise.all([checking, ...deliveries])
    if (checking !== null || deliveries.size > 0) await idle()
  }

  return {
    wake,
    async end() {
      const timeout = new Promise<void>((resolve) => {
        setTimeout(resolve, shutdownTimeoutMs).unref()
      })
      await Promise.race([idle(), timeout])
      // Unfinished deliveries return to the queue.
      stopping.abort()
      clearTimeout(timer)
      await idle()
    },
  }
}
