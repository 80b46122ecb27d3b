import { i18n } from '@lingui/core'

const languages = () => i18n.locales ?? i18n.locale

/** "21 Nov 2026". */
export function dayOf(timestamp: string): string {
  return new Intl.DateTimeFormat(languages(), { dateStyle: 'medium' }).format(new Date(timestamp))
}

/** "21 Nov 2026, 09:05". */
export function momentOf(timestamp: string): string {
  return new Intl.DateTimeFormat(languages(), { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(timestamp),
  )
}
