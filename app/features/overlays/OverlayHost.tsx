import { Suspense, useEffect, useLayoutEffect, useMemo } from 'react'
import type { Overlay, TypedAhead } from './OverlayContext.ts'
import { lazyComponent } from '../../ui/lazyComponent.tsx'

const loadContent = () => import('./OverlayContent.tsx')
const OverlayContent = lazyComponent(loadContent)

/** Milliseconds after which the palette is loaded: the first messages come before. */
const PALETTE_AFTER_MS = 1_000

/** Characters that are kept for an overlay that loads. */
const MAX_TYPED = 100

/** Draws the one overlay that is open; the list of them is loaded with the first. */
export function OverlayHost({ overlay, onClose }: { overlay: Overlay | null; onClose: () => void }) {
  useEffect(() => {
    // Loaded before it is opened: what is typed after Ctrl K, while it loads, would go to the composer.
    const timer = setTimeout(
      () =>
        void loadContent()
          .then(({ loadPalette }) => loadPalette())
          .catch(noop),
      PALETTE_AFTER_MS,
    )
    return () => clearTimeout(timer)
  }, [])
  const typed = useMemo<TypedAhead>(() => ({ overlay, text: '' }), [overlay])
  if (!overlay) return null
  return (
    <Suspense fallback={<KeyCapture typed={typed} onClose={onClose} />}>
      <OverlayContent overlay={overlay} typed={typed} onClose={onClose} />
    </Suspense>
  )
}

/** Takes the keys that are struck while an overlay loads: they would go to the composer, where Enter sends. */
function KeyCapture({ typed, onClose }: { typed: TypedAhead; onClose: () => void }) {
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      event.stopPropagation()
      if (event.key === 'Escape') onClose()
      else if (event.key === 'Backspace') typed.text = typed.text.slice(0, -1)
      else if (event.key.length === 1 && typed.text.length < MAX_TYPED) typed.text += event.key
    }
    addEventListener('keydown', onKey, true)
    // A dialog takes the focus in an effect of its own, a moment after this one ends.
    return () => void setTimeout(() => removeEventListener('keydown', onKey, true))
  }, [typed, onClose])
  return null
}

function noop() {
  // Offline: it is loaded when it is opened.
}
