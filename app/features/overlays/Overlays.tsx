import { Suspense } from 'react'
import type { Overlay } from './OverlayContext.ts'
import { lazily } from '../../ui/lazily.tsx'

const OpenOverlay = lazily(() => import('./OpenOverlay.tsx'))

/** Draws the one overlay that is open; the list of them is loaded with the first. */
export function Overlays({ overlay, onClose }: { overlay: Overlay | null; onClose: () => void }) {
  return <Suspense>{overlay ? <OpenOverlay overlay={overlay} onClose={onClose} /> : null}</Suspense>
}
