import { useEffect, useEffectEvent } from 'react'

/** Escape, where it closes nothing: no dialog, menu or edit. Also from the composer, which it empties not. */
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
