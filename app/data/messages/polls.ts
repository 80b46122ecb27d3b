import { i18n } from '@lingui/core'
import type { Message } from '../../../wire/messages.ts'
import { callCommand } from '../client/callCommand.ts'
import { registerSentences } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { withOptimisticUpdates } from '../mutations/currentOptimisticUpdates.ts'
import { applyMessage } from './applyMessage.ts'
import { setReaction } from './messages.ts'
import { isPollKey, pollKey } from './reactionKeys.ts'

registerSentences({
  bad_poll: () => i18n._('A poll needs 2 to 20 different options of up to 200 characters.'),
  poll_closes_in_the_past: () => i18n._('Choose a closing time within the next year.'),
  poll_closed: () => i18n._('This poll is closed.'),
  not_a_poll: () => i18n._('This message has no poll.'),
})

/** Votes for an option or takes the vote back; displayed at once. With a single choice it replaces the earlier one. */
export async function vote(message: Message, option: number, on: boolean): Promise<Outcome> {
  const key = pollKey(option)
  if (on && message.extras?.poll?.multiple === false) {
    const others = withOptimisticUpdates(message).reactions.filter(
      ({ emoji, mine }) => isPollKey(emoji) && emoji !== key && mine === true,
    )
    for (const { emoji } of others) {
      // oxlint-disable-next-line no-await-in-loop -- queued in this order
      const outcome = await setReaction(message, emoji, false)
      if (!outcome.ok) return outcome
    }
  }
  return setReaction(message, key, on)
}

/** Ends a poll now. */
export function closePoll(message: Message): Promise<Outcome> {
  return applyMessage(callCommand('close_poll', { message: message.id }))
}
