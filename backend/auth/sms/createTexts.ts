import type { SentMail } from '../mail/createMailer.ts'
import type { Mailbox } from '../mail/mailbox/mailbox.ts'
import { createTextService, type TextServiceSettings } from './createTextService.ts'
import type { Text, TextService } from './TextService.ts'

/** Where texts go. */
export interface Texts {
  /** Null where they stay in the house. */
  service: TextService | null
  /** Shows a text in the mailbox; null where there is none. */
  keep: ((text: Text) => void) | null
}

/** The service of the configuration, and the mailbox for an installation without one. */
export function createTexts(o: {
  service: TextServiceSettings | null
  mailbox: Mailbox | null
  onMail?: (mail: SentMail) => void
  fetch?: typeof fetch
}): Texts {
  const { mailbox, onMail } = o
  return {
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
