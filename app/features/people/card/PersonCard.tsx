import { i18n } from '@lingui/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Member } from '../../../../wire/linnet.ts'
import { useSidebar } from '../../../data/channels/channels.ts'
import { useMember, usePresence, useSaid, useStatus } from '../../../data/people/people.ts'
import { Button } from '../../../ui/Button.tsx'
import { dayOf } from '../../../ui/clock.ts'
import { cx } from '../../../ui/cx.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Avatar } from '../avatar/Avatar.tsx'
import { Popover } from '../../../ui/Popover.tsx'
import { PresenceDot } from '../../../ui/PresenceDot.tsx'
import { PHONE, useMedia } from '../../../ui/useMedia.ts'
import { useOverlay } from '../../overlays/OverlayContext.ts'
import { useMe } from '../MeContext.ts'
import styles from './PersonCard.module.css'
import { presenceWord } from '../presenceWord.ts'
import { roleWord } from '../roleWord.ts'
import { untilWord } from '../status/untilWord.ts'
import { useWriteTo } from '../useWriteTo.ts'

interface Props {
  id: string
  /** What was pressed; the card stands beside it, or in the middle where it is gone. */
  anchor: HTMLElement | null
  onClose: () => void
}

/** Who someone is and whether they are here, and the way to write to them. A sheet on a phone. */
export default function PersonCard({ id, anchor, onClose }: Props) {
  const phone = useMedia(PHONE)
  const member = useMember(id)
  // What was pressed in a dialog goes with it: one thing at a time lies over the page.
  const [beside] = useState(anchor?.isConnected && !anchor.closest('dialog') ? anchor : null)
  const name = member?.profile.name ?? i18n._('Former member')
  const card = member ? (
    <Card member={member} wide={phone || !beside} onClose={onClose} />
  ) : (
    <p className={cx(styles.card, styles.soft)}>
      {i18n._('This person is no longer in the workspace, or you can’t see their profile.')}
    </p>
  )
  if (phone || !beside) {
    return (
      <Dialog title={name} bare place={phone ? 'foot' : 'middle'} onClose={onClose}>
        {card}
      </Dialog>
    )
  }
  return (
    <Popover label={name} anchor={beside} onClose={onClose}>
      {card}
    </Popover>
  )
}

function Card({ member, wide, onClose }: { member: Member; wide: boolean; onClose: () => void }) {
  const { profile } = member
  const self = useMe().profile.id === profile.id
  return (
    <div className={cx(styles.card, wide && styles.wide)}>
      <div className={styles.head}>
        <Avatar id={profile.id} name={profile.name} size={56} />
        <div className={styles.names}>
          <bdi className={styles.name}>{profile.name}</bdi>
          <span className={styles.soft}>
            {self ? i18n._('{role}, you', { role: roleWord(member) }) : roleWord(member)}
          </span>
        </div>
      </div>
      <Facts member={member} />
      <div className={styles.foot}>
        {self ? <OwnWays onClose={onClose} /> : <Ways member={member} onClose={onClose} />}
      </div>
    </div>
  )
}

function Facts({ member }: { member: Member }) {
  const { profile } = member
  const status = useStatus(profile.id)
  const presence = usePresence(profile.id)
  const said = useSaid(profile.id)
  const { directs } = useSidebar()
  const together = directs.filter((item) => item.people.some((person) => person.id === profile.id))
  const groups = together.filter((item) => item.kind === 'group').length
  const last = together.find((item) => item.kind === 'direct')?.lastMessageAt
  return (
    <div className={styles.lines}>
      {status ? (
        <p className={styles.line}>
          <span className={styles.sign}>{status.status_emoji ?? '💬'}</span>
          <span className={styles.words}>
            <bdi>{status.status_text}</bdi>{' '}
            <span className={styles.soft}>{untilWord(status.status_expires_at)}</span>
          </span>
        </p>
      ) : null}
      {member.state === 'active' && profile.kind === 'person' ? (
        <p className={styles.line}>
          <span className={styles.sign} aria-hidden>
            <PresenceDot state={presence} label="" />
          </span>
          <span>
            {presenceWord(presence)}{' '}
            <span className={styles.soft}>{said === presence ? untilWord(profile.presence_until) : ''}</span>
          </span>
        </p>
      ) : null}
      {member.role === 'guest' && member.state === 'active' ? (
        <p className={styles.soft}>
          {i18n._('Guests only see the channels they’re added to and the people in them.')}
        </p>
      ) : null}
      {last ? <p className={styles.soft}>{i18n._('Last message: {day}', { day: dayOf(last) })}</p> : null}
      {groups > 0 ? (
        <p className={styles.soft}>
          {i18n._('{groups, plural, one {# group conversation} other {# group conversations}} in common', {
            groups,
          })}
        </p>
      ) : null}
    </div>
  )
}

function Ways({ member, onClose }: { member: Member; onClose: () => void }) {
  const writeTo = useWriteTo()
  const [, navigate] = useLocation()
  const { id } = member.profile
  const { directs } = useSidebar()
  const known = directs.find((item) => item.kind === 'direct' && item.people.some((one) => one.id === id))
  if (member.state === 'active') {
    return (
      <Button
        look="primary"
        onClick={() => {
          onClose()
          void writeTo([id])
        }}
      >
        {i18n._('Message')}
      </Button>
    )
  }
  if (!known) return <p className={styles.soft}>{i18n._('You can’t message former members.')}</p>
  return (
    <Button
      onClick={() => {
        onClose()
        navigate(`/c/${known.id}`)
      }}
    >
      {i18n._('View conversation')}
    </Button>
  )
}

function OwnWays({ onClose }: { onClose: () => void }) {
  const open = useOverlay()
  const writeTo = useWriteTo()
  const [, navigate] = useLocation()
  return (
    <>
      <Button look="primary" onClick={() => open({ kind: 'status' })}>
        {i18n._('Set a status')}
      </Button>
      <Button
        onClick={() => {
          onClose()
          void writeTo([])
        }}
      >
        {i18n._('Notes to yourself')}
      </Button>
      <Button
        onClick={() => {
          onClose()
          navigate('/settings')
        }}
      >
        {i18n._('Edit profile')}
      </Button>
    </>
  )
}
