/** The command palette. */
const overlays = {
  palette: () => import('./CommandPalette.tsx'),
}

export default overlays

type PaletteOverlays = typeof overlays
declare module '../../parts/overlays/OverlayContext.ts' {
  interface Overlays extends PaletteOverlays {}
}
