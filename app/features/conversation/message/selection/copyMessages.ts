import { i18n } from '@lingui/core'
import type { ClipboardEvent } from 'react'
import { mentionedName } from '../../../../data/messages/mentionedName.ts'
import type { Row } from '../timelineRows.ts'
import { messagesAsText } from './messagesAsText.ts'

/**
 * Copies a selection that reaches over several messages of a list as their authors, times and texts in Markdown. Otherwise the
 * clipboard would also have the labels and counts between them. The browser copies a selection within one message.
 */
export function copyMessages(event: ClipboardEvent<HTMLElement>, rows: readonly Row[]): void {
  const selection = getSelection()
  if (!selection || selection.isCollapsed || event.defaultPrevented) return
  if (event.target instanceof Element && event.target.closest('input, textarea, [contenteditable]')) return
  const selected = new Set(
    [...event.currentTarget.querySelectorAll('article')]
      .filter((article) => selection.containsNode(article, true))
      // Behind "channel-" or "thread-".
      .map(({ id }) => id.slice(id.indexOf('-') + 1)),
  )
  const messages = rows.flatMap(({ id, item }) =>
    item.kind === 'message' && item.message.kind === 'text' && selected.has(id) ? [item.message] : [],
  )
  if (messages.length < 2) return
  event.preventDefault()
  const text = messagesAsText(
    messages,
    ({ author_id }) => mentionedName(author_id) ?? i18n._('Former member'),
  )
  event.clipboardData.setData('text/plain', text)
}
