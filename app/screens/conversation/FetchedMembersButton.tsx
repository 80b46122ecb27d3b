import { channelPeople } from '../../data/channels/channelPeople.ts'
import type { ChannelWithPermissions } from '../../data/channels/channels.ts'
import { useQuery } from '../../data/queries/useQuery.ts'
import { MembersButton } from './MembersButton.tsx'

interface Props {
  channel: ChannelWithPermissions
  onOpen: () => void
}

/** Fetches the members for their button. The first download does not contain queries. */
export default function FetchedMembersButton({ channel, onOpen }: Props) {
  const { value } = useQuery(channelPeople, [channel.id], { revision: channel.entry.counters.meta_rev })
  return <MembersButton people={value} onOpen={onOpen} />
}
