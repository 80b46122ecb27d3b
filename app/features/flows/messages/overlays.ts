/** The dialogs that concern a message and other conversations or people. */
const overlays = {
  forward: () => import('./forward/ForwardMessage.tsx'),
  'move-thread': () => import('./move/MoveThread.tsx'),
  readers: () => import('./readers/WhoCanRead.tsx'),
}

export default overlays

type MessagesOverlays = typeof overlays
declare module '../../parts/overlays/OverlayContext.ts' {
  interface Overlays extends MessagesOverlays {}
}
