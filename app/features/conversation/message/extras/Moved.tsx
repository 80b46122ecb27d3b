import { i18n } from '@lingui/core'
import { Link } from '../../../../ui/Link.tsx'
import { messageAddress } from '../../../../paths.ts'
import { useReferencedMessage } from '../../../../data/messages/referencedMessages.ts'
import { isolateBidi } from '../../../../data/people/isolateBidi.ts'
import { useProfile } from '../../../../data/people/people.ts'
import { formatDayAndTime } from '../../../../ui/dates.ts'
import styles from './ReferencedMessage.module.css'
import { useChannelTitle } from './ReferencedMessage.tsx'

interface MovedToProps {
  message_id: string
  by: string
}

/** In place of a moved message: where it is now, for those who may read it there; others learn no name. */
export function MovedTo({ message_id: id, by }: MovedToProps) {
  const name = useName(by)
  const copy = useReferencedMessage(id)
  const place = useChannelTitle(copy?.channel_id ?? '')
  if (!copy || !place)
    return <p className={styles.note}>{i18n._('{name} moved this to another channel', { name })}</p>
  return (
    <p className={styles.note}>
      <Link href={messageAddress(copy)} className={styles.place}>
        {i18n._('{name} moved this to {place}', { name, place: isolateBidi(place) })}
      </Link>
    </p>
  )
}

interface MovedFromProps {
  /** The emptied message. */
  from: string
  by: string
  /** When the message was written. */
  at: string
}

/** Above a moved message: when it was written, and for those who may read it there, where. */
export function MovedFrom({ from, by, at }: MovedFromProps) {
  const name = useName(by)
  const place = useChannelTitle(useReferencedMessage(from)?.channel_id ?? '')
  const when = formatDayAndTime(at)
  return (
    <p className={styles.note}>
      {place
        ? i18n._('Written {when}, moved here from {place} by {name}', {
            when,
            place: isolateBidi(place),
            name,
          })
        : i18n._('Written {when}, moved here by {name}', { when, name })}
    </p>
  )
}

function useName(id: string): string {
  return isolateBidi(useProfile(id)?.name ?? i18n._('Former member'))
}
