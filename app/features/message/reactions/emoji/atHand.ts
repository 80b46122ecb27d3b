const KEY = 'linnet.emoji'
/** Three rows of the board. */
const MOST = 24
/** What people reach for before they have habits. */
const FIRST = ['👍', '❤️', '😂', '🎉', '👀', '🙏', '✅', '👎', '🙂', '👏', '🤝', '💛', '🔥', '💡', '❓', '👋']

/** The emoji at hand on this device: those used last, then the usual ones. */
export function emojiAtHand(): string[] {
  return [...new Set([...used(), ...FIRST])].slice(0, MOST)
}

/** Takes note that an emoji was used here. */
export function rememberEmoji(emoji: string): void {
  try {
    localStorage.setItem(KEY, JSON.stringify([...new Set([emoji, ...used()])].slice(0, MOST)))
  } catch {
    // Then the usual ones stay at hand.
  }
}

function used(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(kept) ? kept.filter((one): one is string => typeof one === 'string') : []
  } catch {
    return []
  }
}
