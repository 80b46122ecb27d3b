import { findLanguage, type Language } from './languages.ts'

const TEXTS: Record<Language, { subject: string; text: string }> = {
  en: {
    subject: 'Test email from Linnet',
    text: 'Linnet can send email through your mail server: this email has reached you. You don’t need to do anything.',
  },
  de: {
    subject: 'Test-E-Mail von Linnet',
    text: 'Linnet kann über deinen Mailserver E-Mails senden: Diese E-Mail ist bei dir angekommen. Du musst nichts tun.',
  },
}

/**
 * The texts of the mail by which an administrator tries the mail server.
 * @param tags a language tag, or a list of them as browsers send it
 */
export const testMailTexts = (tags: string | null): { subject: string; text: string } =>
  TEXTS[findLanguage(tags?.split(',') ?? [])]
