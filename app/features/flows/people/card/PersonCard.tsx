import { i18n } from '@lingui/core'
import Clock from 'lucide-react/icons/clock'
import Ellipsis from 'lucide-react/icons/ellipsis'
import { useState } from 'react'
import { pathTo } from '../../../../paths.ts'
import { navigate } from '../../../../historyState.ts'
import type { Member } from '../../../../../wire/people.ts'
import { useSidebar } from '../../../../data/channels/channels.ts'
import { userGroupsOf } from '../../../../data/userGroups/userGroupMembers.ts'
import { useUserGroups } from '../../../../data/userGroups/useUserGroups.ts'
import { personDetails } from '../../../../data/administration/administerPeople.ts'
import { botDetails } from '../../../../data/bots/bots.ts'
import { isolateBidi } from '../../../../data/people/isolateBidi.ts'
import {
  useMember,
  useProfile,
  usePresence,
  usePresenceChoice,
  useStatus,
} from '../../../../data/people/people.ts'
import { isPersonBlocked, setBlocked } from '../../../../data/moderation/moderation.ts'
import { Button } from '../../../../ui/Button.tsx'
import { formatDay, formatTimeIn } from '../../../../ui/dates.ts'
import { cx } from '../../../../ui/cx.ts'
import { Dialog } from '../../../../ui/Dialog.tsx'
import { Avatar } from '../../../parts/members/avatar/Avatar.tsx'
import { Popover } from '../../../../ui/Popover.tsx'
import { PresenceDot } from '../../../../ui/PresenceDot.tsx'
import { Icon } from '../../../../ui/Icon.tsx'
import type { MenuItem } from '../../../../ui/Menu.tsx'
import { MenuButton } from '../../../../ui/MenuButton.tsx'
import { IconButton } from '../../../../ui/IconButton.tsx'
import { useToast } from '../../../../ui/toast.ts'
import { useMinute } from '../../../../ui/useMinute.ts'
import { useQuery } from '../../../../data/queries/useQuery.ts'
import { PHONE, useMedia } from '../../../../ui/useMedia.ts'
import { Link2 } from '../../../parts/icons.ts'
import { useCopyLink } from '../../../parts/useCopyLink.ts'
import { useOverlay } from '../../../parts/overlays/OverlayContext.ts'
import { useMe } from '../../../parts/members/MeContext.ts'
import { isBelow, personActions } from '../manage/personActions.ts'
import styles from './PersonCard.module.css'
import { presenceLabel } from '../../../parts/members/presenceLabel.ts'
import { roleLabel } from '../../../parts/members/roleLabel.ts'
import { expiryText } from '../status/expiryText.ts'
import { useOpenDirectMessage } from '../../directMessages/useOpenDirectMessage.ts'
import { statusActionLabel } from '../status/statusActionLabel.ts'

interface Props {
  id: string
  /** The clicked element; the profile opens beside it, or in a dialog if it is gone. */
  anchor?: HTMLElement
  onClose: () => void
}

/** A person's profile with presence, status and a button to message them. A bottom sheet on a phone. */
export default function PersonCard(props: Props) {
  return <Profile key={props.id} {...props} />
}

function Profile({ id, anchor, onClose }: Props) {
  const isPhone = useMedia(PHONE)
  const member = useMember(id)
  // An element in a dialog disappears with it: only one overlay is open at a time.
  const [popoverAnchor] = useState(anchor?.isConnected && !anchor.closest('dialog') ? anchor : null)
  const name = member?.profile.name ?? i18n._('Former member')
  const card = member ? (
    <Card member={member} wide={isPhone || !popoverAnchor} onClose={onClose} />
  ) : (
    <p className={cx(styles.card, 'note')}>
      {i18n._('This person is no longer in the workspace, or you can’t see their profile.')}
    </p>
  )
  if (isPhone || !popoverAnchor) {
    return (
      <Dialog title={name} bare position={isPhone ? 'bottom' : 'middle'} onClose={onClose}>
        {card}
      </Dialog>
    )
  }
  return (
    <Popover label={name} anchor={popoverAnchor} onClose={onClose}>
      {card}
    </Popover>
  )
}

function Card({ member, wide, onClose }: { member: Member; wide: boolean; onClose: () => void }) {
  const { profile } = member
  const me = useMe()
  const copyLink = useCopyLink()
  const isSelf = me.profile.id === profile.id
  return (
    <div className={cx(styles.card, wide && styles.wide)}>
      <div className={styles.header}>
        <Avatar id={profile.id} name={profile.name} size={56} />
        <div className={styles.names}>
          <div>
            <bdi className={styles.name}>{profile.name}</bdi>
            {profile.pronouns ? (
              <>
                {' '}
                <bdi className="note">{profile.pronouns}</bdi>
              </>
            ) : null}
          </div>
          <span className="note">
            {profile.title ? (
              <>
                <bdi>{profile.title}</bdi>
                {' · '}
              </>
            ) : null}
            {isSelf ? i18n._('{role}, you', { role: roleLabel(member) }) : roleLabel(member)}
          </span>
        </div>
      </div>
      <Facts member={member} />
      <div className={styles.footer}>
        {isSelf ? <OwnActions onClose={onClose} /> : <ContactActions member={member} onClose={onClose} />}
        <IconButton
          label={i18n._('Copy link')}
          icon={<Icon of={Link2} />}
          onClick={() => copyLink(pathTo('person', { personId: profile.id }))}
        />
        {isSelf || profile.kind === 'bot' ? null : <MoreButton member={member} />}
      </div>
    </div>
  )
}

/** The groups that the person is in, as far as the reader sees them. */
function UserGroupFacts({ id }: { id: string }) {
  const all = useUserGroups()
  const { value: found } = useQuery(all.length ? userGroupsOf : null, [id])
  const names = all.filter((group) => !group.isArchived && found?.includes(group.id.slice(1)))
  if (names.length === 0) return null
  return (
    <p className="note">
      {i18n._('In groups: {names}', { names: names.map(({ name }) => isolateBidi(`@${name}`)).join(', ') })}
    </p>
  )
}

function Facts({ member }: { member: Member }) {
  const { profile } = member
  const status = useStatus(profile.id)
  const presence = usePresence(profile.id)
  const manualPresence = usePresenceChoice(profile.id)
  const now = useMinute()
  const time = profile.time_zone ? formatTimeIn(profile.time_zone, now) : null
  const { directs } = useSidebar()
  const shared = directs.filter((item) => item.people.some((person) => person.id === profile.id))
  const groups = shared.filter((item) => item.kind === 'group').length
  const last = shared.find((item) => item.kind === 'direct')?.lastMessageAt
  return (
    <div className={styles.lines}>
      {status ? (
        <p className={styles.line}>
          <span className={styles.icon}>{status.status_emoji ?? '💬'}</span>
          <span className={styles.text}>
            <bdi>{status.status_text}</bdi>{' '}
            <span className="note">{expiryText(status.status_expires_at)}</span>
          </span>
        </p>
      ) : null}
      {member.state === 'active' && profile.kind === 'person' ? (
        <p className={styles.line}>
          <span className={styles.icon} aria-hidden>
            <PresenceDot state={presence} label="" />
          </span>
          <span>
            {presenceLabel(presence)}{' '}
            <span className="note">
              {manualPresence === presence ? expiryText(profile.presence_until) : ''}
            </span>
          </span>
        </p>
      ) : null}
      {time ? (
        <p className={styles.line}>
          <span className={styles.icon}>
            <Icon of={Clock} />
          </span>
          <span>{i18n._('Local time: {time}', { time })}</span>
        </p>
      ) : null}
      {profile.kind === 'person' ? <UserGroupFacts id={profile.id} /> : null}
      {profile.kind === 'bot' ? <BotFacts id={profile.id} /> : null}
      {member.role === 'guest' && member.state === 'active' && profile.kind === 'person' ? (
        <p className="note">
          {i18n._('Guests only see the channels they’re added to and the people in them.')}
        </p>
      ) : null}
      {last ? <p className="note">{i18n._('Last message: {day}', { day: formatDay(last) })}</p> : null}
      {groups > 0 ? (
        <p className="note">
          {i18n._('{groups, plural, one {# group conversation} other {# group conversations}} in common', {
            groups,
          })}
        </p>
      ) : null}
    </div>
  )
}

/** What a bot does, and who is responsible for it. */
function BotFacts({ id }: { id: string }) {
  const { value: details } = useQuery(botDetails, [id])
  const responsible = useProfile(details?.responsible_id ?? '')
  return (
    <>
      {details?.description ? (
        <p className={styles.text}>
          <bdi>{details.description}</bdi>
        </p>
      ) : null}
      {responsible ? (
        <p className="note">{i18n._('Responsible: {name}', { name: isolateBidi(responsible.name) })}</p>
      ) : null}
    </>
  )
}

function ContactActions({ member, onClose }: { member: Member; onClose: () => void }) {
  const openDirectMessage = useOpenDirectMessage()
  const { id } = member.profile
  const { directs } = useSidebar()
  const existing = directs.find((item) => item.kind === 'direct' && item.people.some((one) => one.id === id))
  if (member.profile.kind === 'bot') return null
  if (member.state === 'active') {
    return (
      <Button
        variant="primary"
        onClick={() => {
          onClose()
          void openDirectMessage([id])
        }}
      >
        {i18n._({
          id: 'Message (verb)',
          message: 'Message',
          context: 'opens the conversation with a person',
        })}
      </Button>
    )
  }
  if (!existing) return <p className="note">{i18n._('You can’t message former members.')}</p>
  return (
    <Button
      onClick={() => {
        onClose()
        navigate(pathTo('channel', { channelId: existing.id }))
      }}
    >
      {i18n._('View conversation')}
    </Button>
  )
}

/**
 * The details of the conversation, what owners and admins may do with a person below them, and blocking, which is apart from the
 * button that messages the person.
 */
function MoreButton({ member: { profile, role, state } }: { member: Member }) {
  const me = useMe()
  const open = useOverlay()
  const { directs } = useSidebar()
  const mayManage = isBelow(role, me.role)
  const { value: person } = useQuery(mayManage ? personDetails : null, [profile.id])
  const block = useBlockItem(profile.id, isolateBidi(profile.name))
  const existing = directs.find(
    (item) => item.kind === 'direct' && item.people.some((one) => one.id === profile.id),
  )
  const managing: MenuItem[] = person
    ? personActions([person], me.role).map(({ action, label }) => ({
        label,
        onSelect: () => open({ kind: 'change-people', action, people: [person] }),
      }))
    : []
  if (person && state === 'active')
    managing.push({ label: i18n._('Silence…'), onSelect: () => open({ kind: 'silence', id: profile.id }) })
  const items: MenuItem[] = [...managing]
  if (existing)
    items.unshift({
      label: i18n._('Conversation details'),
      onSelect: () => open({ kind: 'channel', channelId: existing.id }),
    })
  if (block) items.push({ ...block, separated: items.length > 0 })
  if (items.length === 0) return null
  return (
    <MenuButton
      label={
        managing.length > 0
          ? i18n._('Manage {name}', { name: isolateBidi(profile.name) })
          : i18n._('More actions')
      }
      icon={<Icon of={Ellipsis} />}
      items={items}
    />
  )
}

/** Blocks a person in direct messages, or ends the block. Null until it is known whether the person is blocked. */
function useBlockItem(id: string, name: string): MenuItem | null {
  const { value: isBlocked } = useQuery(isPersonBlocked, [id])
  const showToast = useToast()
  if (isBlocked === undefined) return null
  const toggle = async () => {
    const outcome = await setBlocked(id, !isBlocked)
    if (!outcome.ok) return showToast({ text: outcome.failure.message })
    showToast({
      text: isBlocked
        ? i18n._('{name} is no longer blocked.', { name })
        : i18n._('{name} is blocked in direct messages and isn’t notified.', { name }),
    })
  }
  return {
    label: isBlocked ? i18n._('Unblock') : i18n._('Block'),
    isDestructive: !isBlocked,
    onSelect: () => void toggle(),
  }
}

function OwnActions({ onClose }: { onClose: () => void }) {
  const { profile } = useMe()
  const status = useStatus(profile.id)
  const open = useOverlay()
  const openDirectMessage = useOpenDirectMessage()
  return (
    <>
      <Button variant="primary" onClick={() => open({ kind: 'status' })}>
        {statusActionLabel(status !== null)}
      </Button>
      <Button
        onClick={() => {
          onClose()
          void openDirectMessage([])
        }}
      >
        {i18n._('Notes to yourself')}
      </Button>
      <Button
        onClick={() => {
          onClose()
          navigate(pathTo('profileSettings'))
        }}
      >
        {i18n._('Edit profile')}
      </Button>
    </>
  )
}
