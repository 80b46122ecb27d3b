import { useLayoutEffect } from 'react'
import { isOverlayOpen } from '../../../ui/isOverlayOpen.ts'
import { isComposing } from '../../../ui/isComposing.ts'
import { shortcutKey } from '../../../ui/shortcutKey.ts'

export interface Shortcuts {
  onFind: () => void
  onSearch: () => void
  onKeys: () => void
  /** The unread conversation before (-1) or after (1) the open one. */
  onUnread: (step: 1 | -1) => void
  /** The workspace at this position in the menu, from 0. */
  onWorkspace: (index: number) => void
  onEscape: () => void
  /** A character was typed outside a field: it is meant for the composer. */
  onType: () => void
}

const MESSAGE_KEYS = ['e', 'r', 'u', 'a', 'x', '+'] as const

/** A key that acts on the focused message. */
export type MessageKey = (typeof MESSAGE_KEYS)[number]

/** Whether a key acts on the focused message. */
export function isMessageKey(key: string): key is MessageKey {
  return (MESSAGE_KEYS as readonly string[]).includes(key)
}

/** Handles the shortcuts that work anywhere. Fields, menus and messages handle their own keys. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const { onFind, onSearch, onKeys, onUnread, onWorkspace, onEscape, onType } = shortcuts
  // As soon as the page is shown, a key works.
  useLayoutEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (event.defaultPrevented || isComposing(event)) return
      const command = event.metaKey || event.ctrlKey
      if (command && !event.altKey && shortcutKey(event) === (event.shiftKey ? 'f' : 'k')) {
        event.preventDefault()
        return event.shiftKey ? onSearch() : onFind()
      }
      if (isOverlayOpen()) return
      // Not ⌘ on Apple devices, where ⇧⌘3 takes a screenshot. `code`: with Shift the key is another character.
      if (event.ctrlKey && event.shiftKey && /^Digit[1-9]$/.test(event.code)) {
        event.preventDefault()
        return onWorkspace(Number(event.code[5]) - 1)
      }
      if (
        event.altKey &&
        !command &&
        !event.shiftKey &&
        (event.key === 'ArrowUp' || event.key === 'ArrowDown')
      ) {
        event.preventDefault()
        return onUnread(event.key === 'ArrowUp' ? -1 : 1)
      }
      if (event.key === 'F6' && !command && !event.altKey) {
        event.preventDefault()
        void moveFocusToRegion(event.shiftKey ? -1 : 1).catch(() => {})
        return
      }
      if (event.key === 'Escape') return onEscape()
      if (command || event.altKey || isField(event.target)) return
      if (event.key === '?') {
        event.preventDefault()
        return onKeys()
      }
      if (isForMessage(event)) return
      if (event.key.length === 1 && event.key !== ' ') onType()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [onFind, onSearch, onKeys, onUnread, onWorkspace, onEscape, onType])
}

async function moveFocusToRegion(step: 1 | -1): Promise<void> {
  const { focusRegion } = await import('./focusRegion.ts')
  focusRegion(step)
}

/**
 * Whether the focused message handles the key. The toolbar prevents the default of its keys. Its keys are stored
 * until it is loaded.
 */
function isForMessage(event: KeyboardEvent): boolean {
  const { target } = event
  const row = target instanceof Element ? target.closest('article') : null
  if (!row) return false
  return (
    !row.closest('[role=log]') || (isMessageKey(shortcutKey(event)) && !row.querySelector('[data-tools]'))
  )
}

function isField(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
}
