import { i18n } from '@lingui/core'
import { LANGUAGES, type InLanguages, type Language } from '../../wire/languages.ts'

/** The languages for a choice, each by its own name. */
export const languageOptions = (Object.keys(LANGUAGES) as Language[]).map((value) => ({
  value,
  label: LANGUAGES[value].name,
}))

/** The entry of a table in the language of the interface, else in English. */
export function inLanguage<T>(table: InLanguages<T>): T {
  return table[i18n.locale as Language] ?? table.en
}
