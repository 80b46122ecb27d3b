import { i18n } from '@lingui/core'
import { Suspense } from 'react'
import BellOff from 'lucide-react/icons/bell-off'
import Files from 'lucide-react/icons/files'
import Hash from 'lucide-react/icons/hash'
import Lock from 'lucide-react/icons/lock'
import Search from 'lucide-react/icons/search'
import Star from 'lucide-react/icons/star'
import { formatAddress, pathTo } from '../../paths.ts'
import { navigate } from '../../historyState.ts'
import type { ChannelWithPermissions } from '../../data/channels/channels.ts'
import { useOverlay } from '../../features/parts/overlays/OverlayContext.ts'
import { presenceLabel } from '../../features/parts/members/presenceLabel.ts'
import { statusText } from '../../features/parts/members/StatusEmoji.tsx'
import { loadSidebarCommands } from '../../features/flows/sidebar/loadSidebarCommands.ts'
import { useToastOnError } from '../../features/parts/toasts/useToastOnError.ts'
import { cx } from '../../ui/cx.ts'
import { Icon } from '../../ui/Icon.tsx'
import { lazyComponent } from '../../ui/lazyComponent.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { PresenceDot } from '../../ui/PresenceDot.tsx'
import { PHONE, useMedia } from '../../ui/useMedia.ts'
import { MembersButton } from './MembersButton.tsx'
import styles from './ChannelHeader.module.css'
import { PaneHeader } from '../../shell/PaneHeader.tsx'

const WebMark = lazyComponent(() => import('../../features/parts/channels/WebMark.tsx'))
const FetchedMembersButton = lazyComponent(() => import('./FetchedMembersButton.tsx'), { preload: true })
const DoNotDisturbButton = lazyComponent(
  () => import('../../features/flows/people/status/DoNotDisturbButton.tsx'),
  {
    preload: true,
  },
)

/** Header of a conversation: name, topic and members. */
export function ChannelHeader({ channel }: { channel: ChannelWithPermissions }) {
  const open = useOverlay()
  const isPhone = useMedia(PHONE)
  const [person] = channel.kind === 'direct' ? channel.people : []
  const showMembers = () => open({ kind: 'channel', channelId: channel.id, tab: 'people' })
  return (
    <PaneHeader
      title={
        <button
          type="button"
          className={styles.title}
          aria-haspopup="dialog"
          onClick={({ currentTarget: anchor }) =>
            open(
              person ? { kind: 'person', id: person.id, anchor } : { kind: 'channel', channelId: channel.id },
            )
          }
        >
          <KindIcon channel={channel} />
          <bdi>{channel.name}</bdi>
          {channel.muted ? (
            <>
              <Icon of={BellOff} />
              <span className="visually-hidden">{i18n._('muted')}</span>
            </>
          ) : null}
        </button>
      }
      aside={<TopicOrStatus channel={channel} />}
    >
      <Suspense>
        {channel.entry.channel.web_since ? <WebMark channelId={channel.id} /> : null}
        <DoNotDisturbButton />
      </Suspense>
      {channel.selfDirect ? null : (
        <Suspense fallback={<MembersButton onOpen={showMembers} />}>
          <FetchedMembersButton channel={channel} onOpen={showMembers} />
        </Suspense>
      )}
      {channel.isMember ? <StarButton channel={channel} /> : null}
      {isPhone ? null : (
        <IconButton
          label={i18n._('Files')}
          icon={<Icon of={Files} size={20} />}
          onClick={() => navigate(pathTo('channelFiles', { channelId: channel.id }))}
        />
      )}
      <IconButton
        label={i18n._('Search in this conversation')}
        icon={<Icon of={Search} size={20} />}
        onClick={() => navigate(formatAddress(pathTo('search'), { in: channel.id }))}
      />
    </PaneHeader>
  )
}

/** The topic, which opens its editor; in a direct conversation the person's status. */
function TopicOrStatus({ channel }: { channel: ChannelWithPermissions }) {
  const open = useOverlay()
  const { topic } = channel.entry.channel
  if (channel.status) return <bdi>{statusText(channel.status)}</bdi>
  if (!topic && !channel.permissions.topic) return null
  return (
    <button
      type="button"
      className={cx(styles.topic, !topic && styles.none)}
      title={topic || undefined}
      aria-haspopup="dialog"
      aria-label={topic ? i18n._('Topic: {topic}', { topic }) : undefined}
      onClick={() =>
        open({
          kind: 'channel',
          channelId: channel.id,
          ...(channel.permissions.topic ? { edit: 'topic' } : {}),
        })
      }
    >
      <bdi>{topic || i18n._('Add a topic')}</bdi>
    </button>
  )
}

function StarButton({ channel }: { channel: ChannelWithPermissions }) {
  const runWithToast = useToastOnError()
  return (
    <IconButton
      label={i18n._('Star')}
      aria-pressed={channel.starred}
      className={cx(channel.starred && styles.starred)}
      icon={<Icon of={Star} size={20} />}
      // Preloaded on hover: it may be needed without a connection.
      onPointerEnter={() => void loadSidebarCommands().catch(() => {})}
      onClick={() =>
        runWithToast(async () =>
          (await loadSidebarCommands()).setPreferences(channel.id, { starred: !channel.starred }),
        )
      }
    />
  )
}

function KindIcon({ channel }: { channel: ChannelWithPermissions }) {
  if (channel.kind === 'public') return <Icon of={Hash} />
  if (channel.kind === 'private') return <Icon of={Lock} label={i18n._('private')} />
  if (channel.presence) {
    return (
      <span className={styles.dot}>
        <PresenceDot state={channel.presence} label={presenceLabel(channel.presence)} />
      </span>
    )
  }
  return null
}
