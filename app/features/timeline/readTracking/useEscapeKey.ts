import { useEffect, useEffectEvent } from 'react'

/**
 * Handles Escape where it closes nothing else: no dialog, menu or edit. Works in the composer too, which keeps its
 * text.
 */
export function useEscapeKey(on: boolean, run: () => void): void {
  const onEscape = useEffectEvent(run)
  useEffect(() => {
    if (!on) return
    function onKeyDown(event: KeyboardEvent) {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return
      if (document.querySelector('dialog[open], :popover-open')) return
      const field = event.target instanceof Element ? event.target.closest('input, textarea, select') : null
      if (field && !field.hasAttribute('data-compose')) return
      onEscape()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [on])
}
