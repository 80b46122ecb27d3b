/** The dialogs of reactions. */
const overlays = {
  reactions: () => import('./WhoReacted.tsx'),
}

export default overlays

type ReactionOverlays = typeof overlays
declare module '../../parts/overlays/OverlayContext.ts' {
  interface Overlays extends ReactionOverlays {}
}
