import { i18n } from '@lingui/core'
import { useState } from 'react'
import { isChannel } from '../../../../../wire/channels.ts'
import type { Message } from '../../../../../wire/messages.ts'
import { useChannel } from '../../../../data/channels/channels.ts'
import { pinMessage } from '../../../../data/messages/pins.ts'
import { followThread } from '../../../../data/messages/changeMessages.ts'
import { emojiReactions } from '../../../../data/messages/reactionKeys.ts'
import { isolateBidi } from '../../../../data/people/isolateBidi.ts'
import { useProfile } from '../../../../data/people/people.ts'
import { useFetchedThreadState } from '../../../../data/threads/threadState.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import type { MenuItem } from '../../../../ui/Menu.tsx'
import { useToast } from '../../../../ui/toast.ts'
import { TOUCH, useMedia } from '../../../../ui/useMedia.ts'
import { setQuote } from '../../../../data/messages/drafts.ts'
import { canSeeEdits } from '../../../../data/workspaces/workspacePermissions.ts'
import { useMe } from '../../../parts/members/MeContext.ts'
import { withEmoji } from '../../../parts/emoji/EmojiText.tsx'
import { frequentEmoji } from '../../../parts/emoji/recentEmoji.ts'
import { useOverlay } from '../../../parts/overlays/OverlayContext.ts'
import {
  AlarmClock,
  Bell,
  BellOff,
  Bookmark,
  Copy,
  Eye,
  Flag,
  FolderInput,
  Forward,
  History,
  Link2,
  MailOpen,
  MessageSquare,
  Pencil,
  Pin,
  PinOff,
  Quote,
  ShieldAlert,
  Smile,
  SmilePlus,
  SquareCheck,
  Trash2,
} from '../../../parts/icons.ts'
import type { MessageActions } from './useMessageActions.ts'

/** A message and what the reader may do with it. */
export interface MessageTarget {
  message: Message
  scope: 'channel' | 'thread'
  isOwn: boolean
  mayPost: boolean
  onEdit: (id: string) => void
}

/**
 * Items of the "More" menu: actions without a button of their own. `isOpen`: data for the menu is fetched only while
 * it is open, not for each hovered row.
 */
export function useMoreItems(
  { message, isOwn, mayPost, scope }: MessageTarget,
  actions: MessageActions,
  isOpen: boolean,
): MenuItem[] {
  const open = useOverlay()
  const me = useMe()
  const following = useFollowing(message, isOpen)
  const removal = useRemoval(message, isOwn)
  const deletion = useDeletion(message, isOwn)
  const pinning = usePinning(message, mayPost)
  const mayMove = useMayMove(message, mayPost)
  const items: MenuItem[] = []
  if (actions.markUnread)
    items.push({
      label: i18n._('Mark unread'),
      keys: 'U',
      icon: <Icon of={MailOpen} />,
      onSelect: actions.markUnread,
    })
  if (mayPost)
    items.push(following, {
      id: 'quote',
      label: i18n._('Quote'),
      icon: <Icon of={Quote} />,
      onSelect: () =>
        setQuote(
          message.channel_id,
          scope === 'thread' ? (message.thread_root ?? message.id) : null,
          message.id,
        ),
    })
  items.push({
    id: 'forward',
    label: i18n._('Forward…'),
    icon: <Icon of={Forward} />,
    onSelect: () => open({ kind: 'forward', messageIds: [message.id] }),
  })
  if (mayMove)
    items.push({
      label: i18n._('Move to another channel…'),
      icon: <Icon of={FolderInput} />,
      onSelect: () => open({ kind: 'move-thread', channelId: message.channel_id, messageId: message.id }),
    })
  items.push({
    id: 'save',
    label: actions.isSaved ? i18n._('Remove from saved') : i18n._('Save for later'),
    keys: 'A',
    icon: <Icon of={Bookmark} />,
    onSelect: actions.save,
  })
  items.push({
    label: i18n._('Remind me…'),
    icon: <Icon of={AlarmClock} />,
    onSelect: () => open({ kind: 'reminder', messageId: message.id }),
  })
  if (pinning) items.push(pinning)
  if (emojiReactions(message).length > 0)
    items.push({
      label: i18n._('Who reacted'),
      icon: <Icon of={Smile} />,
      onSelect: () => open({ kind: 'reactions', channelId: message.channel_id, messageId: message.id }),
    })
  items.push({
    label: i18n._('Who can read this?'),
    icon: <Icon of={Eye} />,
    onSelect: () => open({ kind: 'readers', channelId: message.channel_id, messageId: message.id }),
  })
  if (message.edited_at !== null && (isOwn || canSeeEdits(me)))
    items.push({
      label: i18n._('Edit history'),
      icon: <Icon of={History} />,
      onSelect: () => open({ kind: 'edit-history', channelId: message.channel_id, messageId: message.id }),
    })
  items.push({
    label: i18n._('Copy link'),
    icon: <Icon of={Link2} />,
    onSelect: actions.copyLink,
    separated: items.length > 0,
  })
  if (message.body)
    items.push({
      id: 'copy-text',
      label: i18n._('Copy text'),
      icon: <Icon of={Copy} />,
      onSelect: actions.copyText,
    })
  if (actions.select)
    items.push({
      label: i18n._('Select messages'),
      keys: 'X',
      icon: <Icon of={SquareCheck} />,
      onSelect: actions.select,
    })
  if (!isOwn && message.kind === 'text')
    items.push({
      id: 'report',
      label: i18n._('Report message…'),
      icon: <Icon of={Flag} />,
      onSelect: () => open({ kind: 'report', channelId: message.channel_id, messageId: message.id }),
      separated: true,
    })
  if (removal) items.push(removal)
  if (deletion)
    items.push({
      id: 'delete',
      label: deletion,
      icon: <Icon of={Trash2} />,
      onSelect: actions.remove,
      isDestructive: true,
      separated: true,
    })
  return items
}

/** All actions, for the context menu of the message; on touch devices in the order of `orderForTouch`. */
export function useAllItems(target: MessageTarget, actions: MessageActions, onReact: () => void): MenuItem[] {
  const { message, isOwn, mayPost, scope } = target
  const isTouch = useMedia(TOUCH)
  const more = useMoreItems(target, actions, true)
  const [quick] = useState(() => frequentEmoji(isTouch ? 6 : 3))
  const items: MenuItem[] = []
  if (mayPost)
    items.push(
      ...quick.map((emoji) => ({
        label: i18n._('React with {emoji}', { emoji }),
        icon: withEmoji(emoji),
        isCompact: true,
        onSelect: () => actions.react(emoji),
      })),
    )
  if (mayPost)
    items.push({
      label: i18n._('Add a reaction'),
      keys: '+',
      icon: <Icon of={SmilePlus} size={isTouch ? 20 : 16} />,
      isCompact: isTouch,
      onSelect: onReact,
    })
  // A thread has no replies to replies: its composer does it.
  if (scope === 'channel')
    items.push({
      id: 'reply',
      label: i18n._('Reply in thread'),
      keys: 'R',
      icon: <Icon of={MessageSquare} />,
      onSelect: actions.reply,
    })
  if (isOwn && mayPost)
    items.push({
      id: 'edit',
      label: i18n._('Edit message'),
      keys: 'E',
      icon: <Icon of={Pencil} />,
      onSelect: () => target.onEdit(message.id),
    })
  return isTouch ? orderForTouch([...items, ...more]) : [...items, ...more]
}

/** The actions that a sheet shows first, as many as `MAX_FIRST`. */
const FIRST = ['reply', 'edit', 'quote', 'save', 'copy-text', 'forward']
const MAX_FIRST = 5
/** The actions that remove something or accuse somebody. */
const LAST = ['report', 'remove', 'delete']

/** Orders items for a sheet: reactions, five frequent actions, the others, and apart from them what can't be undone. */
function orderForTouch(items: readonly MenuItem[]): MenuItem[] {
  const known = new Map(items.map((item) => [item.id, item]))
  const first = FIRST.flatMap((id) => known.get(id) ?? []).slice(0, MAX_FIRST)
  const last = LAST.flatMap((id) => known.get(id) ?? [])
  const reactions = items.filter((item) => item.isCompact)
  const others = items.filter((item) => !item.isCompact && !first.includes(item) && !last.includes(item))
  return [reactions, first, others, last].flatMap((group, index) =>
    group.map((item, at) => ({ ...item, separated: index > 0 && at === 0 })),
  )
}

/** Removal with a reason, for owners and admins. The server checks whose messages they may remove. */
function useRemoval(message: Message, isOwn: boolean): MenuItem | null {
  const { role } = useMe()
  const channel = useChannel(message.channel_id)
  const open = useOverlay()
  if (isOwn || message.kind !== 'text' || (role !== 'owner' && role !== 'admin')) return null
  if (typeof channel === 'string' || !isChannel(channel)) return null
  return {
    id: 'remove',
    label: i18n._('Remove with a reason…'),
    icon: <Icon of={ShieldAlert} />,
    onSelect: () => open({ kind: 'remove-message', target: { message: message.id } }),
  }
}

/** Label of the delete action; null without the right. It names the author of somebody else's message. */
function useDeletion(message: Message, isOwn: boolean): string | null {
  const channel = useChannel(message.channel_id)
  const author = useProfile(message.author_id)
  if (isOwn) return i18n._('Delete message')
  if (typeof channel === 'string' || !channel.permissions.deleteAny) return null
  const name = isolateBidi(author?.name ?? i18n._('Former member'))
  return i18n._('Delete {name}’s message', { name })
}

/** Pin or unpin the message for everyone; guests may not. */
function usePinning(message: Message, mayPost: boolean): MenuItem | null {
  const me = useMe()
  const showToast = useToast()
  if (!mayPost || me.role === 'guest') return null
  const isPinned = message.pinned_at !== null
  return {
    label: isPinned ? i18n._('Unpin') : i18n._('Pin'),
    icon: <Icon of={isPinned ? PinOff : Pin} />,
    onSelect: () =>
      void pinMessage(message.id, !isPinned).then((outcome) => {
        if (!outcome.ok) showToast({ text: outcome.failure.message })
      }),
  }
}

/** Whether the reader may move the message with its replies: decision 35. The server checks it. */
function useMayMove(
  { channel_id, thread_root, author_id, reply_people }: Message,
  mayPost: boolean,
): boolean {
  const me = useMe()
  const channel = useChannel(channel_id)
  if (!mayPost || me.role === 'guest' || thread_root !== null || typeof channel === 'string') return false
  const isAlone = [author_id, ...reply_people].every((id) => id === me.profile.id)
  return isChannel(channel) && (isAlone || channel.permissions.deleteAny)
}

/** Follow or unfollow the message's thread. */
function useFollowing(message: Message, isOpen: boolean): MenuItem {
  const root = message.thread_root ?? message.id
  const showToast = useToast()
  const willFollow = useFetchedThreadState(root, isOpen)?.follows !== true
  const done = willFollow
    ? i18n._('Following this thread. You’ll find new replies in Threads.')
    : i18n._('You’re no longer following this thread.')
  return {
    label: willFollow ? i18n._('Follow thread') : i18n._('Unfollow thread'),
    icon: <Icon of={willFollow ? Bell : BellOff} />,
    onSelect: () =>
      void followThread(message.channel_id, root, willFollow).then((outcome) =>
        showToast({ text: outcome.ok ? done : outcome.failure.message }),
      ),
  }
}
