/** The dialogs of a message. */
const overlays = {
  'edit-history': () => import('./edit/EditHistory.tsx'),
}

export default overlays

type MessageOverlays = typeof overlays
declare module '../../parts/overlays/OverlayContext.ts' {
  interface Overlays extends MessageOverlays {}
}
