import { i18n } from '@lingui/core'
import Ellipsis from 'lucide-react/icons/ellipsis'
import { useState } from 'react'
import { isChannel } from '../../../../../wire/channels.ts'
import type { Member } from '../../../../../wire/people.ts'
import { removeMember, setChannelRole } from '../../../../data/channels/manageChannels.ts'
import type { ChannelWithPermissions } from '../../../../data/channels/channels.ts'
import { useMembers } from '../../../../data/people/people.ts'
import { isolateBidi } from '../../../../data/people/isolateBidi.ts'
import { Button } from '../../../../ui/Button.tsx'
import { Avatar } from '../../../parts/members/avatar/Avatar.tsx'
import { Icon } from '../../../../ui/Icon.tsx'
import type { MenuItem } from '../../../../ui/Menu.tsx'
import { MenuButton } from '../../../../ui/MenuButton.tsx'
import { useToast } from '../../../../ui/toast.ts'
import layout from '../../../../ui/dialogLayout.module.css'
import { Skeleton } from '../../../../ui/Skeleton.tsx'
import { TextField } from '../../../../ui/TextField.tsx'
import { useOverlay } from '../../../parts/overlays/OverlayContext.ts'
import { rank } from '../../../parts/matching/rank.ts'
import { useMe } from '../../../parts/members/MeContext.ts'
import { PersonButton } from '../../../parts/members/PersonButton.tsx'
import type { ChannelPerson } from '../../../../data/channels/channelPeople.ts'
import { ConfirmDialog } from '../../../../ui/ConfirmDialog.tsx'
import styles from './Details.module.css'
import type { Uuid } from '../../../../../wire/scalars.ts'

interface Props {
  channel: ChannelWithPermissions
  people: ChannelPerson[] | undefined
  onAdd: () => void
}

interface ListedPerson {
  id: string
  name: string
  isChannelAdmin: boolean
  member: Member | undefined
}

/** The members of a channel, and changes of their roles. */
export function ChannelMembers({ channel, people, onAdd }: Props) {
  const members = useMembers()
  const open = useOverlay()
  const [query, setQuery] = useState('')
  const [removing, setRemoving] = useState<ListedPerson | null>(null)
  if (!people) return <Skeleton label={i18n._('Loading the people')} shape="lines" rows={6} />
  const byId = new Map(members.map((member) => [member.profile.id, member]))
  const everyone = people
    .map(({ profile_id, role }): ListedPerson => {
      const member = byId.get(profile_id)
      const name = member?.profile.name ?? i18n._('Former member')
      return { id: profile_id, name, isChannelAdmin: role === 'admin', member }
    })
    .sort((a, b) => Number(b.isChannelAdmin) - Number(a.isChannelAdmin) || a.name.localeCompare(b.name))
  const found = rank(everyone, query)
  const unmanaged = isUnmanaged(people, byId)
  return (
    <div className={layout.body}>
      {everyone.length > 8 ? (
        <TextField
          label={i18n._('Search people')}
          hideLabel
          type="search"
          placeholder={i18n._('Search people')}
          value={query}
          onChange={setQuery}
        />
      ) : null}
      {channel.permissions.addPeople ? (
        <div className={styles.foot}>
          <Button onClick={onAdd}>{i18n._('Add people')}</Button>
        </div>
      ) : null}
      {!isChannel(channel) ? (
        <div className={styles.foot}>
          <Button onClick={() => open({ kind: 'add-people-to-conversation', channelId: channel.id })}>
            {i18n._('Add people')}
          </Button>
        </div>
      ) : null}
      <ul className={`${layout.list} ${styles.people}`} aria-label={i18n._('People')}>
        {found.map((person) => (
          <Row
            key={person.id}
            person={person}
            channel={channel}
            unmanaged={unmanaged}
            onRemove={() => setRemoving(person)}
          />
        ))}
      </ul>
      {found.length === 0 ? <p className="muted">{i18n._('No people found.')}</p> : null}
      {removing ? (
        <ConfirmDialog
          title={i18n._('Remove {name}', { name: isolateBidi(removing.name) })}
          action={i18n._('Remove')}
          isDestructive
          run={() => removeMember(channel.id, removing.id)}
          onClose={() => setRemoving(null)}
        >
          <p>
            {channel.kind === 'private' || removing.member?.role === 'guest'
              ? i18n._('{name} will lose access right away. Their messages stay.', {
                  name: isolateBidi(removing.name),
                })
              : i18n._('{name} will be removed, but can still read this public channel and rejoin.', {
                  name: isolateBidi(removing.name),
                })}
          </p>
        </ConfirmDialog>
      ) : null}
    </div>
  )
}

interface RowProps {
  person: ListedPerson
  channel: ChannelWithPermissions
  unmanaged: boolean
  onRemove: () => void
}

function Row({ person, channel, unmanaged, onRemove }: RowProps) {
  const me = useMe()
  const showToast = useToast()
  const isSelf = person.id === me.profile.id
  const { permissions } = channel
  const mayAppoint = permissions.appoint || (unmanaged && permissions.addPeople)
  const items: MenuItem[] = []
  const setRole = async (role: 'admin' | 'member') => {
    const outcome = await setChannelRole(channel.id, person.id, role)
    if (!outcome.ok) showToast({ text: outcome.failure.message })
  }
  if (mayAppoint && person.member?.role !== 'guest') {
    items.push(
      person.isChannelAdmin
        ? { label: i18n._('Remove as manager'), onSelect: () => void setRole('member') }
        : { label: i18n._('Make channel manager'), onSelect: () => void setRole('admin') },
    )
  }
  if (permissions.removePeople && !isSelf) {
    items.push({ label: i18n._('Remove from channel'), separated: items.length > 0, onSelect: onRemove })
  }
  return (
    <li className={layout.row}>
      <PersonButton id={person.id} className={styles.person}>
        <Avatar id={person.id} name={person.name} size={24} />
        <bdi className={layout.name}>
          {isSelf ? i18n._('{name} (you)', { name: isolateBidi(person.name) }) : person.name}
        </bdi>
      </PersonButton>
      <span className={layout.aside}>
        {person.isChannelAdmin
          ? i18n._('Channel manager')
          : person.member?.role === 'guest'
            ? i18n._('Guest')
            : ''}
      </span>
      {items.length > 0 ? (
        <MenuButton
          label={i18n._('Options for {name}', { name: person.name })}
          icon={<Icon of={Ellipsis} />}
          items={items}
        />
      ) : null}
    </li>
  )
}

/**
 * Whether nobody who can manage the channel is a member of it any longer, like `app.is_unmanaged` in the database. Any
 * member but a guest may then appoint a manager.
 */
function isUnmanaged(
  people: readonly ChannelPerson[],
  members: ReadonlyMap<Uuid, Pick<Member, 'role'>>,
): boolean {
  return !people.some(({ profile_id, role }) => {
    const workspaceRole = members.get(profile_id)?.role
    return (
      workspaceRole !== undefined &&
      workspaceRole !== 'guest' &&
      (role === 'admin' || workspaceRole !== 'member')
    )
  })
}
