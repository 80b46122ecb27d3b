import { i18n } from '@lingui/core'
import { browseChannels } from '../../../data/channels/manageChannels.ts'
import { useSidebar } from '../../../data/channels/channels.ts'
import { success } from '../../../data/failures/failures.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { useAsync } from '../../../ui/useAsync.ts'
import { useMe } from '../../members/MeContext.ts'

const returnNone = async () => success([])

/** Names of conversations as shown with a file: "#lobby", "with Bea Lindqvist". */
export function useConversationNames(isNeeded: boolean): ReadonlyMap<string, string> {
  const { channels, directs } = useSidebar()
  const isGuest = useMe().role === 'guest'
  // Files of public channels that the reader has not joined are listed too.
  const others = useAsync(isNeeded && !isGuest ? browseChannels : returnNone)
  const names = new Map<string, string>()
  if (!isNeeded) return names
  if (others?.ok) for (const { channel } of others.value) names.set(channel.id, `#${channel.name ?? ''}`)
  for (const item of channels) names.set(item.id, `#${item.name}`)
  for (const item of directs) {
    // Next to the author, a bare name would look like a second author.
    names.set(item.id, item.selfDirect ? item.name : i18n._('with {name}', { name: isolateBidi(item.name) }))
  }
  return names
}
