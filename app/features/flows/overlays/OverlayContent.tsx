import type { ComponentType } from 'react'
import type { Overlay, Overlays, TypedAhead } from '../../parts/overlays/OverlayContext.ts'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'

interface Props {
  overlay: Overlay
  /** The text that was typed while the overlay loaded. */
  typed: TypedAhead
  onClose: () => void
}

type Loader = () => Promise<{ default: ComponentType<Omit<Props, 'overlay'>> }>

/** The overlays of each directory. */
const files = import.meta.glob<Record<string, Loader>>('../../*/*/overlays.ts', {
  eager: true,
  import: 'default',
})
const loaders: Record<string, Loader> = Object.assign({}, ...Object.values(files))
const components = Object.fromEntries(
  Object.entries(loaders).map(([kind, load]) => [kind, lazyComponent(load)]),
)

/** Loads the overlays that must open at once, or without a network. */
export async function preloadOverlays(): Promise<void> {
  const kinds: (keyof Overlays)[] = ['palette', 'sign-out']
  await Promise.all(kinds.map((kind) => loaders[kind]?.()))
}

/** Renders an overlay by its kind. The code of a kind is loaded when it is first opened. */
export default function OverlayContent({ overlay: { kind, ...props }, typed, onClose }: Props) {
  const Component = components[kind]
  return Component ? <Component {...props} typed={typed} onClose={onClose} /> : null
}
