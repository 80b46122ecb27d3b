/** The dialog of a section. */
const overlays = {
  section: () => import('./SectionDialog.tsx'),
}

export default overlays

type SidebarOverlays = typeof overlays
declare module '../../parts/overlays/OverlayContext.ts' {
  interface Overlays extends SidebarOverlays {}
}
