import { useLayoutEffect, useReducer } from 'react'
import type { TypedAhead } from './OverlayContext.ts'

/**
 * Returns the text that was typed while the overlay loaded. React may render an overlay up to 300 ms before it shows it, and
 * captures keys until then: the text is read again with the commit, which ends the capture, and before the next key.
 */
export function useTypedAhead(typed: TypedAhead): string {
  const [text, readAgain] = useReducer(typed.text, typed.text())
  useLayoutEffect(() => readAgain(), [readAgain])
  return text
}
