import type { Block } from '../../../../wire/body/tree.ts'

/** Maximum number of emoji of a message that shows them larger. */
const MAX_EMOJI = 5
/** One emoji: with its skin tone, of several people, a flag or a key. Digits and signs such as "©" are text. */
const EMOJI =
  /(?:\p{Regional_Indicator}{2}|[#*\d]\uFE0F?\u20E3|(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F)\p{Emoji_Modifier}?[\u{E0020}-\u{E007F}]*(?:\u200D(?:\p{Emoji_Presentation}|\p{Extended_Pictographic})\uFE0F?\p{Emoji_Modifier}?)*|\p{Emoji_Modifier_Base}\p{Emoji_Modifier})\s*/gu

/** Whether a message has only a few emoji or their names, and no text. */
export function isLargeEmoji(blocks: readonly Block[]): boolean {
  const [block] = blocks
  if (blocks.length !== 1 || block?.type !== 'paragraph') return false
  let count = 0
  for (const node of block.children) {
    if (node.type === 'emoji') count += 1
    else if (node.type !== 'text' || node.text.length > 100) return false
    else if (node.text.replaceAll(EMOJI, () => ((count += 1), '')).trim() !== '') return false
  }
  return count > 0 && count <= MAX_EMOJI
}
