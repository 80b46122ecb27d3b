import type pg from 'pg'
import type { Logger } from '../../../logging/logger.ts'
import type { Mailbox } from '../mailbox/mailbox.ts'
import type { MailKind } from '../templates/defaultMails.ts'
import type { MailTemplates } from '../templates/mailTemplates.ts'
import type { TemplateValues } from '../templates/renderTemplate.ts'
import type { SmtpSender } from './createSmtpSender.ts'
import type { MailQueue, QueuedMail } from './mailQueue.ts'

/** A mail with its recipient, for whoever listens at a terminal. */
export interface SentMail {
  to: string
  subject: string
  link: string | null
  code: string | null
}

export interface Mailer {
  /**
   * Keeps a mail in the transaction of `client`; it leaves after the commit. Nobody waits for that: how long a mail
   * server takes would tell whether an address has an account.
   * @param mail.expiresInMs when nobody needs it any more
   */
  post(
    client: pg.Client,
    mail: { kind: MailKind; to: string; values: TemplateValues; expiresInMs: number },
    later: (deed: () => void) => void,
  ): Promise<void>
  /** Waits a moment for mails that are on their way, and begins no other. */
  drained(): Promise<void>
}

/** Where mails leave by SMTP. */
export interface MailRoute {
  queue: MailQueue
  send: SmtpSender
}

/** Waits before another attempt, in ms; the last one again and again, until the mail expires. */
const pauses = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000]
/** So many leave at once. */
const mostAtOnce = 4
/** How long sending a mail may take, in ms. */
const longest = 180_000
/** How often claims are renewed, in ms. */
const renewEvery = 10_000
/** How often mails of other houses, and of killed ones, are looked for, in ms. */
const lookEvery = 30_000
/** How long an ending server waits for its mails, in ms. */
const patience = 5_000

/** Sends by SMTP where there is a route, else into the mailbox. */
export function createMailer(o: {
  templates: MailTemplates
  route: MailRoute | null
  mailbox: Mailbox | null
  onMail?: (mail: SentMail) => void
  log: Logger
}): Mailer {
  const { route, mailbox } = o
  const postman = route && createPostman(route, o.log)
  // What the last house has left behind.
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

/** Empties the queue, now and whenever something in it is due. */
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
    // At capacity, whoever ends looks for the next.
    if (!ending.signal.aborted && underWay.size < mostAtOnce) timer = setTimeout(wake, wait).unref()
  }

  /** Takes what is due, as much as fits. */
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
    // Before it is logged: what was killed in between would be tried again.
    await queue.remove(mail)
    if (sent.outcome === 'taken') log.info('auth.mail_sent', { id, kind, attempts })
    else log.warn('auth.mail_given_up', { id, kind, attempts, reason: `${sent.outcome}: ${sent.reason}` })
  }

  /** Resolves when nothing is under way any more. */
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
      // What has not left by now goes back into the queue.
      ending.abort()
      clearTimeout(timer)
      await rest()
    },
  }
}
