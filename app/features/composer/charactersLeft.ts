import { LIMITS } from '../../../wire/linnet.ts'
import { encodeMentions, type Mentionable } from './mentionText.ts'

/** So near the limit it is told how much is left. */
const SHOWN_BELOW = 1_000

/**
 * How many characters are left, negative when there are too many; null while that is no question. Counted as the
 * database does: whole characters of what is stored, in which a name is its id.
 */
export function charactersLeft(text: string, people: Mentionable[]): number | null {
  // A name of one letter is stored as 39: that far off, nothing needs to be counted.
  if (text.length * (text.includes('@') ? 40 : 1) < LIMITS.messageCharacters - SHOWN_BELOW) return null
  const left = LIMITS.messageCharacters - [...encodeMentions(text.trim(), people)].length
  return left > SHOWN_BELOW ? null : left
}
