import { i18n } from '@lingui/core'
import Hash from 'lucide-react/icons/hash'
import Lock from 'lucide-react/icons/lock'
import Search from 'lucide-react/icons/search'
import type { ChannelView } from '../../data/channels.ts'
import { useMembers } from '../../data/people.ts'
import { useChannelPeople } from '../../features/channel/useChannelPeople.ts'
import { useOverlay } from '../../features/overlays/OverlayContext.ts'
import { PersonButton } from '../../features/people/PersonButton.tsx'
import { presenceWord } from '../../features/people/presenceWord.ts'
import { QuietMark } from '../../features/people/QuietMark.tsx'
import { statusLine } from '../../features/people/StatusMark.tsx'
import { Faces } from '../../ui/Faces.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { PresenceDot } from '../../ui/PresenceDot.tsx'
import styles from './ChannelHead.module.css'
import { PaneHead } from './PaneHead.tsx'

/** What conversation this is, what it is for, and who is in it. */
export function ChannelHead({ channel }: { channel: ChannelView }) {
  const open = useOverlay()
  const { topic } = channel.entry.channel
  const status = channel.status && statusLine(channel.status)
  const only = channel.kind === 'direct' ? channel.people[0] : undefined
  return (
    <PaneHead
      back="/"
      title={
        <>
          <Sign channel={channel} />
          {only ? (
            <PersonButton id={only.id} className={styles.who}>
              <bdi>{channel.name}</bdi>
            </PersonButton>
          ) : (
            <bdi>{channel.name}</bdi>
          )}
        </>
      }
      aside={topic || status ? <bdi title={topic || undefined}>{topic || status}</bdi> : null}
    >
      <QuietMark />
      {channel.notebook ? null : (
        <WhoIsHere channel={channel} onOpen={() => open({ kind: 'channel', channelId: channel.id })} />
      )}
      <IconButton
        label={i18n._('Go to a conversation')}
        icon={<Icon of={Search} size={20} />}
        onClick={() => open({ kind: 'palette' })}
      />
    </PaneHead>
  )
}

function Sign({ channel }: { channel: ChannelView }) {
  if (channel.kind === 'public') return <Icon of={Hash} />
  if (channel.kind === 'private') return <Icon of={Lock} />
  if (channel.presence) {
    return (
      <span className={styles.dot}>
        <PresenceDot state={channel.presence} label={presenceWord(channel.presence)} />
      </span>
    )
  }
  return null
}

function WhoIsHere({ channel, onOpen }: { channel: ChannelView; onOpen: () => void }) {
  const people = useChannelPeople(channel.id, channel.entry.counters.meta_rev)
  const members = useMembers()
  const count = people?.length ?? 0
  const faces = (people ?? []).slice(0, 3).map(({ profile_id }) => ({
    id: profile_id,
    name: members.find((member) => member.profile.id === profile_id)?.profile.name ?? '?',
  }))
  return (
    <button
      type="button"
      className={styles.people}
      aria-label={
        people
          ? i18n._('{count, plural, one {# person} other {# people}} in this conversation', { count })
          : i18n._('People in this conversation')
      }
      onClick={onOpen}
    >
      <Faces people={faces} />
      <span className={styles.count}>{people ? count : ''}</span>
    </button>
  )
}
