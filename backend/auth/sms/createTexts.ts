import type { SentMail } from '../mail/queue/createMailer.ts'
import type { Mailbox } from '../mail/mailbox/mailbox.ts'
import { createTextService, type TextServiceSettings } from './createTextService.ts'
import type { Text, TextService } from './TextService.ts'

/** How text messages are sent. */
export interface Texts {
  /** Null if no SMS provider is configured. */
  service: TextService | null
  /** Adds a message to the mailbox; null if there is none. */
  keep: ((text: Text) => void) | null
  /** Tracks a delivery that no request waits for. Its errors are already logged. */
  underWay(sending: Promise<unknown>): void
  /** Waits for tracked deliveries; each has a timeout. */
  drained(): Promise<void>
}

/** The configured SMS provider, or the mailbox without one. */
export function createTexts(o: {
  service: TextServiceSettings | null
  mailbox: Mailbox | null
  onMail?: (mail: SentMail) => void
  fetch?: typeof fetch
}): Texts {
  const { mailbox, onMail } = o
  const leaving = new Set<Promise<unknown>>()
  return {
    underWay(sending) {
      const left = sending.catch(() => {}).finally(() => leaving.delete(left))
      leaving.add(left)
    },
    async drained() {
      await Promise.all(leaving)
    },
    service: o.service && createTextService(o.service, o.fetch),
    keep:
      mailbox &&
      (({ phone, message, code }) => {
        const text = { subject: 'Text message', text: message, html: '', link: null, code }
        mailbox.add(`+${phone}`, text)
        onMail?.({ to: `+${phone}`, subject: text.subject, link: null, code })
      }),
  }
}
