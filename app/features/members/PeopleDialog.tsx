import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { Member } from '../../../wire/people.ts'
import { useMembers, usePresence, useStatus } from '../../data/people/people.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Avatar } from './avatar/Avatar.tsx'
import { PresenceDot } from '../../ui/PresenceDot.tsx'
import layout from '../../ui/dialogLayout.module.css'
import { TextField } from '../../ui/TextField.tsx'
import { useOverlay } from '../overlays/OverlayContext.ts'
import { rank } from '../palette/rank.ts'
import { canInvite } from './canInvite.ts'
import { useMe } from './MeContext.ts'
import styles from './PeopleDialog.module.css'
import { presenceLabel } from './presenceLabel.ts'
import { roleLabel } from './roleLabel.ts'
import { statusText } from './StatusEmoji.tsx'

/** All visible people of the workspace, filtered by name; each row opens the profile. */
export default function PeopleDialog({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState('')
  const open = useOverlay()
  const { role } = useMe()
  const everyone = useMembers().filter((member) => member.state === 'active')
  const found = rank(
    everyone.map((member) => ({ name: member.profile.name, member })),
    query,
  )
  const count = everyone.length
  return (
    <Dialog title={i18n._('People')} position="top" onClose={onClose}>
      <div className={layout.body}>
        <TextField
          label={i18n._('Search people')}
          hideLabel
          type="search"
          placeholder={i18n._('Search people')}
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
          onKeyDown={(event) => {
            const best = found[0]?.member.profile.id
            if (event.key !== 'Enter' || event.nativeEvent.isComposing || !best || !query.trim()) return
            // Otherwise the same key would press the first button of the profile.
            event.preventDefault()
            open({ kind: 'person', id: best })
          }}
        />
        <ul className={layout.list} aria-label={i18n._('People')}>
          {found.map(({ member }) => (
            <li key={member.profile.id}>
              <Row member={member} onOpen={() => open({ kind: 'person', id: member.profile.id })} />
            </li>
          ))}
        </ul>
        {found.length === 0 ? <p className={layout.muted}>{i18n._('No people found.')}</p> : null}
        <div className={layout.footer}>
          <span className={layout.small}>
            {i18n._('{count, plural, one {# member} other {# members}}', { count })}
          </span>
          {canInvite(role) ? (
            <Button onClick={() => open({ kind: 'invite' })}>{i18n._('Invite people')}</Button>
          ) : null}
        </div>
      </div>
    </Dialog>
  )
}

function Row({ member, onOpen }: { member: Member; onOpen: () => void }) {
  const { profile, role } = member
  const presence = usePresence(profile.id)
  const status = useStatus(profile.id)
  return (
    <button type="button" className={styles.row} onClick={onOpen}>
      <Avatar id={profile.id} name={profile.name} size={24} />
      <bdi className={styles.name}>{profile.name}</bdi>
      {status ? <bdi className={styles.status}>{statusText(status)}</bdi> : null}
      <span className={styles.spacer} />
      {role === 'member' ? null : <span className={layout.aside}>{roleLabel(member)}</span>}
      <PresenceDot state={presence} label={presenceLabel(presence)} />
    </button>
  )
}
