/** The list of keyboard shortcuts. */
export const shortcutOverlays = { keys: () => import('./ShortcutsDialog.tsx') }
