/** Opens a channel at a date. */
export const jumpToDateOverlays = { 'jump-to-date': () => import('./JumpToDate.tsx') }
