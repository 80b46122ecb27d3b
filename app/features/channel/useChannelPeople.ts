import { useEffect, useState } from 'react'
import type { Uuid } from '../../../wire/linnet.ts'
import { channelPeople } from '../../data/channels/channelCommands.ts'

export type ChannelPerson = { profile_id: Uuid; role: 'admin' | 'member' }

/** What was last known, so that coming back to a channel shows its people at once. */
const known = new Map<Uuid, ChannelPerson[]>()

/** Who belonged to a channel when it was asked last; null where nobody asked. */
export function lastKnownPeople(channelId: Uuid): readonly ChannelPerson[] | null {
  return known.get(channelId) ?? null
}

/**
 * Who belongs to a channel; null until known. Asked again when `moved` changes, which is the channel's
 * `meta_rev`: it rises when someone comes or goes.
 */
export function useChannelPeople(channelId: Uuid, moved: number): ChannelPerson[] | null {
  const [answer, setAnswer] = useState<{ channelId: Uuid; people: ChannelPerson[] } | null>(null)
  useEffect(() => {
    let wanted = true
    void channelPeople(channelId).then((outcome) => {
      if (!outcome.ok || !wanted || moved < 0) return
      known.set(channelId, outcome.value)
      setAnswer({ channelId, people: outcome.value })
    })
    return () => {
      wanted = false
    }
  }, [channelId, moved])
  return answer?.channelId === channelId ? answer.people : (known.get(channelId) ?? null)
}
