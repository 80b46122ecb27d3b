import { i18n } from '@lingui/core'
import type { CustomEmoji } from '../../../../wire/emoji.ts'
import type { InLanguages } from '../../../../wire/languages.ts'
import { inLanguage } from '../../../ui/inLanguage.ts'

/** An emoji of the picker and of completion. */
export interface Emoji {
  /** What a text contains: the emoji itself; `:name:` of a custom one. */
  emoji: string
  /** In the interface language; of a custom one its first name. */
  name: string
  /** Name, further words and shortcodes in lower case, each after a space. */
  terms: string
  /** Names between colons, the most common first. */
  shortcodes: readonly string[]
  hasTones: boolean
}

/** The standard emoji in the groups of the picker. */
export type EmojiGroups = readonly (readonly Emoji[])[]

const NAMES: InLanguages<() => Promise<{ default: readonly string[] }>> = {
  en: () => import('../../../../wire/emojiNames/en.generated.ts'),
  de: () => import('../../../../wire/emojiNames/de.generated.ts'),
}
const loaded = new Map<string, Promise<EmojiGroups>>()

/** Loads the names of emoji in the interface language, once. Rejects if they can't be loaded. */
export function loadEmoji(): Promise<EmojiGroups> {
  const language = i18n.locale
  const current = loaded.get(language)
  if (current) return current
  const loadNames = inLanguage(NAMES)
  const loading = Promise.all([
    loadNames(),
    import('../../../../wire/emojiNames/shortcodes.generated.ts'),
  ]).then(([a, b]) => readEmoji(a.default, b.default))
  loaded.set(language, loading)
  // What could not be loaded is requested again.
  loading.catch(() => loaded.delete(language))
  return loading
}

/** Emoji of the generated files: one text for each group and a line for each emoji, with fields separated by tabs. */
export function readEmoji(names: readonly string[], shortcodes: readonly string[]): EmojiGroups {
  return names.map((group, index) => {
    const codes = shortcodes[index]?.split('\n') ?? []
    return group.split('\n').map((line, at) => {
      const [emoji = '', name = '', more = ''] = line.split('\t')
      const [code = '', tones = ''] = codes[at]?.split('\t') ?? []
      return {
        emoji,
        name,
        terms: ` ${name} ${more} ${code.replaceAll('_', ' ')}`.toLocaleLowerCase(),
        shortcodes: code ? code.split(' ') : [],
        hasTones: tones === '*',
      }
    })
  })
}

/** A custom emoji as the picker shows it. */
export function fromCustomEmoji({ name, aliases }: CustomEmoji): Emoji {
  const shortcodes = [name, ...aliases]
  const terms = ` ${shortcodes.join(' ').replaceAll(/[_-]/g, ' ')}`
  return { emoji: `:${name}:`, name, terms, shortcodes, hasTones: false }
}
