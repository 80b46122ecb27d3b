import { useEffect, useEffectEvent } from 'react'

/** Escape, where it closes nothing: no dialog, menu or edit. Also from the composer, which it empties not. */
export function useEscape(on: boolean, run: () => void): void {
  const escaped = useEffectEvent(run)
  useEffect(() => {
    if (!on) return
    function pressed(event: KeyboardEvent) {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return
      if (document.querySelector('dialog[open], :popover-open')) return
      const field = event.target instanceof Element ? event.target.closest('input, textarea, select') : null
      if (field && !field.hasAttribute('data-compose')) return
      escaped()
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [on])
}
