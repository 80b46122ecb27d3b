import { LIMITS } from '../../../../wire/limits.ts'

/** The count is shown from here on. */
const SHOWN_BELOW = 1_000

/**
 * Characters left in a body, negative when there are too many; null far from the limit. Counted as the database does: code
 * points of the stored text, in which a name is replaced by its id.
 */
export function charactersLeft(body: string): number | null {
  if (body.length < LIMITS.messageCharacters - SHOWN_BELOW) return null
  const left = LIMITS.messageCharacters - [...body.trim()].length
  return left > SHOWN_BELOW ? null : left
}
