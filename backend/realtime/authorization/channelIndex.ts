import type { Channel } from '../sockets/channel.ts'

/** Channels by the auth user whose token they were joined with, those still joining included. */
export interface ChannelIndex {
  add(channel: Channel): void
  remove(channel: Channel): void
  ofUser(userId: string): Channel[]
  all(): Channel[]
  size(): number
  /** The `count` channels that were added, or taken by this, longest ago. */
  takeOldest(count: number): Channel[]
}

export function createChannelIndex(): ChannelIndex {
  const byUser = new Map<string, Set<Channel>>()
  // Oldest first.
  const byAge = new Set<Channel>()
  const userOf = (channel: Channel): string => channel.caller.claims.sub ?? ''
  return {
    add(channel) {
      const channels = byUser.get(userOf(channel))
      if (channels) channels.add(channel)
      else byUser.set(userOf(channel), new Set([channel]))
      byAge.add(channel)
    },
    remove(channel) {
      const channels = byUser.get(userOf(channel))
      channels?.delete(channel)
      if (channels?.size === 0) byUser.delete(userOf(channel))
      byAge.delete(channel)
    },
    ofUser: (userId) => [...(byUser.get(userId) ?? [])],
    all: () => [...byAge],
    size: () => byAge.size,
    takeOldest(count) {
      const taken: Channel[] = []
      for (const channel of byAge) {
        if (taken.length >= count) break
        taken.push(channel)
      }
      for (const channel of taken) {
        byAge.delete(channel)
        byAge.add(channel)
      }
      return taken
    },
  }
}
