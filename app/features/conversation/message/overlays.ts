/** The dialogs of a message. */
export const editHistoryOverlays = { 'edit-history': () => import('./edit/EditHistory.tsx') }
