import { readPreference } from '../../../devicePreferences.ts'
import { readCustomEmoji } from '../../../data/emoji/customEmoji.ts'
import { fromCustomEmoji, loadEmoji, type Emoji } from './emojiData.ts'
import { recentEmoji } from './recentEmoji.ts'
import { withSkinTone, withoutSkinTone } from './skinTone.ts'

/** A suggestion of the completion of `:name`. */
export interface EmojiSuggestion {
  /**
   * What replaces the typed text: a standard emoji with the skin tone of this device, or `:name:` of a custom one.
   * `withEmoji` of `EmojiText.tsx` displays both.
   */
  text: string
  /** Shortcode to show beside it, without colons. */
  shortcode: string
  /** Name in the interface language; of a custom emoji its shortcode. */
  label: string
}

/**
 * The emoji that `:` completion offers for what was typed after the colon: standard and custom ones whose shortcode or
 * whose name in the interface language begins so, or has a word that does. `_`, `-` and spaces separate words. Exact
 * shortcodes come first, then their beginnings, then names, then other words; recently used ones lead among equals. At
 * most `max`; none for less than one character. Loads its data on the first call; rejects if that fails (offline). Call
 * `recordEmojiUse(text)` of `recentEmoji.ts` when one is chosen.
 */
export async function suggestEmoji(typed: string, max = 8): Promise<EmojiSuggestion[]> {
  const query = typed.toLocaleLowerCase().replaceAll(/[\s_-]+/g, '_')
  if (query.replaceAll('_', '') === '' && query !== '-1') return []
  const groups = await loadEmoji()
  const recent = new Map(recentEmoji().map((emoji, index) => [withoutSkinTone(emoji), index]))
  const tone = readPreference('skinTone')
  return [...readCustomEmoji().map(fromCustomEmoji), ...groups.flat()]
    .map((one) => ({ one, rank: rankOf(one, query), recency: recent.get(one.emoji) ?? recent.size }))
    .filter(({ rank }) => rank < Infinity)
    .sort((a, b) => a.rank - b.rank || a.recency - b.recency)
    .slice(0, max)
    .map(({ one }) => ({
      text: one.hasTones ? withSkinTone(one.emoji, tone) : one.emoji,
      shortcode:
        one.shortcodes.find((code) => normalized(code).startsWith(query)) ?? one.shortcodes[0] ?? one.name,
      label: one.name,
    }))
}

/**
 * The text for a complete shortcode (`tada` of `:tada:`): a standard emoji with the skin tone of this device, or
 * `:name:` of a custom one; null if no emoji has this shortcode.
 */
export async function emojiOfShortcode(shortcode: string): Promise<string | null> {
  const [found] = await suggestEmoji(shortcode, 1)
  return found && normalized(found.shortcode) === normalized(shortcode.toLocaleLowerCase())
    ? found.text
    : null
}

function normalized(shortcode: string): string {
  return shortcode === '-1' ? '_1' : shortcode.replaceAll('-', '_')
}

/** 0: the shortcode itself; Infinity: no match. */
function rankOf(one: Emoji, query: string): number {
  const codes = one.shortcodes.map(normalized)
  if (codes.includes(query)) return 0
  if (codes.some((code) => code.startsWith(query))) return 1
  const words = query.split('_').filter(Boolean)
  if (!words.every((word) => one.terms.includes(` ${word}`))) return Infinity
  const name = ` ${one.name.toLocaleLowerCase()}`
  return words.every((word) => name.includes(` ${word}`)) ? 2 : 3
}
