import { i18n } from '@lingui/core'
import Archive from 'lucide-react/icons/archive'
import Hash from 'lucide-react/icons/hash'
import Lock from 'lucide-react/icons/lock'
import { useState } from 'react'
import { pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import { joinChannel } from '../../../data/channels/channelCommands.ts'
import { leaveChannel } from '../../../data/channels/manageChannels.ts'
import { announce } from '../../../ui/announce.ts'
import { Button } from '../../../ui/Button.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { useToast } from '../../../ui/toast.ts'
import layout from '../../../ui/dialogLayout.module.css'
import { formatDay } from '../../../ui/dates.ts'
import { useOverlay } from '../../parts/overlays/OverlayContext.ts'
import { useMe } from '../../parts/members/MeContext.ts'
import { rejoinPath } from './rejoinPath.ts'
import styles from './BrowseChannels.module.css'
import type { ListedChannel } from './rankChannels.ts'

interface Props {
  found: ListedChannel
  onClose: () => void
}

/** A row of the channel browser: open, join or leave the channel. */
export function BrowseRow({ found: { channel, members, member, last_message_at: last }, onClose }: Props) {
  const showToast = useToast()
  const open = useOverlay()
  const me = useMe()
  const [busy, setBusy] = useState(false)
  const name = channel.name ?? ''
  const isPrivate = channel.kind === 'private'
  const archived = channel.archived_at !== null
  const change = async () => {
    if (member && rejoinPath(channel.kind, archived, me.role) !== 'alone')
      return open({ kind: 'leave-channel', channelId: channel.id })
    setBusy(true)
    const outcome = await (member ? leaveChannel(channel.id) : joinChannel(channel.id))
    setBusy(false)
    if (!outcome.ok) return showToast({ text: outcome.failure.message })
    announce(member ? i18n._('You left {name}.', { name }) : i18n._('You joined {name}.', { name }))
  }
  return (
    <li className={layout.row}>
      <Icon of={archived ? Archive : isPrivate ? Lock : Hash} />
      <button
        type="button"
        data-entry
        className={styles.details}
        onClick={() => {
          onClose()
          navigate(pathTo('channel', { channelId: channel.id }))
        }}
      >
        <bdi className={styles.name}>{name}</bdi>
        {channel.topic || channel.description ? (
          <bdi className={styles.purpose}>{channel.topic || channel.description}</bdi>
        ) : null}
        <span className="note">
          {isPrivate ? `${i18n._('Private')} · ` : ''}
          {archived ? `${i18n._('Archived')} · ` : ''}
          {member ? `${i18n._('Joined')} · ` : ''}
          {i18n._('{members, plural, one {# person} other {# people}}', { members })}
          {last ? ` · ${i18n._('Last message: {day}', { day: formatDay(last) })}` : ''}
        </span>
      </button>
      {member ? (
        <Button
          variant="quiet"
          busy={busy}
          onClick={() => void change()}
          aria-label={i18n._('Leave {name}', { name })}
        >
          {i18n._('Leave')}
        </Button>
      ) : archived ? null : (
        <Button busy={busy} onClick={() => void change()} aria-label={i18n._('Join {name}', { name })}>
          {i18n._('Join')}
        </Button>
      )}
    </li>
  )
}
