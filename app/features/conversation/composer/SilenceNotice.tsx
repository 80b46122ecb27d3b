import { i18n } from '@lingui/core'
import { useEffectEvent, useLayoutEffect } from 'react'
import { useOwnSilence } from '../../../data/moderation/ownSilence.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { formatDayAndTime } from '../../../ui/dates.ts'
import styles from './SilenceNotice.module.css'

interface Props {
  /** Whether the user is silenced: the composer then shows nothing but this notice. */
  onChange: (isSilenced: boolean) => void
}

/** In place of everything else in the composer while the user is silenced. What they have written stays a draft. */
export function SilenceNotice({ onChange }: Props) {
  const silence = useOwnSilence()
  const isSilenced = silence !== null
  const change = useEffectEvent(onChange)
  useLayoutEffect(() => change(isSilenced), [isSilenced])
  if (!silence) return null
  return (
    <p role="status" className={styles.notice} data-silence>
      {i18n._('An admin has silenced you until {time}. You can read everything, but not write.', {
        time: formatDayAndTime(silence.until),
      })}{' '}
      {i18n._('Reason: {reason}', { reason: isolateBidi(silence.reason) })}
    </p>
  )
}
