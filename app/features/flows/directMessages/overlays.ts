/** The dialogs of direct conversations. */
const overlays = {
  'new-conversation': () => import('./NewConversation.tsx'),
  'add-people-to-conversation': () => import('./AddToConversation.tsx'),
}

export default overlays

type DirectMessageOverlays = typeof overlays
declare module '../../parts/overlays/OverlayContext.ts' {
  interface Overlays extends DirectMessageOverlays {}
}
