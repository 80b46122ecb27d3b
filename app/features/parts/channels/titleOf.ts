import { isChannel } from '../../../../wire/channels.ts'
import type { ChannelWithPermissions } from '../../../data/channels/channels.ts'

/** "#rota", or the names of the people in the conversation. */
export function titleOf(channel: Pick<ChannelWithPermissions, 'kind' | 'name'>): string {
  return isChannel(channel) ? `#${channel.name}` : channel.name
}
