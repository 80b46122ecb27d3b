import { i18n } from '@lingui/core'
import ArrowRight from 'lucide-react/icons/arrow-right'
import Hash from 'lucide-react/icons/hash'
import Lock from 'lucide-react/icons/lock'
import NotebookPen from 'lucide-react/icons/notebook-pen'
import Users from 'lucide-react/icons/users'
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { browseChannels } from '../../data/channels/channelCommands.ts'
import { useSidebar, type SidebarItem } from '../../data/channels/channels.ts'
import { done, type Outcome } from '../../data/failures/failures.ts'
import { useMembers, useSaid } from '../../data/people/people.ts'
import { setPresence } from '../../data/people/profile.ts'
import { Avatar } from '../people/avatar/Avatar.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { useNotice } from '../../ui/notice.ts'
import { AvatarWithPresence } from '../people/avatar/AvatarWithPresence.tsx'
import { useAnswer } from '../../ui/useAnswer.ts'
import { useOverlay } from '../overlays/OverlayContext.ts'
import { canInvite } from '../people/canInvite.ts'
import { useMe } from '../people/MeContext.ts'
import { presenceWord } from '../people/presenceWord.ts'
import { roleWord } from '../people/roleWord.ts'
import { endOf } from '../people/status/statusChoices.ts'
import { statusLine } from '../people/StatusMark.tsx'
import { useWriteTo } from '../people/useWriteTo.ts'

export interface Choice {
  key: string
  name: string
  also?: string
  weight?: number
  hint?: string | null
  sign: ReactNode
  /** What waits there: its number calls for the reader when `calls`. */
  unread?: { count: string; calls: boolean; words: string } | null
  go: () => void
}

/** Above every moment, so that what is unread comes before what is merely recent. */
const UNREAD = 1e14
const CALLS = 2e14

/** Where one can go and what one can do: conversations, people one has none with, channels, commands. */
export function useChoices(onClose: () => void): Choice[] {
  const { channels, directs } = useSidebar()
  const [, navigate] = useLocation()
  const to = (path: string) => () => {
    onClose()
    navigate(path)
  }
  const conversations = [...directs, ...channels].map((item): Choice => {
    const calls = item.mentions > 0 || (item.kind !== 'public' && item.kind !== 'private' && !item.muted)
    const waits = item.unread > 0 && (!item.muted || item.mentions > 0)
    return {
      key: item.id,
      name: item.name,
      also: item.people.map((person) => person.name).join(' '),
      weight: Date.parse(item.lastMessageAt ?? '0') + (waits ? (calls ? CALLS : UNREAD) : 0),
      hint: hintOf(item),
      sign: <Sign item={item} />,
      unread: waits ? unreadOf(item, calls) : null,
      go: to(`/c/${item.id}`),
    }
  })
  return [
    ...conversations,
    ...usePeople(directs, onClose),
    ...useOtherChannels(to),
    ...useCommands(onClose, to),
  ]
}

function hintOf(item: SidebarItem): string | null {
  if (item.archived) return i18n._('Archived')
  return item.status ? statusLine(item.status) : null
}

function unreadOf(item: SidebarItem, calls: boolean): Choice['unread'] {
  const number = calls && item.mentions > 0 ? item.mentions : item.unread
  return {
    count: number > 99 ? '99+' : String(number),
    calls,
    words: i18n._('{count, plural, one {# unread message} other {# unread messages}}', { count: number }),
  }
}

/** People with whom one has no conversation in the side. */
function usePeople(directs: readonly SidebarItem[], onClose: () => void): Choice[] {
  const me = useMe().profile.id
  const members = useMembers()
  const writeTo = useWriteTo()
  const known = new Set(directs.filter((item) => item.kind === 'direct').map((item) => item.people[0]?.id))
  return members
    .filter(({ profile, state }) => state === 'active' && profile.id !== me && !known.has(profile.id))
    .map((member) => ({
      key: member.profile.id,
      name: member.profile.name,
      hint: member.role === 'guest' ? roleWord(member) : null,
      sign: <Avatar id={member.profile.id} name={member.profile.name} size={20} />,
      go: () => {
        onClose()
        void writeTo([member.profile.id])
      },
    }))
}

const none = async () => done([])

/** Public channels that one hasn't joined: read before one joins. */
function useOtherChannels(to: (path: string) => () => void): Choice[] {
  const guest = useMe().role === 'guest'
  const answer = useAnswer<
    { channel: { id: string; name: string | null; topic: string }; member: boolean }[]
  >(guest ? none : browseChannels)
  if (!answer?.ok) return []
  return answer.value
    .filter((one) => !one.member)
    .map(({ channel }) => ({
      key: channel.id,
      name: channel.name ?? '',
      hint: channel.topic || i18n._('Not joined'),
      weight: -1,
      sign: <Icon of={Hash} />,
      go: to(`/c/${channel.id}`),
    }))
}

function useCommands(onClose: () => void, to: (path: string) => () => void): Choice[] {
  const me = useMe()
  const open = useOverlay()
  const notice = useNotice()
  const writeTo = useWriteTo()
  const said = useSaid(me.profile.id)
  const tell = (asked: () => Promise<Outcome>) => async () => {
    onClose()
    const outcome = await asked()
    if (!outcome.ok) notice({ words: outcome.failure.sentence })
  }
  const command = (name: string, go: () => void, also?: string): Choice => ({
    key: name,
    name,
    ...(also ? { also } : {}),
    weight: -2,
    sign: <Icon of={ArrowRight} />,
    go,
  })
  const full = me.role !== 'guest'
  return [
    command(i18n._('Threads'), to('/threads')),
    command(i18n._('Files'), to('/files'), i18n._('Images, PDFs and everything else people have shared')),
    command(i18n._('New conversation'), () => open({ kind: 'new-conversation' })),
    command(i18n._('People'), () => open({ kind: 'people' })),
    command(i18n._('Set a status'), () => open({ kind: 'status' })),
    ...(said === 'auto'
      ? [
          command(
            i18n._('Do not disturb for 1 hour'),
            () => void tell(() => setPresence('dnd', endOf('hour')))(),
          ),
          command(
            i18n._('Do not disturb until tomorrow'),
            () => void tell(() => setPresence('dnd', endOf('morning')))(),
          ),
        ]
      : [command(i18n._('Set yourself as active'), () => void tell(() => setPresence('auto'))())]),
    command(
      i18n._('Notes to yourself'),
      () => {
        onClose()
        void writeTo([])
      },
      me.profile.name,
    ),
    ...(full
      ? [
          command(i18n._('Create a channel'), () => open({ kind: 'create-channel' })),
          command(i18n._('Browse channels'), () => open({ kind: 'browse-channels' })),
        ]
      : []),
    ...(canInvite(me.role) ? [command(i18n._('Invite people'), () => open({ kind: 'invite' }))] : []),
    command(i18n._('Settings'), to('/settings'), i18n._('Profile, appearance, language, sign out')),
    command(i18n._('Keyboard shortcuts'), () => open({ kind: 'keys' })),
  ]
}

function Sign({ item }: { item: SidebarItem }) {
  const [person] = item.people
  if (item.kind === 'public') return <Icon of={Hash} />
  if (item.kind === 'private') return <Icon of={Lock} />
  if (item.notebook) return <Icon of={NotebookPen} />
  if (item.kind === 'group' || !person) return <Icon of={Users} />
  const presence = item.presence ?? 'offline'
  return (
    <AvatarWithPresence
      id={person.id}
      name={person.name}
      presence={presence}
      label={presenceWord(presence)}
    />
  )
}
