import { i18n } from '@lingui/core'
import { useLocation } from 'wouter'
import type { Message } from '../../../../wire/linnet.ts'
import { markUnread, toggleReaction } from '../../../data/messages.ts'
import type { Outcome } from '../../../data/failures.ts'
import { useNotice } from '../../../ui/notice.ts'
import { removeMessage, undoRemoval } from '../removals.ts'

export interface MessageDeeds {
  react: (emoji: string) => void
  reply: () => void
  markUnread: () => void
  copyLink: () => void
  copyText: () => void
  remove: () => void
}

/** What can be done to one message; each failure is told in a line at the foot of the page. */
export function useMessageDeeds(message: Message): MessageDeeds {
  const notice = useNotice()
  const [, navigate] = useLocation()
  const tell = (outcome: Outcome<unknown>) => {
    if (!outcome.ok) notice({ words: outcome.failure.sentence })
  }
  const copy = async (text: string, done: string) => {
    try {
      await navigator.clipboard.writeText(text)
      notice({ words: done })
    } catch {
      notice({ words: i18n._('The browser did not let Linnet copy it.') })
    }
  }
  return {
    react: (emoji) => void toggleReaction(message, emoji).then(tell),
    reply: () => navigate(`/c/${message.channel_id}/t/${message.thread_root ?? message.id}`),
    markUnread: () => {
      const done = i18n._('Marked unread from here.')
      void markUnread(message.channel_id, message.seq ?? message.base_seq).then((outcome) =>
        outcome.ok ? notice({ words: done }) : tell(outcome),
      )
    },
    copyLink: () => void copy(location.origin + placeOf(message), i18n._('Link copied.')),
    copyText: () => void copy(message.body, i18n._('Words copied.')),
    remove: () => {
      removeMessage(message.id, (words) => notice({ words }))
      notice({
        words: i18n._('Message deleted.'),
        action: { label: i18n._('Undo'), run: () => undoRemoval(message.id) },
      })
    },
  }
}

/** The address at which a message is shown: in its channel, or in its thread. */
function placeOf(message: Message): string {
  if (message.seq === null) return `/c/${message.channel_id}/t/${message.thread_root}`
  return `/c/${message.channel_id}?at=${message.seq}`
}
