import { emojiNamed } from '../../../supabase/functions/_shared/emojiNamed.ts'

const skinTone = /^([^:]+)::skin-tone-([2-6])$/

/** The key of a reaction with Slack's name, such as `+1::skin-tone-3`; null if it can't be one. */
export function reactionKey(name: string): string | null {
  const [, base = name, tone] = skinTone.exec(name) ?? []
  const emoji = emojiNamed(base)
  if (emoji === null) return /^[a-z\d][a-z\d_+'-]{0,61}$/.test(base) ? `:${base}:` : null
  const [first = '', ...rest] = [...emoji].filter((character) => tone === undefined || character !== '\uFE0F')
  if (tone === undefined || !/^\p{Emoji_Modifier_Base}$/u.test(first)) return emoji
  return first + String.fromCodePoint(0x1_f3_f9 + Number(tone)) + rest.join('')
}
