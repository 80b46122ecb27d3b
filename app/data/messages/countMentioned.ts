import type { Uuid } from '../../../wire/scalars.ts'
import { channelPeople } from '../channels/channelPeople.ts'
import { presenceOf } from '../people/presence.ts'
import { getClientSession } from '../session/clientSession.ts'

/** How many others `@channel` or `@here` would notify; null when unknown. */
export async function countMentioned(channelId: Uuid, mention: 'channel' | 'here'): Promise<number | null> {
  const session = getClientSession()
  const entry = session?.store.get().channels.get(channelId)?.entry
  if (!session || !entry) return null
  let { people } = entry.channel
  if (people === null) {
    const outcome = await channelPeople.load(channelId)
    if (!outcome.ok) return null
    people = outcome.value.map((one) => one.profile_id)
  }
  const { members, presence } = session.store.get()
  const others = people.filter((id) => id !== session.store.get().me?.profile.id)
  const isHere = (id: Uuid) =>
    presenceOf(members.get(id)?.profile, presence.get(id) ?? 'offline', Date.now()) === 'active'
  return mention === 'channel' ? others.length : others.filter(isHere).length
}
