import type { readPreference } from '../../../devicePreferences.ts'

/** A skin tone of emoji: 0 is none, 1 (light) to 5 (dark) those of Unicode. */
export type SkinTone = ReturnType<typeof readPreference<'skinTone'>>

const MODIFIERS = /[\u{1F3FB}-\u{1F3FF}]/gu
/** Persons and hands that take a tone. A handshake within a sequence takes none. */
const BASES = /(?<!\u200D)(\u{1F91D})|(?!\u{1F91D})(\p{Emoji_Modifier_Base})\uFE0F?/gu

/** The emoji with a skin tone instead of its own. Only for emoji of which the data has tones. */
export function withSkinTone(emoji: string, tone: SkinTone): string {
  const plain = withoutSkinTone(emoji)
  if (tone === 0) return plain
  const modifier = String.fromCodePoint(0x1f3fa + tone)
  return plain.replaceAll(BASES, (_, handshake?: string, base?: string) => `${handshake ?? base}${modifier}`)
}

/** The emoji without skin tones, as the data has it. Some take a variation selector instead of a tone. */
export function withoutSkinTone(emoji: string): string {
  return emoji.replaceAll(/(.)[\u{1F3FB}-\u{1F3FF}]/gu, (_, base: string) =>
    /\p{Emoji_Presentation}/u.test(base) ? base : `${base}\uFE0F`,
  )
}

/** Whether the emoji has a skin tone. */
export function hasSkinTone(emoji: string): boolean {
  return emoji.search(MODIFIERS) >= 0
}
