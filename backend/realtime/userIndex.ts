import type { Channel } from './channel.ts'

/** Channels by the auth user whose token they were joined with, those still joining included. */
export interface UserIndex {
  add(channel: Channel): void
  remove(channel: Channel): void
  of(userId: string): Channel[]
  all(): Channel[]
}

export function createUserIndex(): UserIndex {
  const byUser = new Map<string, Set<Channel>>()
  const userOf = (channel: Channel): string => channel.caller.claims.sub ?? ''
  return {
    add(channel) {
      const channels = byUser.get(userOf(channel))
      if (channels) channels.add(channel)
      else byUser.set(userOf(channel), new Set([channel]))
    },
    remove(channel) {
      const channels = byUser.get(userOf(channel))
      channels?.delete(channel)
      if (channels?.size === 0) byUser.delete(userOf(channel))
    },
    of: (userId) => [...(byUser.get(userId) ?? [])],
    all: () => [...byUser.values()].flatMap((channels) => Array.from(channels)),
  }
}
