import { i18n } from '@lingui/core'
import { LIMITS } from '../../../wire/linnet.ts'
import styles from './Composer.module.css'
import { encodeMentions, type Mentionable } from './mentionText.ts'

/** So near the limit it is told how much is left. */
const NEAR = 1_000

/**
 * How many characters are left, negative when there are too many; null while that is no question. Counted as the
 * database does: whole characters of what is stored, in which a name is its id.
 */
export function charactersLeft(text: string, people: Mentionable[]): number | null {
  // A name of one letter is stored as 39: that far off, nothing needs to be counted.
  if (text.length * (text.includes('@') ? 40 : 1) < LIMITS.messageCharacters - NEAR) return null
  const left = LIMITS.messageCharacters - [...encodeMentions(text.trim(), people)].length
  return left > NEAR ? null : left
}

/** Tells how much room is left as the limit nears, and how much is too much. */
export function LengthNote({ left }: { left: number }) {
  if (left >= 0)
    return (
      <p className={styles.left}>
        {i18n._('{left, plural, one {# character left} other {# characters left}}', { left })}
      </p>
    )
  return (
    <p className={styles.note} role="status">
      {i18n._(
        'This is {over, plural, one {# character} other {# characters}} longer than a message may be.',
        { over: -left },
      )}
    </p>
  )
}
