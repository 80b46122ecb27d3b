import { i18n } from '@lingui/core'
import MessageSquare from 'lucide-react/icons/message-square'
import { useDeferredValue, useEffect, useEffectEvent, useRef, useState } from 'react'
import type { Member } from '../../../wire/people.ts'
import { useMembers, usePresence, useStatus } from '../../data/people/people.ts'
import { useOpenDirectMessage } from '../../features/flows/directMessages/useOpenDirectMessage.ts'
import { Avatar } from '../../features/parts/members/avatar/Avatar.tsx'
import { canInvite } from '../../data/workspaces/workspacePermissions.ts'
import { useMe } from '../../features/parts/members/MeContext.ts'
import { presenceLabel } from '../../features/parts/members/presenceLabel.ts'
import { roleLabel } from '../../features/parts/members/roleLabel.ts'
import { statusText } from '../../features/parts/members/StatusEmoji.tsx'
import { useOverlay } from '../../features/parts/overlays/OverlayContext.ts'
import { rank } from '../../features/parts/matching/rank.ts'
import { Button } from '../../ui/Button.tsx'
import { formatTimeIn } from '../../ui/dates.ts'
import { GrowingList } from '../../ui/GrowingList.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { PresenceDot } from '../../ui/PresenceDot.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { useMinute } from '../../ui/useMinute.ts'
import { isComposing } from '../../ui/isComposing.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { useFilters } from '../../features/parts/lists/useFilters.ts'
import { useSettled } from '../../ui/useSettled.ts'
import { ListPage } from '../../shell/ListPage.tsx'
import styles from './PeoplePage.module.css'

/** The page with all visible people of the workspace. It searches by name and title, and each row opens a profile. */
export default function PeoplePage() {
  const { values, change } = useFilters({ q: null })
  const [query, setQuery] = useState(values.q)
  const settled = useSettled(query)
  const store = useEffectEvent((q: string) => {
    if (q !== values.q) change({ q })
  })
  useEffect(() => store(settled), [settled])
  const field = useRef<HTMLInputElement>(null)
  const open = useOverlay()
  const me = useMe()
  const now = useMinute()
  const everyone = useMembers().filter((member) => member.state === 'active')
  const choices = everyone.map((member) => ({
    name: member.profile.name,
    ...(member.profile.title ? { also: member.profile.title } : {}),
    member,
  }))
  // The text of the field is painted first: 50 other rows take longer than a frame.
  const listedQuery = useDeferredValue(query)
  const found = rank(choices, listedQuery)
  const count = everyone.length
  // On a touch screen the focus would open the keyboard over the list.
  useEffect(() => {
    if (!matchMedia('(pointer: coarse)').matches) field.current?.focus()
  }, [])
  return (
    <ListPage
      title={i18n._('People directory')}
      aside={i18n._('{count, plural, one {# member} other {# members}}', { count })}
      list={`people ${settled}`}
      isWide
      buttons={
        <>
          <Button onClick={() => open({ kind: 'browse-channels' })}>{i18n._('Browse channels')}</Button>
          {canInvite(me) ? (
            <Button onClick={() => open({ kind: 'invite' })}>{i18n._('Invite people')}</Button>
          ) : null}
        </>
      }
      top={
        <TextField
          ref={field}
          label={i18n._('Search people')}
          hideLabel
          type="search"
          placeholder={i18n._('Search by name or title')}
          value={query}
          onChange={setQuery}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || isComposing(event.nativeEvent) || !query.trim()) return
            const best = rank(choices, query)[0]?.member.profile.id
            if (!best) return
            // Otherwise the same key would press the first button of the profile.
            event.preventDefault()
            open({ kind: 'person', id: best })
          }}
        />
      }
    >
      <GrowingList
        label={i18n._('People directory')}
        className={styles.list}
        items={found}
        selection={listedQuery}
        render={({ member }) => <Person key={member.profile.id} member={member} now={now} />}
      />
      {found.length === 0 ? <EmptyState role="status" text={i18n._('No people found.')} /> : null}
    </ListPage>
  )
}

function Person({ member, now }: { member: Member; now: Date }) {
  const { profile, role } = member
  const open = useOverlay()
  const openDirectMessage = useOpenDirectMessage()
  const isSelf = useMe().profile.id === profile.id
  const presence = usePresence(profile.id)
  const status = useStatus(profile.id)
  const time = profile.time_zone ? formatTimeIn(profile.time_zone, now) : null
  return (
    <li className={styles.item}>
      <button
        type="button"
        data-entry
        className={styles.person}
        onClick={() => open({ kind: 'person', id: profile.id })}
      >
        <Avatar id={profile.id} name={profile.name} size={36} />
        <span className={styles.details}>
          <span className={styles.first}>
            <bdi className={styles.name}>{profile.name}</bdi>
            {profile.kind === 'bot' ? null : <PresenceDot state={presence} label={presenceLabel(presence)} />}
            {isSelf ? <span className={styles.muted}>{i18n._('You')}</span> : null}
            {role === 'member' && profile.kind === 'person' ? null : (
              <span className={styles.muted}>{roleLabel(member)}</span>
            )}
          </span>
          {profile.title || status ? (
            <span className={styles.second}>
              {profile.title ? <bdi>{profile.title}</bdi> : null}
              {profile.title && status ? ' · ' : null}
              {status ? <bdi>{statusText(status)}</bdi> : null}
            </span>
          ) : null}
        </span>
        {time ? (
          <span className={styles.time} title={profile.time_zone ?? undefined}>
            <span className="visually-hidden">{i18n._('Local time')} </span>
            {time}
          </span>
        ) : null}
      </button>
      {profile.kind === 'person' && !isSelf ? (
        <IconButton
          label={i18n._('Message {name}', { name: profile.name })}
          icon={<Icon of={MessageSquare} size={20} />}
          onClick={() => void openDirectMessage([profile.id])}
        />
      ) : (
        <span className={styles.noAction} />
      )}
    </li>
  )
}
