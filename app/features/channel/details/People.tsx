import { i18n } from '@lingui/core'
import Ellipsis from 'lucide-react/icons/ellipsis'
import { useState } from 'react'
import type { Member } from '../../../../wire/linnet.ts'
import { removeMember, setChannelRole } from '../../../data/channels/channelCommands.ts'
import type { ChannelView } from '../../../data/channels/channels.ts'
import { useMembers } from '../../../data/people/people.ts'
import { isolated } from '../../../data/people/isolateBidi.ts'
import { Button } from '../../../ui/Button.tsx'
import { Avatar } from '../../people/avatar/Avatar.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import type { MenuItem } from '../../../ui/Menu.tsx'
import { MenuButton } from '../../../ui/MenuButton.tsx'
import { useNotice } from '../../../ui/notice.ts'
import sheet from '../../../ui/Sheet.module.css'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { useOverlay } from '../../overlays/OverlayContext.ts'
import { rank } from '../../palette/rank.ts'
import { useMe } from '../../people/MeContext.ts'
import { PersonButton } from '../../people/PersonButton.tsx'
import type { ChannelPerson } from '../useChannelPeople.ts'
import { Confirm } from './Confirm.tsx'
import styles from './Details.module.css'
import { isUnmanaged } from './isUnmanaged.ts'

interface Props {
  channel: ChannelView
  people: ChannelPerson[] | null
  onAdd: () => void
}

interface Shown {
  id: string
  name: string
  leads: boolean
  member: Member | undefined
}

/** Who is in a channel, and what each may be made. */
export function People({ channel, people, onAdd }: Props) {
  const members = useMembers()
  const open = useOverlay()
  const [query, setQuery] = useState('')
  const [leaving, setLeaving] = useState<Shown | null>(null)
  if (!people) return <Skeleton label={i18n._('Loading the people')} shape="lines" rows={6} />
  const byId = new Map(members.map((member) => [member.profile.id, member]))
  const everyone = people
    .map(({ profile_id, role }): Shown => {
      const member = byId.get(profile_id)
      const name = member?.profile.name ?? i18n._('Former member')
      return { id: profile_id, name, leads: role === 'admin', member }
    })
    .sort((a, b) => Number(b.leads) - Number(a.leads) || a.name.localeCompare(b.name))
  const found = rank(everyone, query)
  const unmanaged = isUnmanaged(people, byId)
  return (
    <div className={sheet.body}>
      {everyone.length > 8 ? (
        <TextField
          label={i18n._('Search people')}
          hideLabel
          type="search"
          placeholder={i18n._('Search people')}
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
        />
      ) : null}
      {channel.rights.addPeople ? (
        <div className={styles.foot}>
          <Button onClick={onAdd}>{i18n._('Add people')}</Button>
        </div>
      ) : null}
      {channel.kind === 'group' || channel.kind === 'direct' ? (
        <div className={styles.foot}>
          <Button onClick={() => open({ kind: 'add-people-to-conversation', channelId: channel.id })}>
            {i18n._('Add people')}
          </Button>
        </div>
      ) : null}
      <ul className={`${sheet.list} ${styles.people}`} aria-label={i18n._('People')}>
        {found.map((person) => (
          <Row
            key={person.id}
            person={person}
            channel={channel}
            unmanaged={unmanaged}
            onRemove={() => setLeaving(person)}
          />
        ))}
      </ul>
      {found.length === 0 ? <p className={sheet.soft}>{i18n._('No people found.')}</p> : null}
      {leaving ? (
        <Confirm
          title={i18n._('Remove {name}', { name: isolated(leaving.name) })}
          action={i18n._('Remove')}
          run={() => removeMember(channel.id, leaving.id)}
          onClose={() => setLeaving(null)}
        >
          <p>
            {channel.kind === 'private' || leaving.member?.role === 'guest'
              ? i18n._('{name} will lose access right away. Their messages stay.', {
                  name: isolated(leaving.name),
                })
              : i18n._('{name} was removed, but can still read this public channel and rejoin.', {
                  name: isolated(leaving.name),
                })}
          </p>
        </Confirm>
      ) : null}
    </div>
  )
}

interface RowProps {
  person: Shown
  channel: ChannelView
  unmanaged: boolean
  onRemove: () => void
}

function Row({ person, channel, unmanaged, onRemove }: RowProps) {
  const me = useMe()
  const notice = useNotice()
  const mine = person.id === me.profile.id
  const { rights } = channel
  const appoints = rights.appoint || (unmanaged && rights.addPeople)
  const items: MenuItem[] = []
  const make = async (role: 'admin' | 'member') => {
    const outcome = await setChannelRole(channel.id, person.id, role)
    if (!outcome.ok) notice({ words: outcome.failure.sentence })
  }
  if (appoints && person.member?.role !== 'guest') {
    items.push(
      person.leads
        ? { label: i18n._('Remove as manager'), onSelect: () => void make('member') }
        : { label: i18n._('Make channel manager'), onSelect: () => void make('admin') },
    )
  }
  if (rights.removePeople && !mine) {
    items.push({ label: i18n._('Remove from channel'), apart: items.length > 0, onSelect: onRemove })
  }
  return (
    <li className={sheet.row}>
      <PersonButton id={person.id} className={styles.person}>
        <Avatar id={person.id} name={person.name} size={24} />
        <bdi className={sheet.name}>
          {mine ? i18n._('{name} (you)', { name: isolated(person.name) }) : person.name}
        </bdi>
      </PersonButton>
      <span className={sheet.aside}>
        {person.leads ? i18n._('Channel manager') : person.member?.role === 'guest' ? i18n._('Guest') : ''}
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
