import { readCustomEmoji } from '../../../data/emoji/customEmoji.ts'
import { readPreference, storePreference } from '../../../devicePreferences.ts'

/** Three rows of the picker. */
const MAX_RECENT = 24
/** Uses from which the frequent ones are counted. */
const MAX_USES = 100
/** Shown until others have been used. */
const DEFAULTS = [
  '👍',
  '❤️',
  '😂',
  '🎉',
  '👀',
  '🙏',
  '✅',
  '👎',
  '🙂',
  '👏',
  '🤝',
  '💛',
  '🔥',
  '💡',
  '❓',
  '👋',
]

/** Recently used emoji of this device, completed by defaults. */
export function recentEmoji(): string[] {
  return [...new Set([...readPreference('usedEmoji'), ...DEFAULTS])].slice(0, MAX_RECENT)
}

/**
 * The emoji that were used most often on this device lately, completed by defaults. Their order changes rarely, so that
 * each keeps its position.
 */
export function frequentEmoji(count: number): string[] {
  const counts = new Map<string, number>()
  for (const emoji of readPreference('usedEmoji')) counts.set(emoji, (counts.get(emoji) ?? 0) + 1)
  const custom = new Set(readCustomEmoji().map(({ name }) => `:${name}:`))
  const repeated = [...counts]
    .filter(([emoji, uses]) => uses > 1 && (!emoji.startsWith(':') || custom.has(emoji)))
    .sort(([, a], [, b]) => b - a)
    .map(([emoji]) => emoji)
  return [...new Set([...repeated, ...DEFAULTS])].slice(0, count)
}

/** Records that an emoji was used on this device. */
export function recordEmojiUse(emoji: string): void {
  storePreference('usedEmoji', [emoji, ...readPreference('usedEmoji')].slice(0, MAX_USES))
}
