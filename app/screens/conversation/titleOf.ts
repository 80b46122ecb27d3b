import type { ChannelView } from '../../data/channels/channels.ts'

/** "#rota", or the names of the people one writes with. */
export function titleOf(channel: Pick<ChannelView, 'kind' | 'name'>): string {
  return channel.kind === 'public' || channel.kind === 'private' ? `#${channel.name}` : channel.name
}
