import { i18n } from '@lingui/core'
import { setRestLoader } from './i18nRuntime.ts'

/** Available languages by their own names. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof LANGUAGES

const catalogs = {
  en: { load: () => import('./locales/en.po'), loadRest: () => import('./locales/en.po?rest') },
  de: { load: () => import('./locales/de.po'), loadRest: () => import('./locales/de.po?rest') },
}

const KEY = 'linnet.language'

/** The language chosen on this device, else the first available one of the browser. */
export function readLanguage(): Language {
  const chosen = storedLanguage()
  if (chosen) return chosen
  for (const wanted of navigator.languages) {
    const short = wanted.split('-')[0] ?? ''
    if (isLanguage(short)) return short
  }
  return 'en'
}

/** Loads and activates a language. Call it before the first render. */
export async function activateLanguage(language: Language): Promise<void> {
  const { load, loadRest } = catalogs[language]
  const { messages } = await load()
  i18n.loadAndActivate({
    locale: language,
    locales: localesFor(language),
    // The English catalog contains only sentences with placeholders: any other message is its own translation.
    messages,
  })
  setRestLoader(loadRest)
  document.documentElement.lang = language
}

/** Stores the language and reloads the page: sentences are rendered once. */
export function chooseLanguage(language: Language): void {
  try {
    localStorage.setItem(KEY, language)
  } finally {
    location.reload()
  }
}

/** Dates and numbers follow the browser's regional variant (en-GB, de-AT). */
function localesFor(language: Language): string[] {
  const same = navigator.languages.filter((wanted) => wanted.split('-')[0] === language)
  return same.length ? [...same] : [language]
}

function storedLanguage(): Language | null {
  try {
    const stored = localStorage.getItem(KEY)
    return stored && isLanguage(stored) ? stored : null
  } catch {
    return null
  }
}

function isLanguage(word: string): word is Language {
  return Object.hasOwn(LANGUAGES, word)
}
