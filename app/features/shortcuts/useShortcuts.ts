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

/** The keys that act on a message in focus (`MessageToolbar`). */
const MESSAGE_KEYS = 'eru+'

/** The keys that work anywhere. Those of a field, a menu or a message are theirs. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const { onFind, onKeys, onUnread, onEscape, onType } = shortcuts
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
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
      if (event.key === 'F6' && !command && !event.altKey) {
        event.preventDefault()
        const step = event.shiftKey ? -1 : 1
        import('./focusRegion.ts').then(({ focusRegion }) => focusRegion(step)).catch(() => {})
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
  }, [onFind, onKeys, onUnread, onEscape, onType])
}

/**
 * Whether the message in focus acts on the key. Its tools prevent the default of a key that they use; before they are
 * loaded, each of their keys is kept for them.
 */
function isForMessage({ target, key }: KeyboardEvent): boolean {
  const row = target instanceof Element ? target.closest('article') : null
  if (!row) return false
  return (
    !row.closest('[role=log]') ||
    (MESSAGE_KEYS.includes(key.toLowerCase()) && !row.querySelector('[data-tools]'))
  )
}

function isField(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
}
