import { i18n } from '@lingui/core'
import { pathTo } from '../../../../paths.ts'
import { navigate } from '../../../../historyState.ts'
import type { Message } from '../../../../../wire/messages.ts'
import { deleteMessage } from '../../../../data/messages/changeMessages.ts'
import { markThreadUnread, markUnread, toggleReaction } from '../../../../data/messages/messages.ts'
import { saveMessage, useSavedMessages } from '../../../../data/messages/savedMessages.ts'
import type { Outcome } from '../../../../data/failures/failures.ts'
import { announce } from '../../../../ui/announce.ts'
import { useToast } from '../../../../ui/toast.ts'
import { useCopy } from '../../../../ui/useCopy.ts'
import { focusFieldOf } from '../../writing/fieldFocus.ts'
import { typedText } from '../selection/messagesAsText.ts'
import { useMessageSelection } from '../selection/useMessageSelection.ts'
import { showDeletedToast } from './showDeletedToast.ts'

export interface MessageActions {
  react: (emoji: string) => void
  reply: () => void
  /** Null if the message has no number in this list. */
  markUnread: (() => void) | null
  isSaved: boolean
  /** Saves the message for later, or removes it from the saved ones. */
  save: () => void
  /** Selects the message among others; null where messages can't be selected. */
  select: (() => void) | null
  copyLink: () => void
  copyText: () => void
  remove: () => void
}

/** Actions of one message; failures are shown in a toast. */
export function useMessageActions(message: Message, scope: 'channel' | 'thread'): MessageActions {
  const showToast = useToast()
  const reportFailure = (outcome: Outcome<unknown>) => {
    if (!outcome.ok) showToast({ text: outcome.failure.message })
  }
  const copy = useCopy()
  const selection = useMessageSelection(message, scope)
  const isSaved = useSavedMessages().has(message.id)
  const { channel_id, seq, thread_root, thread_seq } = message
  const unreadFrom = (result: Promise<Outcome>) => {
    const text = i18n._('Marked unread from here.')
    // The line and the count show it; a toast would cover the button to the new messages.
    void result.then((outcome) => (outcome.ok ? announce(text) : reportFailure(outcome)))
  }
  const unread =
    scope === 'channel'
      ? seq === null
        ? null
        : () => unreadFrom(markUnread(channel_id, seq))
      : thread_root === null || thread_seq === null
        ? null
        : () => unreadFrom(markThreadUnread(channel_id, thread_root, thread_seq))
  return {
    react: (emoji) => void toggleReaction(message, emoji).then(reportFailure),
    reply: () => {
      const rootId = thread_root ?? message.id
      navigate(pathTo('thread', { channelId: channel_id, rootId }))
      focusFieldOf(rootId)
    },
    markUnread: unread,
    isSaved,
    save: () =>
      void saveMessage(message, isSaved ? null : 'saved').then((outcome) => {
        if (!outcome.ok) return reportFailure(outcome)
        const open = { label: i18n._('Open'), run: () => navigate(pathTo('saved')) }
        return showToast(
          isSaved ? { text: i18n._('No longer saved.') } : { text: i18n._('Saved for later.'), action: open },
        )
      }),
    select:
      selection &&
      (() => {
        // The button that has the focus disappears.
        document.getElementById(`${scope}-${message.id}`)?.focus({ preventScroll: true })
        selection.toggle()
      }),
    copyLink: () => void copy(`${location.origin}/c/${channel_id}/m/${message.id}`, i18n._('Link copied.')),
    copyText: () => void copy(typedText(message), i18n._('Text copied.')),
    remove: () =>
      void deleteMessage(message.id).then((outcome) => {
        if (!outcome.ok) return reportFailure(outcome)
        showDeletedToast([message.id], showToast)
      }),
  }
}
