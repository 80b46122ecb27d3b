import { i18n } from '@lingui/core'
import { use, useEffect, useEffectEvent, type RefObject } from 'react'
import type { Message } from '../../../../../wire/messages.ts'
import { announce } from '../../../../ui/announce.ts'
import { useToast } from '../../../../ui/toast.ts'
import { extendRange, MAX_SELECTED, toggleMessage } from './selectMessages.ts'
import { SelectionContext, type MessageSelection } from './SelectionContext.ts'

interface MessageSelectionActions {
  /** Selects or deselects the message. */
  toggle: () => void
  /** Selects from the anchor to the message. */
  extend: () => void
  /** The same to the row after (1) or before (-1) the message, which becomes the anchor if nothing is selected. */
  extendBy: (step: 1 | -1) => void
}

/** "3 messages selected". */
export function countLabel(count: number): string {
  return i18n._('{count, plural, one {# message selected} other {# messages selected}}', { count })
}

/** Selects a message of its list; null where messages can't be selected. */
export function useMessageSelection(
  message: Message,
  scope: 'channel' | 'thread',
): MessageSelectionActions | null {
  const state = use(SelectionContext)
  const showToast = useToast()
  if (!state) return null
  const { selection, change, rows } = state
  const show = (next: MessageSelection | null) => {
    if (next && next.messages.size >= MAX_SELECTED && next.messages.size === selection?.messages.size)
      return showToast({ text: i18n._('You can select up to {max} messages.', { max: MAX_SELECTED }) })
    change(next)
    announce(countLabel(next?.messages.size ?? 0))
  }
  const extendTo = (end: Message) => show(extendRange(selection, message, end, rows.current, scope))
  return {
    toggle: () => show(toggleMessage(selection, message)),
    extend: () => extendTo(message),
    extendBy: (step) => {
      const at = rows.current.findIndex((row) => row.id === message.id)
      const item = at < 0 ? undefined : rows.current[at + step]?.item
      if (item?.kind === 'message') extendTo(item.message)
    },
  }
}

/** On the row that contains `inside`, Shift with an arrow key extends the selection. The key also moves the focus. */
export function useRangeKeys(
  inside: RefObject<HTMLElement | null>,
  selection: MessageSelectionActions | null,
): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (!event.shiftKey || event.metaKey || event.ctrlKey || event.altKey) return
    if (event.key === 'ArrowUp') selection?.extendBy(-1)
    else if (event.key === 'ArrowDown') selection?.extendBy(1)
  })
  useEffect(() => {
    const row = inside.current?.closest('article')
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.target === row) onKey(event)
    }
    row?.addEventListener('keydown', onKeyDown)
    return () => row?.removeEventListener('keydown', onKeyDown)
  }, [inside])
}
