import { useEffect } from 'react'

export interface Shortcuts {
  onFind: () => void
  onKeys: () => void
  /** The unread conversation before (-1) or after (1) the one in front. */
  onUnread: (step: 1 | -1) => void
  onEscape: () => void
  /** Something was typed where nothing takes it: it is meant for the composer. */
  onType: () => void
}

/** The keys that work anywhere. Those of a field, a menu or a message are theirs. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const { onFind, onKeys, onUnread, onEscape, onType } = shortcuts
  useEffect(() => {
    function pressed(event: KeyboardEvent) {
      if (event.defaultPrevented || event.isComposing) return
      const command = event.metaKey || event.ctrlKey
      if (command && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        return onFind()
      }
      if (document.querySelector('dialog[open], :popover-open')) return
      if (
        event.altKey &&
        !command &&
        !event.shiftKey &&
        (event.key === 'ArrowUp' || event.key === 'ArrowDown')
      ) {
        event.preventDefault()
        return onUnread(event.key === 'ArrowUp' ? -1 : 1)
      }
      if (event.key === 'Escape') return onEscape()
      if (command || event.altKey || isField(event.target)) return
      if (event.key === '?') {
        event.preventDefault()
        return onKeys()
      }
      // A message has keys of its own.
      if (event.target instanceof Element && event.target.closest('article')) return
      if (event.key.length === 1 && event.key !== ' ') onType()
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [onFind, onKeys, onUnread, onEscape, onType])
}

function isField(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
}
