import { useEffect, useState } from 'react'
import type { Uuid } from '../../../wire/scalars.ts'
import { channelPeople } from '../../data/channels/channelCommands.ts'

export type ChannelPerson = { profile_id: Uuid; role: 'admin' | 'member' }

/** Members as last fetched, so that a channel that is opened again shows them at once. */
const cache = new Map<Uuid, ChannelPerson[]>()

/** The members as last fetched; null if they were never fetched. */
export function cachedChannelPeople(channelId: Uuid): readonly ChannelPerson[] | null {
  return cache.get(channelId) ?? null
}

/**
 * The members of a channel; null until loaded. Fetched again when `metaRev` changes: the channel's `meta_rev` rises
 * when somebody joins or leaves.
 */
export function useChannelPeople(channelId: Uuid, metaRev: number): ChannelPerson[] | null {
  const [fetched, setFetched] = useState<{ channelId: Uuid; people: ChannelPerson[] } | null>(null)
  useEffect(() => {
    let isCurrent = true
    void channelPeople(channelId).then((outcome) => {
      if (!outcome.ok || !isCurrent || metaRev < 0) return
      cache.set(channelId, outcome.value)
      setFetched({ channelId, people: outcome.value })
    })
    return () => {
      isCurrent = false
    }
  }, [channelId, metaRev])
  return fetched?.channelId === channelId ? fetched.people : (cache.get(channelId) ?? null)
}
