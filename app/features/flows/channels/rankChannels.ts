import type { Channel } from '../../../../wire/channels.ts'
import { rank } from '../../parts/matching/rank.ts'

/** A channel in the channel browser. */
export interface ListedChannel {
  channel: Channel
  /** Number of members. */
  members: number
  member: boolean
  /** Null before the first message. */
  last_message_at: string | null
}

export type ChannelFilter = 'all' | 'mine' | 'archived'
export type Order = 'name' | 'people' | 'active' | 'new'

const collator = new Intl.Collator(undefined, { numeric: true })

const ORDERS: Record<Order, (a: ListedChannel, b: ListedChannel) => number> = {
  name: () => 0,
  people: (a, b) => b.members - a.members,
  active: (a, b) => (b.last_message_at ?? '').localeCompare(a.last_message_at ?? ''),
  new: (a, b) => b.channel.created_at.localeCompare(a.channel.created_at),
}

/**
 * The channels that match the filter, in the given order. With a query: best match first; topic and description are
 * searched too.
 */
export function rankChannels(
  all: readonly ListedChannel[],
  query: string,
  filter: ChannelFilter,
  order: Order,
): ListedChannel[] {
  const included = all.filter(({ channel, member }) => {
    if (filter === 'archived') return channel.archived_at !== null
    return channel.archived_at === null && (filter === 'all' || member)
  })
  const named = included
    .map((found) => ({ name: found.channel.name ?? '', found }))
    .sort((a, b) => ORDERS[order](a.found, b.found) || collator.compare(a.name, b.name))
  if (!query.trim()) return named.map(({ found }) => found)
  const hits = rank(named, query)
  const others = named
    .filter((one) => !hits.includes(one))
    .map(({ found }) => ({ name: `${found.channel.topic} ${found.channel.description}`, found }))
  return [...hits, ...rank(others, query)].map(({ found }) => found)
}
