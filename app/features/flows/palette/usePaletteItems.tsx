import { i18n } from '@lingui/core'
import ArrowRight from 'lucide-react/icons/arrow-right'
import Hash from 'lucide-react/icons/hash'
import { useState, type ReactNode } from 'react'
import { pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import { publicChannels } from '../../../data/channels/publicChannels.ts'
import { useSidebar, type SidebarItem } from '../../../data/channels/channels.ts'
import type { Outcome } from '../../../data/failures/failures.ts'
import { usePresenceChoice } from '../../../data/people/people.ts'
import { setPresence } from '../../../data/people/profile.ts'
import { showWorkspace, useWorkspaces } from '../../../data/workspaces/workspaces.ts'
import { WorkspaceIcon } from '../workspaces/WorkspaceIcon.tsx'
import { Avatar } from '../../parts/members/avatar/Avatar.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { useToast } from '../../../ui/toast.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { useOverlay } from '../../parts/overlays/OverlayContext.ts'
import { canCreateChannels, canInvite } from '../../../data/workspaces/workspacePermissions.ts'
import { useMe } from '../../parts/members/MeContext.ts'
import { roleLabel } from '../../parts/members/roleLabel.ts'
import { endOf } from '../people/status/durations.ts'
import { statusText } from '../../parts/members/StatusEmoji.tsx'
import { unreadBadge, type UnreadBadge } from '../sidebar/rows/unreadBadge.ts'
import { ConversationIcon } from '../channels/ConversationIcon.tsx'
import { usePeopleWithoutDirect } from '../channels/usePeopleWithoutDirect.ts'
import { useOpenDirectMessage } from '../directMessages/useOpenDirectMessage.ts'
import { recentPlaces } from './storedUses.ts'

/** The groups of items. */
export type PaletteKind = 'people' | 'channels' | 'pages' | 'commands'

export interface PaletteItem {
  key: string
  kind: PaletteKind
  name: string
  also?: string
  weight?: number
  /** The place that it opens. */
  path?: string
  hint?: string | null
  icon: ReactNode
  unread?: UnreadBadge
  run: () => void
}

/** Above any timestamp, so that places that were open come before others, the latest first. */
const PLACE_WEIGHT = 1e13
/** Above these, so that unread conversations come before recent ones. */
const UNREAD_WEIGHT = 1e14
const URGENT_WEIGHT = 2e14

/** All items: conversations, people without a conversation, other channels, commands. */
export function usePaletteItems(onClose: () => void): PaletteItem[] {
  const { channels, directs } = useSidebar()
  const openPath = (path: string) => () => {
    onClose()
    navigate(path)
  }
  const conversations = [...directs, ...channels].map((item): PaletteItem => {
    const unread = unreadBadge(item)
    return {
      key: item.id,
      kind: item.kind === 'public' || item.kind === 'private' ? 'channels' : 'people',
      name: item.name,
      also: item.people.map((person) => person.name).join(' '),
      weight:
        Date.parse(item.lastMessageAt ?? '0') +
        (unread.badge ? URGENT_WEIGHT : unread.count ? UNREAD_WEIGHT : 0),
      hint: hintOf(item),
      icon: <ConversationIcon item={item} />,
      unread,
      path: pathTo('channel', { channelId: item.id }),
      run: openPath(pathTo('channel', { channelId: item.id })),
    }
  })
  const items = [
    ...conversations,
    ...usePeople(directs, onClose),
    ...useOtherChannels(openPath),
    ...useCommands(onClose, openPath),
    ...useOtherWorkspaces(onClose),
  ]
  const [places] = useState(recentPlaces)
  // The open place is where the reader is already.
  const weights = new Map(places.slice(1).map((path, index) => [path, PLACE_WEIGHT - index]))
  return items.map((item) => withPlaceWeight(item, weights))
}

function withPlaceWeight(item: PaletteItem, weights: ReadonlyMap<string, number>): PaletteItem {
  const weight = item.path === undefined ? undefined : weights.get(item.path)
  return weight === undefined || (item.weight ?? 0) > weight ? item : { ...item, weight }
}

function hintOf(item: SidebarItem): string | null {
  if (item.archived) return i18n._('Archived')
  return item.status ? statusText(item.status) : null
}

/** People without a direct conversation in the sidebar. */
function usePeople(directs: readonly SidebarItem[], onClose: () => void): PaletteItem[] {
  const openDirectMessage = useOpenDirectMessage()
  return usePeopleWithoutDirect(directs).map((member) => ({
    key: member.profile.id,
    kind: 'people',
    name: member.profile.name,
    hint: member.role === 'guest' ? roleLabel(member) : null,
    icon: <Avatar id={member.profile.id} name={member.profile.name} size={20} />,
    run: () => {
      onClose()
      void openDirectMessage([member.profile.id])
    },
  }))
}

/** Public channels that the reader has not joined. */
function useOtherChannels(openPath: (path: string) => () => void): PaletteItem[] {
  const isGuest = useMe().role === 'guest'
  const { value = [] } = useQuery(isGuest ? null : publicChannels)
  return value
    .filter((one) => !one.member)
    .map(({ channel }) => ({
      key: channel.id,
      kind: 'channels',
      name: channel.name ?? '',
      hint: channel.topic || i18n._('Not joined'),
      weight: -1,
      icon: <Icon of={Hash} />,
      path: pathTo('channel', { channelId: channel.id }),
      run: openPath(pathTo('channel', { channelId: channel.id })),
    }))
}

function useOtherWorkspaces(onClose: () => void): PaletteItem[] {
  return useWorkspaces()
    .filter((workspace) => !workspace.isShown)
    .map(({ mentions, ...workspace }) => ({
      key: workspace.id,
      kind: 'pages',
      name: workspace.name,
      hint: i18n._('Workspace'),
      weight: -2,
      icon: <WorkspaceIcon workspace={workspace} />,
      unread: unreadBadge({ kind: 'public', unread: 0, mentions, muted: false }),
      run: () => {
        onClose()
        showWorkspace(workspace.id)
      },
    }))
}

function useCommands(onClose: () => void, openPath: (path: string) => () => void): PaletteItem[] {
  const me = useMe()
  const open = useOverlay()
  const showToast = useToast()
  const openDirectMessage = useOpenDirectMessage()
  const manualPresence = usePresenceChoice(me.profile.id)
  const runAndReport = (send: () => Promise<Outcome>) => async () => {
    onClose()
    const outcome = await send()
    if (!outcome.ok) showToast({ text: outcome.failure.message })
  }
  const command = (name: string, run: () => void, also?: string): PaletteItem => ({
    key: name,
    kind: 'commands',
    name,
    ...(also ? { also } : {}),
    weight: -2,
    icon: <Icon of={ArrowRight} />,
    run,
  })
  const page = (name: string, path: string, also?: string): PaletteItem => ({
    ...command(name, openPath(path), also),
    kind: 'pages',
    path,
  })
  const isFullMember = me.role !== 'guest'
  return [
    page(i18n._('Search messages'), pathTo('search')),
    page(i18n._('Threads'), pathTo('threads')),
    page(i18n._('Drafts'), pathTo('drafts')),
    page(i18n._('Scheduled'), pathTo('scheduled')),
    page(i18n._('Saved'), pathTo('saved')),
    page(i18n._('Files'), pathTo('files'), i18n._('Images, PDFs and everything else people have shared')),
    page(i18n._('People directory'), pathTo('people'), i18n._('Names, titles and local times of everyone')),
    command(i18n._('New conversation'), () => open({ kind: 'new-conversation' })),
    command(i18n._('Set a status'), () => open({ kind: 'status' })),
    ...(manualPresence === 'auto'
      ? [
          command(
            i18n._('Do not disturb for 1 hour'),
            () => void runAndReport(() => setPresence('dnd', endOf('hour')))(),
          ),
          command(
            i18n._('Do not disturb until tomorrow'),
            () => void runAndReport(() => setPresence('dnd', endOf('morning')))(),
          ),
        ]
      : [command(i18n._('Set yourself as active'), () => void runAndReport(() => setPresence('auto'))())]),
    command(
      i18n._('Notes to yourself'),
      () => {
        onClose()
        void openDirectMessage([])
      },
      me.profile.name,
    ),
    ...(canCreateChannels(me)
      ? [command(i18n._('Create a channel'), () => open({ kind: 'create-channel' }))]
      : []),
    ...(isFullMember ? [command(i18n._('Browse channels'), () => open({ kind: 'browse-channels' }))] : []),
    ...(me.role === 'owner'
      ? [command(i18n._('Create a workspace'), () => open({ kind: 'create-workspace' }))]
      : []),
    ...(canInvite(me) ? [command(i18n._('Invite people'), () => open({ kind: 'invite' }))] : []),
    page(i18n._('Settings'), pathTo('settings'), i18n._('Profile, appearance, language, sign out')),
    command(i18n._('Keyboard shortcuts'), () => open({ kind: 'keys' })),
  ]
}
