import type { Uuid } from '../../../wire/scalars.ts'
import { displayedMember } from '../people/displayedMember.ts'
import { getClientSession } from '../session/clientSession.ts'

/** The name of a person, a channel or a group (`&id`) that a text mentions; null if it is not loaded. */
export function mentionedName(id: Uuid): string | null {
  const state = getClientSession()?.store.get()
  return (
    displayedMember(state?.members.get(id))?.profile.name ??
    state?.channels.get(id)?.entry.channel.name ??
    state?.userGroups?.find((group) => group.id === id)?.name ??
    null
  )
}
