/** The dialogs of reactions. */
export const reactionOverlays = { reactions: () => import('./WhoReacted.tsx') }
