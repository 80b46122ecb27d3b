/** The list of keyboard shortcuts. */
const overlays = {
  keys: () => import('./ShortcutsDialog.tsx'),
}

export default overlays

type ShortcutOverlays = typeof overlays
declare module '../../parts/overlays/OverlayContext.ts' {
  interface Overlays extends ShortcutOverlays {}
}
