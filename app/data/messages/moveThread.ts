import { i18n } from '@lingui/core'
import { registerSentences } from '../failures/failures.ts'

registerSentences({
  message_moved: () => i18n._('This thread was already moved.'),
  move_readers: () => i18n._('Who can read that channel has changed. Check the numbers, then try again.'),
  move_reveals: () =>
    i18n._(
      'More people can read that channel, but not everyone who wrote or reacted here can. Move it to a channel that they can all read.',
    ),
  replies_at_most_500: () => i18n._('Threads with more than 500 replies can’t be moved.'),
})
