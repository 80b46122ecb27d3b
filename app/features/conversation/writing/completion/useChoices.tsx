import { i18n } from '@lingui/core'
import Hash from 'lucide-react/icons/hash'
import Lock from 'lucide-react/icons/lock'
import { useEffect, useMemo, useState } from 'react'
import { channelPeople } from '../../../../data/channels/channelPeople.ts'
import { publicChannels } from '../../../../data/channels/publicChannels.ts'
import { useChannel, useSidebar, type SidebarItem } from '../../../../data/channels/channels.ts'
import { useUserGroups } from '../../../../data/userGroups/useUserGroups.ts'
import { useClientSession } from '../../../../data/hooks/useClientSession.ts'
import { useQuery } from '../../../../data/queries/useQuery.ts'
import { useMembers, usePresence } from '../../../../data/people/people.ts'
import { hasStatus } from '../../../../data/people/presence.ts'
import type { Profile } from '../../../../../wire/people.ts'
import { canMentionEveryone } from '../../../../data/workspaces/workspacePermissions.ts'
import { isChannel } from '../../../../../wire/channels.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import { EmojiText } from '../../../parts/emoji/EmojiText.tsx'
import { recordEmojiUse } from '../../../parts/emoji/recentEmoji.ts'
import { suggestEmoji } from '../../../parts/emoji/suggestEmoji.ts'
import { AvatarWithPresence } from '../../../parts/members/avatar/AvatarWithPresence.tsx'
import { presenceLabel } from '../../../parts/members/presenceLabel.ts'
import { statusText } from '../../../parts/members/StatusEmoji.tsx'
import { useMe } from '../../../parts/members/MeContext.ts'
import { findSlashCommands } from '../../slashCommands/findSlashCommands.ts'
import type { SlashCommand } from '../../slashCommands/SlashCommand.ts'
import type { Choice } from './Choice.ts'
import styles from './CompletionList.module.css'
import type { Trigger } from './completionAt.ts'
import { matchNames } from '../../../parts/matching/matchNames.ts'

const MAX_CHOICES = 8
const NONE: readonly never[] = []

/** The suggestions for what is being typed; none while they are loading. */
export function useChoices(
  trigger: Trigger | null,
  channelId: string,
  threadRoot: string | null,
): readonly Choice[] {
  const kind = trigger?.kind
  const query = trigger?.query ?? ''
  const people = usePersonChoices(kind === 'person' ? query : null, channelId)
  const channels = useChannelChoices(kind === 'channel' ? query : null)
  const commands = useSlashCommandChoices(kind === 'command' ? query : null, channelId, threadRoot)
  const emoji = useEmojiChoices(kind === 'emoji' ? query : null)
  return people ?? channels ?? commands ?? emoji ?? NONE
}

/** At most this many groups and mass mentions. */
const MAX_SETS = 3
/** Partners of direct conversations that come before other people, the last one first. */
const MAX_PARTNERS = 20

/**
 * People, groups and mass mentions whose name matches. Members of the conversation and the latest partners of direct
 * conversations come before other people.
 */
function usePersonChoices(query: string | null, channelId: string): Choice[] | null {
  const me = useMe()
  const channel = useClientSession((session) => session?.store.get().channels.get(channelId)?.entry ?? null)
  const members = useMembers()
  const { directs } = useSidebar()
  const groups = useUserGroups()
  const hasMembers = query !== null && channel !== null && isChannel(channel.channel)
  const { value: joined } = useQuery(hasMembers ? channelPeople : null, [channelId])
  const people = useMemo(() => {
    const memberIds = joined && new Set(joined.map((one) => one.profile_id))
    const partners = new Map(
      directs
        .slice(0, MAX_PARTNERS)
        .flatMap(({ kind, people: [one] }, at) => (kind === 'direct' && one ? [[one.id, at] as const] : [])),
    )
    const others = members
      .filter(({ profile, state }) => state === 'active' && profile.id !== me.profile.id)
      .map(({ profile }) => ({
        profile,
        name: profile.name,
        isNonMember: memberIds !== undefined && !memberIds.has(profile.id),
        rank: partners.get(profile.id) ?? MAX_PARTNERS,
      }))
      .sort((a, b) => a.rank - b.rank)
    const isNear = ({ isNonMember, rank }: (typeof others)[number]) => !isNonMember || rank < MAX_PARTNERS
    return { near: others.filter(isNear), far: others.filter((one) => !isNear(one)) }
  }, [members, directs, joined, me.profile.id])
  if (query === null) return null
  const mayMentionEveryone =
    !channel || !isChannel(channel.channel) || canMentionEveryone(me, channel.channel_role)
  const everyone = [
    { id: null, name: 'channel', hint: i18n._('Everyone in this conversation') },
    { id: null, name: 'here', hint: i18n._('Everyone active right now') },
  ]
  const sets = matchNames(
    [
      ...groups
        .filter(({ isArchived }) => !isArchived)
        .map(({ id, name, description }) => ({ id, name, hint: description })),
      ...(query && mayMentionEveryone ? everyone : []),
    ],
    query,
    MAX_SETS,
  )
  const max = MAX_CHOICES - sets.length
  const near = matchNames(people.near, query, max)
  const found = [...near, ...matchNames(people.far, query, max - near.length)]
  return [...found.map(personChoice), ...sets.map(setChoice)]
}

/** A choice of several people at once. `id`: of a group; null for a mass mention. */
function setChoice({ id, name, hint }: { id: string | null; name: string; hint: string }): Choice {
  const icon = <span className={styles.sign}>@</span>
  const choice = { key: id ?? name, icon, label: name, hint, insert: `@${name}` }
  return id === null ? choice : { ...choice, mentioned: { id, name } }
}

function personChoice({ profile, isNonMember }: { profile: Profile; isNonMember: boolean }): Choice {
  const { id, name, title } = profile
  const status = hasStatus(profile, Date.now()) ? statusText(profile) : ''
  const outside = isNonMember ? i18n._('not in this conversation') : ''
  return {
    key: id,
    icon: <PersonIcon id={id} name={name} />,
    label: name,
    hint: [outside, title, status].filter(Boolean).join(' · '),
    insert: `@${name}`,
    mentioned: { id, name },
  }
}

function PersonIcon({ id, name }: { id: string; name: string }) {
  const presence = usePresence(id)
  return <AvatarWithPresence id={id} name={name} presence={presence} label={presenceLabel(presence)} />
}

interface NamedChannel {
  id: string
  name: string
  isPrivate: boolean
  isJoined: boolean
}

/** Channels that the reader can read, joined ones first. */
function useChannelChoices(query: string | null): Choice[] | null {
  const { channels } = useSidebar()
  const others = useOtherChannels(query !== null)
  if (query === null) return null
  return matchNames([...channels.map(joined), ...others], query, MAX_CHOICES).map(
    ({ id, name, isPrivate, isJoined }) => ({
      key: id,
      icon: <Icon of={isPrivate ? Lock : Hash} {...(isPrivate ? { label: i18n._('private') } : {})} />,
      label: name,
      hint: isJoined ? '' : i18n._('Not joined'),
      insert: `#${name}`,
      mentioned: { id, name, isChannel: true },
    }),
  )
}

function joined({ id, name, kind }: SidebarItem): NamedChannel {
  return { id, name, isPrivate: kind === 'private', isJoined: true }
}

/** Public channels that the reader has not joined, fetched when they are first needed. Guests have none. */
function useOtherChannels(isNeeded: boolean): readonly NamedChannel[] {
  const isGuest = useMe().role === 'guest'
  const { value } = useQuery(isNeeded && !isGuest ? publicChannels : null)
  return useMemo(
    () =>
      (value ?? [])
        .filter(({ member, channel }) => !member && channel.name !== null)
        .map(({ channel }) => ({
          id: channel.id,
          name: channel.name ?? '',
          isPrivate: false,
          isJoined: false,
        })),
    [value],
  )
}

/** Until those of a longer query are found, those of the one before are shown. */
function useEmojiChoices(query: string | null): readonly Choice[] | null {
  const [found, setFound] = useState<readonly Choice[]>(NONE)
  useEffect(() => {
    let isCurrent = true
    // Rejects offline, if its data was never loaded.
    const loading = query === null ? Promise.resolve([]) : suggestEmoji(query, MAX_CHOICES).catch(() => [])
    void loading.then((suggestions) => {
      if (!isCurrent) return
      setFound(
        suggestions.map(({ text, shortcode, label }) => ({
          key: shortcode,
          icon: <EmojiText text={text} />,
          label: `:${shortcode}:`,
          hint: label === shortcode ? '' : label,
          insert: text,
          onPick: () => recordEmojiUse(text),
        })),
      )
    })
    return () => {
      isCurrent = false
    }
  }, [query])
  return query === null ? null : found
}

function useSlashCommandChoices(
  query: string | null,
  channelId: string,
  threadRoot: string | null,
): Choice[] | null {
  const commands = useSlashCommands(query === null ? null : channelId, threadRoot)
  if (query === null) return null
  const folded = query.toLowerCase()
  return commands
    .filter(({ name }) => name.startsWith(folded))
    .map(({ name, hint, description, botName }) => ({
      key: name,
      icon: <span className={styles.sign}>/</span>,
      label: hint ? `${name} ${hint}` : name,
      hint: botName ? `${description} · ${botName}` : description,
      insert: `/${name}`,
    }))
}

/** The commands of a channel or thread; none until they are loaded, or where the channel is null. */
export function useSlashCommands(
  channelId: string | null,
  threadRoot: string | null,
): readonly SlashCommand[] {
  const me = useMe()
  const channel = useChannel(channelId ?? '')
  const [found, setFound] = useState<{ channelId: string; commands: readonly SlashCommand[] } | null>(null)
  const isNeeded = channelId !== null
  useEffect(() => {
    if (!isNeeded || typeof channel === 'string') return
    let isCurrent = true
    void findSlashCommands({ channel, threadRoot, me }, (commands) => {
      if (isCurrent) setFound({ channelId: channel.id, commands })
    })
    return () => {
      isCurrent = false
    }
  }, [isNeeded, channel, threadRoot, me])
  return channelId !== null && found?.channelId === channelId ? found.commands : NONE
}
