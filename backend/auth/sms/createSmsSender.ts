import type { SentMail } from '../mail/queue/createMailer.ts'
import type { Mailbox } from '../mail/mailbox/mailbox.ts'
import type { SmsMessage, SmsProvider } from './SmsProvider.ts'

/** The destination of text messages: a provider or the mailbox. */
export interface SmsSender {
  /** Null if no SMS provider is configured. */
  provider: SmsProvider | null
  /** Adds a message to the mailbox; null if there is none. */
  addToMailbox: ((text: SmsMessage) => void) | null
  /** Tracks a delivery for which no request waits. Its errors are already logged. */
  track(sending: Promise<unknown>): void
  /** Resolves when no tracked delivery is in progress; each has a timeout. */
  waitForDeliveries(): Promise<void>
}

/** @param o.provider the configured SMS provider; without one, messages go to the mailbox */
export function createSmsSender(o: {
  provider: SmsProvider | null
  mailbox: Mailbox | null
  /** Whether messages go to the mailbox for now, although there is a provider. */
  isPaused: () => boolean
  onMail?: (mail: SentMail) => void
}): SmsSender {
  const { mailbox, onMail } = o
  const deliveries = new Set<Promise<unknown>>()
  return {
    track(sending) {
      const delivery = sending.catch(() => {}).finally(() => deliveries.delete(delivery))
      deliveries.add(delivery)
    },
    async waitForDeliveries() {
      await Promise.all(deliveries)
    },
    get provider() {
      return o.isPaused() ? null : o.provider
    },
    addToMailbox:
      mailbox &&
      (({ phone, message, code }) => {
        const text = { subject: 'Text message', text: message, html: '', link: null, code }
        mailbox.add(`+${phone}`, text)
        onMail?.({ to: `+${phone}`, subject: text.subject, link: null, code })
      }),
  }
}
