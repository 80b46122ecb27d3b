import type { ChannelWithPermissions } from '../../data/channels/channels.ts'

/** Whether it is a channel with a name of its own; a direct conversation has the names of its people. */
export function isChannel({ kind }: Pick<ChannelWithPermissions, 'kind'>): boolean {
  return kind === 'public' || kind === 'private'
}

/** "#rota", or the names of the people in the conversation. */
export function titleOf(channel: Pick<ChannelWithPermissions, 'kind' | 'name'>): string {
  return isChannel(channel) ? `#${channel.name}` : channel.name
}
