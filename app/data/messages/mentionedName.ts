import type { Uuid } from '../../../wire/scalars.ts'
import { getClientSession } from '../session/clientSession.ts'

/** The name of a person or channel that a text mentions; null if it is not loaded. */
export function mentionedName(id: Uuid): string | null {
  const state = getClientSession()?.store.get()
  return state?.members.get(id)?.profile.name ?? state?.channels.get(id)?.entry.channel.name ?? null
}
