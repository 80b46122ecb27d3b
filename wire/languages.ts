/**
 * The languages of the interface, its notifications and mails. A new one is a row here, and a file `app/ui/locales/<tag>.po`
 * with its texts. The compiler then reports the texts of mails and push notifications, which no `.po` file has. Mails for sign-in
 * have their texts in `bin/mailTemplates.ts` and their subjects in `supabase/config.toml`.
 */
export const LANGUAGES = {
  en: { name: 'English', direction: 'ltr' },
  de: { name: 'Deutsch', direction: 'ltr' },
} as const satisfies Record<string, LanguageRow>

interface LanguageRow {
  /** In the language itself. */
  name: string
  direction: 'ltr' | 'rtl'
}

/** A language of the table. */
export type Language = keyof typeof LANGUAGES

/** Data in English, and in other languages as far as somebody has written it. */
export type InLanguages<T> = { en: T } & Partial<Record<Language, T>>

/** The first of these language tags, such as `de-AT`, whose language Linnet has; else English. */
export function findLanguage(tags: readonly (string | null | undefined)[]): Language {
  for (const tag of tags) {
    const [short = ''] = tag?.toLowerCase().split('-') ?? []
    if (Object.hasOwn(LANGUAGES, short)) return short as Language
  }
  return 'en'
}
