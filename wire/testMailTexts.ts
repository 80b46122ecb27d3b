import { findLanguage, type Language } from './languages.ts'

const TEXTS: Record<Language, { subject: string; text: string }> = {
  en: {
    subject: 'A test email from Linnet',
    text: 'The mail server of your Linnet works: this email has reached you. There is nothing to do.',
  },
  de: {
    subject: 'Eine Test-E-Mail von Linnet',
    text: 'Der Mailserver deines Linnet funktioniert: Diese E-Mail ist bei dir angekommen. Du musst nichts tun.',
  },
}

/**
 * The texts of the mail by which an administrator tries the mail server.
 * @param tags a language tag, or a list of them as browsers send it
 */
export const testMailTexts = (tags: string | null): { subject: string; text: string } =>
  TEXTS[findLanguage(tags?.split(',') ?? [])]
