import { i18n } from '@lingui/core'
import { LIMITS } from '../../../wire/limits.ts'
import type { Message, SavedMessage } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { createFailure, registerSentences, success } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { memoizeByKey } from '../hooks/memoize.ts'
import { useClientSession } from '../hooks/useClientSession.ts'
import type { Mutations } from '../mutations/mutation.ts'
import type { SavedItem } from '../mutations/mutationKind.ts'
import { applyToRows } from '../mutations/optimisticUpdates.ts'
import { getClientSession } from '../session/clientSession.ts'
import type { ClientSession } from '../session/clientSession.ts'

registerSentences({
  saved_at_most_500: () =>
    i18n._('You’ve reached the limit of 500 saved messages. Remove one to save another.'),
})

export type { SavedItem }
export type SavedState = SavedMessage['state']

const savedOf = memoizeByKey(
  (
    before: ReadonlyMap<Uuid, SavedItem> | undefined,
    rows: ReadonlyMap<Uuid, SavedMessage>,
    mutations: Mutations,
  ): ReadonlyMap<Uuid, SavedItem> => applyToRows('saved', rows, mutations, before),
)

const NONE: ReadonlyMap<Uuid, SavedItem> = new Map()

function savedMessages(session: ClientSession | null): ReadonlyMap<Uuid, SavedItem> {
  return session ? savedOf('', session.store.get().saved, session.outbox.mutations()) : NONE
}

/** What the user has saved for later, by message, with pending changes. */
export function useSavedMessages(): ReadonlyMap<Uuid, SavedItem> {
  return useClientSession(savedMessages)
}

/** Saves a message for later, marks it as done, or removes it from the list (null). Displayed at once. */
export async function saveMessage(
  message: Pick<Message, 'id' | 'channel_id'>,
  saved: SavedState | null,
): Promise<Outcome> {
  const session = getClientSession()
  if (!session) return { ok: false, failure: createFailure('session_ended') }
  const known = savedMessages(session)
  if (saved && !known.has(message.id) && known.size >= LIMITS.savedMessages)
    return { ok: false, failure: createFailure('saved_at_most_500') }
  const { id, channel_id: channel } = message
  await session.outbox.put({ kind: 'saveMessage', id: crypto.randomUUID(), channel, message: id, saved })
  return success(undefined)
}
