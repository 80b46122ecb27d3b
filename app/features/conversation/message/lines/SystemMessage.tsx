import { i18n } from '@lingui/core'
import type { Message } from '../../../../../wire/messages.ts'
import { useProfile } from '../../../../data/people/people.ts'
import { formatDateTime, formatTime } from '../../../../ui/dates.ts'
import { InlinePersonButton } from '../../../parts/members/PersonButton.tsx'
import { otherPersonOf, systemSentence } from './systemSentence.ts'
import styles from './SystemMessage.module.css'

/** Placeholders for names in a translated sentence: private-use characters. */
const AUTHOR = '\uE000'
const OTHER = '\uE001'
const PEOPLE = /([\uE000\uE001])/

/** A system message: what happened to the channel. */
export default function SystemMessage({ message }: { message: Message }) {
  const other = otherPersonOf(message.system) ?? message.author_id
  return (
    <p className={styles.line}>
      <span>
        {systemSentence(message.system, AUTHOR, OTHER)
          .split(PEOPLE)
          .map((part) =>
            part === AUTHOR || part === OTHER ? (
              <Name key={part} id={part === AUTHOR ? message.author_id : other} />
            ) : (
              part
            ),
          )}
      </span>{' '}
      <time className={styles.time} dateTime={message.created_at} title={formatDateTime(message.created_at)}>
        {formatTime(message.created_at)}
      </time>
    </p>
  )
}

function Name({ id }: { id: string }) {
  const profile = useProfile(id)
  return (
    <InlinePersonButton id={id}>
      <bdi>{profile?.name ?? i18n._('Someone')}</bdi>
    </InlinePersonButton>
  )
}
