import { useEffect, useEffectEvent } from 'react'
import { COMPOSER_FIELD } from '../../../ui/field.ts'
import { isOverlayOpen } from '../../../ui/isOverlayOpen.ts'
import { isComposing } from '../../../ui/isComposing.ts'

/** Whether the key is an Escape that closes nothing else: no dialog, menu or edit. */
export function isFreeEscape(event: KeyboardEvent): boolean {
  if (event.key !== 'Escape' || event.defaultPrevented || isComposing(event)) return false
  if (isOverlayOpen()) return false
  const field =
    event.target instanceof Element
      ? event.target.closest('input, textarea, select, [contenteditable=true]')
      : null
  return !field || field.matches(`${COMPOSER_FIELD}, [type=checkbox]`)
}

/**
 * Handles Escape where it closes nothing else: no dialog, menu or edit. Works in the composer too, which keeps its
 * text.
 */
export function useEscapeKey(on: boolean, run: () => void): void {
  const onEscape = useEffectEvent(run)
  useEffect(() => {
    if (!on) return
    function onKeyDown(event: KeyboardEvent) {
      if (isFreeEscape(event)) onEscape()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [on])
}
