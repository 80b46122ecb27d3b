/** The dialog of a section. */
export const sidebarOverlays = { section: () => import('./SectionDialog.tsx') }
