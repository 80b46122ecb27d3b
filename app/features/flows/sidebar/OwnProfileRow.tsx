import { usePresence, useStatus } from '../../../data/people/people.ts'
import { Avatar } from '../../parts/members/avatar/Avatar.tsx'
import { PresenceDot } from '../../../ui/PresenceDot.tsx'
import { useMe } from '../../parts/members/MeContext.ts'
import { useIsDisconnected } from '../../parts/useIsDisconnected.ts'
import { PresenceMenuButton } from '../people/status/PresenceMenuButton.tsx'
import { presenceLabel } from '../../parts/members/presenceLabel.ts'
import { statusText } from '../../parts/members/StatusEmoji.tsx'
import styles from './Sidebar.module.css'

/** The reader's own row at the bottom: opens the presence menu. */
export default function OwnProfileRow() {
  const { profile } = useMe()
  const known = usePresence(profile.id)
  const status = useStatus(profile.id)
  const presence = useIsDisconnected() ? 'offline' : known
  const line = status ? statusText(status) : ''
  return (
    <PresenceMenuButton
      className={styles.own}
      label={[profile.name, presenceLabel(presence), line].filter(Boolean).join(', ')}
    >
      <Avatar id={profile.id} name={profile.name} size={24} />
      <bdi className={styles.ownName}>{profile.name}</bdi>
      <PresenceDot state={presence} label={presenceLabel(presence)} />
      {line ? <bdi className={styles.ownStatus}>{line}</bdi> : null}
    </PresenceMenuButton>
  )
}
