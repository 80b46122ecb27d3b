import { Suspense, useEffect } from 'react'
import type { Overlay } from './OverlayContext.ts'
import { lazily } from '../../ui/lazily.tsx'

const load = () => import('./OpenOverlay.tsx')
const OpenOverlay = lazily(load)

/** Milliseconds after which the palette is loaded: the first messages come before. */
const PALETTE_AFTER_MS = 1_000

/** Draws the one overlay that is open; the list of them is loaded with the first. */
export function Overlays({ overlay, onClose }: { overlay: Overlay | null; onClose: () => void }) {
  useEffect(() => {
    // Loaded before it is opened: what is typed after Ctrl K, while it loads, would go to the composer.
    const timer = setTimeout(
      () =>
        void load()
          .then(({ loadPalette }) => loadPalette())
          .catch(noop),
      PALETTE_AFTER_MS,
    )
    return () => clearTimeout(timer)
  }, [])
  return <Suspense>{overlay ? <OpenOverlay overlay={overlay} onClose={onClose} /> : null}</Suspense>
}

function noop() {
  // Offline: it is loaded when it is opened.
}
