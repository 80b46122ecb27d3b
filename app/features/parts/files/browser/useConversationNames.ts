import { i18n } from '@lingui/core'
import { publicChannels } from '../../../../data/channels/publicChannels.ts'
import { useSidebar } from '../../../../data/channels/channels.ts'
import { isolateBidi } from '../../../../data/people/isolateBidi.ts'
import { useQuery } from '../../../../data/queries/useQuery.ts'
import { useMe } from '../../members/MeContext.ts'

/** Names of conversations as shown with a file: "#lobby", "with Bea Lindqvist". */
export function useConversationNames(isNeeded: boolean): ReadonlyMap<string, string> {
  const { channels, directs } = useSidebar()
  const isGuest = useMe().role === 'guest'
  // Files of public channels that the reader has not joined are listed too.
  const others = useQuery(isNeeded && !isGuest ? publicChannels : null)
  const names = new Map<string, string>()
  if (!isNeeded) return names
  for (const { channel } of others.value ?? []) names.set(channel.id, `#${channel.name ?? ''}`)
  for (const item of channels) names.set(item.id, `#${item.name}`)
  for (const item of directs) {
    // Next to the author, a bare name would look like a second author.
    names.set(item.id, item.selfDirect ? item.name : i18n._('with {name}', { name: isolateBidi(item.name) }))
  }
  return names
}
