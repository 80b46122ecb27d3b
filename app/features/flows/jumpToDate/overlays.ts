/** Opens a channel at a date. */
const overlays = {
  'jump-to-date': () => import('./JumpToDate.tsx'),
}

export default overlays

type JumpToDateOverlays = typeof overlays
declare module '../../parts/overlays/OverlayContext.ts' {
  interface Overlays extends JumpToDateOverlays {}
}
