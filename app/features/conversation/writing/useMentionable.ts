import { useNamedChannels, type NamedChannel } from '../../../data/channels/channels.ts'
import { memoizeByKey } from '../../../data/hooks/memoize.ts'
import { useMembers } from '../../../data/people/people.ts'
import { useUserGroups } from '../../../data/userGroups/useUserGroups.ts'
import type { Mentionable } from '../../../../wire/body/encodeMentions.ts'

const listOf = memoizeByKey(
  (
    _before: readonly Mentionable[] | undefined,
    members: ReturnType<typeof useMembers>,
    groups: ReturnType<typeof useUserGroups>,
    channels: readonly NamedChannel[],
  ): readonly Mentionable[] => [
    // Somebody who was removed may have the name of a member.
    ...members.filter(({ state }) => state === 'active').map(({ profile }) => profile),
    ...groups,
    ...channels,
  ],
)

/** What a text can mention: members, groups and the user's channels. All fields share one list. */
export function useMentionable(): readonly Mentionable[] {
  const members = useMembers()
  const groups = useUserGroups()
  return listOf('all', members, groups, useNamedChannels())
}
