import { i18n, type Messages } from '@lingui/core'
import { findLanguage, LANGUAGES, type Language } from '../../wire/languages.ts'
import { readPreference, storePreference } from '../devicePreferences.ts'
import { setRestLoader } from './withMessages.ts'

type Catalog = { messages: Messages }
const catalogs = import.meta.glob<Catalog>('./locales/*.po')
const rests = import.meta.glob<Catalog>('./locales/*.po', { query: '?rest' })

/** The language chosen on this device, else that of the workspace which was joined here, else the first available one of the browser. */
export function readLanguage(): Language {
  return storedLanguage('language') ?? storedLanguage('joinedLanguage') ?? browserLanguage()
}

/** The first available language of the browser. */
export function browserLanguage(): Language {
  return findLanguage(navigator.languages)
}

/** Loads and activates a language. Call it before the first render. */
export async function activateLanguage(language: Language): Promise<void> {
  const path = `./locales/${language}.po`
  const { messages } = await catalogs[path]!()
  // Catalogs are compiled. A message that they lack is English text without placeholders.
  i18n.setMessagesCompiler((message) => [message])
  i18n.loadAndActivate({
    locale: language,
    locales: localesFor(language),
    // The English catalog contains only sentences with placeholders: any other message is its own translation.
    messages,
  })
  setRestLoader(rests[path]!)
  Object.assign(document.documentElement, { lang: language, dir: LANGUAGES[language].direction })
}

/** Stores the language and reloads the page: sentences are rendered once. */
export function chooseLanguage(language: Language): void {
  storePreference('language', language)
  location.reload()
}

/**
 * Displays the language of a workspace to somebody who joins it and has not chosen one on this device. Returns whether the
 * page is being reloaded.
 */
export function adoptLanguage(language: string | null | undefined): boolean {
  if (!language || !isLanguage(language) || storedLanguage('language') || storedLanguage('joinedLanguage'))
    return false
  const isOther = language !== readLanguage()
  if (!storePreference('joinedLanguage', language)) return false
  if (isOther) location.reload()
  return isOther
}

/** Dates and numbers follow the browser's regional variant (en-GB, de-AT). */
function localesFor(language: Language): string[] {
  const same = navigator.languages.filter((wanted) => wanted.split('-')[0] === language)
  return same.length ? [...same] : [language]
}

function storedLanguage(name: 'language' | 'joinedLanguage'): Language | null {
  const stored = readPreference(name)
  return isLanguage(stored) ? stored : null
}

function isLanguage(word: string): word is Language {
  return Object.hasOwn(LANGUAGES, word)
}
