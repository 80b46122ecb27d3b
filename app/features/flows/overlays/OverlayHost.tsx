import { Suspense, useEffect, useLayoutEffect, useMemo } from 'react'
import { createTypedAhead, type Overlay, type TypedAhead } from '../../parts/overlays/OverlayContext.ts'
import { OverlayBoundary } from '../../../ui/ErrorBoundary.tsx'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'

const loadContent = () => import('./OverlayContent.tsx')
const OverlayContent = lazyComponent(loadContent)

/** Milliseconds until overlays are preloaded: the first messages are loaded before. */
const PRELOAD_AFTER_MS = 1_000

/** Renders the open overlay; `OverlayContent` is loaded with the first one. */
export function OverlayHost({ overlay, onClose }: { overlay: Overlay | null; onClose: () => void }) {
  useEffect(() => {
    // Preloaded: keys typed after Ctrl+K while it loads would go to the composer.
    const timer = setTimeout(
      () =>
        void loadContent()
          .then(({ preloadOverlays }) => preloadOverlays())
          .catch(noop),
      PRELOAD_AFTER_MS,
    )
    return () => clearTimeout(timer)
  }, [])
  const typed = useMemo(() => createTypedAhead(overlay), [overlay])
  if (!overlay) return null
  return (
    <Suspense fallback={<KeyCapture typed={typed} onClose={onClose} />}>
      <OverlayBoundary key={overlay.kind} onClose={onClose}>
        <OverlayContent overlay={overlay} typed={typed} onClose={onClose} />
      </OverlayBoundary>
    </Suspense>
  )
}

/** Captures keys while an overlay is loading: they would go to the composer, where Enter sends. */
function KeyCapture({ typed, onClose }: { typed: TypedAhead; onClose: () => void }) {
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      event.stopPropagation()
      if (event.key === 'Escape') onClose()
      else if (event.key === 'Backspace') typed.set(typed.text().slice(0, -1))
      else if (event.key.length === 1) typed.set(typed.text() + event.key)
    }
    addEventListener('keydown', onKey, true)
    return () => removeEventListener('keydown', onKey, true)
  }, [typed, onClose])
  return null
}

function noop() {
  // Offline: it is loaded when it is opened.
}
