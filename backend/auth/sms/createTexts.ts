import type { SentMail } from '../mail/queue/createMailer.ts'
import type { Mailbox } from '../mail/mailbox/mailbox.ts'
import { createTextService, type TextServiceSettings } from './createTextService.ts'
import type { Text, TextService } from './TextService.ts'

/** Where texts go. */
export interface Texts {
  /** Null where they stay in the house. */
  service: TextService | null
  /** Shows a text in the mailbox; null where there is none. */
  keep: ((text: Text) => void) | null
  /** Takes note of a text that nobody waits for. Its failure has been logged. */
  underWay(sending: Promise<unknown>): void
  /** Waits for such texts; each has its time limit. */
  drained(): Promise<void>
}

/** The service of the configuration, and the mailbox for an installation without one. */
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
