import { i18n } from '@lingui/core'
import styles from './CharacterCount.module.css'

/** Shows how many characters are left near the limit, or how many are too many. */
export default function CharacterCount({ left }: { left: number }) {
  if (left >= 0)
    return (
      <p className={styles.remaining}>
        {i18n._('{left, plural, one {# character left} other {# characters left}}', { left })}
      </p>
    )
  return (
    <p className={styles.note} role="status">
      {i18n._('This message is {over, plural, one {# character} other {# characters}} too long.', {
        over: -left,
      })}
    </p>
  )
}
