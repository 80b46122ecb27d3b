import { LIMITS } from '../../../../wire/limits.ts'
import { encodeMentions, type Mentionable } from '../../parts/body/mentionText.ts'

/** The count is shown from here on. */
const SHOWN_BELOW = 1_000

/**
 * Characters left, negative when there are too many; null far from the limit. Counted as the database does: code
 * points of the stored text, in which a name is replaced by its id.
 */
export function charactersLeft(text: string, mentionable: readonly Mentionable[]): number | null {
  // A mention of one letter is stored as 39 characters: this far from the limit nothing needs to be counted.
  if (text.length * (/[@#]/.test(text) ? 40 : 1) < LIMITS.messageCharacters - SHOWN_BELOW) return null
  const left = LIMITS.messageCharacters - [...encodeMentions(text.trim(), mentionable)].length
  return left > SHOWN_BELOW ? null : left
}
