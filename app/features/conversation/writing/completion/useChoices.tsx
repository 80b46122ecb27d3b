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
import { useMembers } from '../../../../data/people/people.ts'
import { canMentionEveryone } from '../../../../data/workspaces/workspacePermissions.ts'
import { isChannel } from '../../../../../wire/channels.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import { EmojiText } from '../../../parts/emoji/EmojiText.tsx'
import { recordEmojiUse } from '../../../parts/emoji/recentEmoji.ts'
import { suggestEmoji } from '../../../parts/emoji/suggestEmoji.ts'
import { Avatar } from '../../../parts/members/avatar/Avatar.tsx'
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

/** People whose name matches, members of the conversation first, then groups and mass mentions. */
function usePersonChoices(query: string | null, channelId: string): Choice[] | null {
  const me = useMe()
  const channel = useClientSession((session) => session?.store.get().channels.get(channelId)?.entry ?? null)
  const members = useMembers()
  const groups = useUserGroups()
  const hasMembers = query !== null && channel !== null && isChannel(channel.channel)
  const { value: joined } = useQuery(hasMembers ? channelPeople : null, [channelId])
  if (query === null) return null
  const memberIds = joined && new Set(joined.map((one) => one.profile_id))
  const others = members
    .filter(({ profile, state }) => state === 'active' && profile.id !== me.profile.id)
    .map(({ profile: { id, name } }) => ({
      id,
      name,
      isNonMember: memberIds !== undefined && !memberIds.has(id),
    }))
    .sort((a, b) => Number(a.isNonMember) - Number(b.isNonMember))
  const mayMentionEveryone =
    !channel || !isChannel(channel.channel) || canMentionEveryone(me, channel.channel_role)
  const everyone = [
    { name: 'channel', hint: i18n._('Everyone in this conversation') },
    { name: 'here', hint: i18n._('Everyone active right now') },
  ]
  return [
    ...matchNames(others, query, MAX_CHOICES).map(({ id, name, isNonMember }) => ({
      key: id,
      icon: <Avatar id={id} name={name} size={24} />,
      label: name,
      hint: isNonMember ? i18n._('not in this conversation') : '',
      insert: `@${name}`,
      mentioned: { id, name },
    })),
    ...matchNames(
      groups.filter(({ isArchived }) => !isArchived),
      query,
      MAX_CHOICES,
    ).map(({ id, name, description }) => ({
      key: id,
      icon: <span className={styles.sign}>@</span>,
      label: name,
      hint: description,
      insert: `@${name}`,
      mentioned: { id, name },
    })),
    ...(query && mayMentionEveryone ? matchNames(everyone, query) : []).map(({ name, hint }) => ({
      key: name,
      icon: <span className={styles.sign}>@</span>,
      label: name,
      hint,
      insert: `@${name}`,
    })),
  ]
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
