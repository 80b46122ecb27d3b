const KEY = 'linnet.emoji'
/** Three rows of the board. */
const MAX_FREQUENT = 24
/** What people reach for before they have habits. */
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

/** The emoji at hand on this device: those used last, then the usual ones. */
export function frequentEmoji(): string[] {
  return [...new Set([...readUsed(), ...DEFAULTS])].slice(0, MAX_FREQUENT)
}

/** Takes note that an emoji was used here. */
export function recordEmojiUse(emoji: string): void {
  try {
    localStorage.setItem(KEY, JSON.stringify([...new Set([emoji, ...readUsed()])].slice(0, MAX_FREQUENT)))
  } catch {
    // Then the usual ones stay at hand.
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
