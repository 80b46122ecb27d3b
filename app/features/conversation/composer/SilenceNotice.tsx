import { i18n } from '@lingui/core'
import { useOwnSilence } from '../../../data/moderation/ownSilence.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { formatDayAndTime } from '../../../ui/dates.ts'
import styles from './SilenceNotice.module.css'

/** In place of everything else in the composer while the user is silenced. What they have written stays a draft. */
export function SilenceNotice() {
  const silence = useOwnSilence()
  if (!silence) return null
  return (
    <p role="status" className={styles.notice}>
      {i18n._('An admin has silenced you until {time}. You can read everything, but not write.', {
        time: formatDayAndTime(silence.until),
      })}{' '}
      {i18n._('Reason: {reason}', { reason: isolateBidi(silence.reason) })}
    </p>
  )
}
