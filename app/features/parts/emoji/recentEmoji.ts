const KEY = 'linnet.emoji'
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
  return [...new Set([...readUsed(), ...DEFAULTS])].slice(0, MAX_RECENT)
}

/** Records that an emoji was used on this device. */
export function recordEmojiUse(emoji: string): void {
  try {
    localStorage.setItem(KEY, JSON.stringify([...new Set([emoji, ...readUsed()])].slice(0, MAX_RECENT)))
  } catch {
    // Then the defaults are shown.
  }
}

function readUsed(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(stored) ? stored.filter((one): one is string => typeof one === 'string') : []
  } catch {
    return []
  }
}
