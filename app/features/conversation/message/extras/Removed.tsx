import { i18n } from '@lingui/core'
import { isolateBidi } from '../../../../data/people/isolateBidi.ts'
import styles from './ReferencedMessage.module.css'

/** In place of a message that an owner or admin removed. */
export function Removed({ reason }: { reason: string }) {
  return (
    <p className={styles.note}>
      {i18n._('An admin removed this message: {reason}', { reason: isolateBidi(reason) })}
    </p>
  )
}
