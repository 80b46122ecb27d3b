import { readPreference, storePreference } from '../../../devicePreferences.ts'

/** Three rows of the picker. */
const MAX_RECENT = 24
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

/** Records that an emoji was used on this device. */
export function recordEmojiUse(emoji: string): void {
  const used = new Set([emoji, ...readPreference('usedEmoji')])
  storePreference('usedEmoji', [...used].slice(0, MAX_RECENT))
}
