import { i18n } from '@lingui/core'
import type { Message } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import { registerSentences, success } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { createQuery } from '../queries/createQuery.ts'
import { getClientSession } from '../session/clientSession.ts'

registerSentences({
  message_moved: () => i18n._('This thread was already moved.'),
  move_readers: () => i18n._('Who can read that channel has changed. Check the numbers, then try again.'),
  slow_mode_thread: () =>
    i18n._('That channel has slow mode. Only messages without replies can be moved there.'),
  move_reveals: () =>
    i18n._(
      'In that channel, more people could see what others wrote here and how they reacted or voted. Choose a channel with the same readers.',
    ),
  replies_at_most_500: () => i18n._('Threads with more than 500 replies can’t be moved.'),
})

/** How many replies would move, and how many people can no longer, and can newly, read them. */
export const movePreview = createQuery({
  fetch: (message: Uuid, channel: Uuid) => callCommand('preview_move', { message, channel }),
})

/**
 * Moves a message with its replies to another channel. `id`: of the new root, the same when it is tried again.
 * `acceptedReaders`: how many people the user has agreed to that can newly read it.
 */
export async function moveThread(
  id: Uuid,
  message: Uuid,
  channel: Uuid,
  acceptedReaders: number,
): Promise<Outcome<Message>> {
  const outcome = await callCommand('move_thread', {
    id,
    message,
    channel,
    accepted_readers: acceptedReaders,
  })
  if (!outcome.ok) {
    // Others may read the channel now.
    movePreview.invalidate()
    return outcome
  }
  for (const changed of [outcome.value.moved, outcome.value.message])
    getClientSession()?.store.dispatch({ type: 'messageReceived', message: changed })
  return success(outcome.value.message)
}
