import { usePresence, useStatus } from '../../data/people/people.ts'
import { useConnection } from '../../data/session/session.ts'
import { Avatar } from '../people/avatar/Avatar.tsx'
import { PresenceDot } from '../../ui/PresenceDot.tsx'
import { useMe } from '../people/MeContext.ts'
import { OwnMenu } from '../people/OwnMenu.tsx'
import { presenceWord } from '../people/presenceWord.ts'
import { statusLine } from '../people/StatusMark.tsx'
import styles from './Side.module.css'

/** The reader's own line at the foot: pressed, it opens what one can say of oneself. */
export function Own() {
  const { profile } = useMe()
  const known = usePresence(profile.id)
  const status = useStatus(profile.id)
  const presence = useConnection() === 'offline' ? 'offline' : known
  const line = status ? statusLine(status) : ''
  return (
    <OwnMenu
      className={styles.own}
      label={[profile.name, presenceWord(presence), line].filter(Boolean).join(', ')}
    >
      <Avatar id={profile.id} name={profile.name} size={24} />
      <bdi className={styles.ownName}>{profile.name}</bdi>
      <PresenceDot state={presence} label={presenceWord(presence)} />
      {line ? <bdi className={styles.ownStatus}>{line}</bdi> : null}
    </OwnMenu>
  )
}
