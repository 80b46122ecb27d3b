import { useEffect, useState } from 'react'
import type { Uuid } from '../../../wire/linnet.ts'
import { channelPeople } from '../../data/channels/channelCommands.ts'

export type ChannelPerson = { profile_id: Uuid; role: 'admin' | 'member' }

/** What was last known, so that coming back to a channel shows its people at once. */
const cache = new Map<Uuid, ChannelPerson[]>()

/** Who belonged to a channel when it was asked last; null where nobody asked. */
export function cachedChannelPeople(channelId: Uuid): readonly ChannelPerson[] | null {
  return cache.get(channelId) ?? null
}

/**
 * Who belongs to a channel; null until known. Asked again when `moved` changes, which is the channel's
 * `meta_rev`: it rises when someone comes or goes.
 */
export function useChannelPeople(channelId: Uuid, metaRev: number): ChannelPerson[] | null {
  const [answer, setAnswer] = useState<{ channelId: Uuid; people: ChannelPerson[] } | null>(null)
  useEffect(() => {
    let isCurrent = true
    void channelPeople(channelId).then((outcome) => {
      if (!outcome.ok || !isCurrent || metaRev < 0) return
      cache.set(channelId, outcome.value)
      setAnswer({ channelId, people: outcome.value })
    })
    return () => {
      isCurrent = false
    }
  }, [channelId, metaRev])
  return answer?.channelId === channelId ? answer.people : (cache.get(channelId) ?? null)
}
