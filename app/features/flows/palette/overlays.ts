/** The command palette. */
export const paletteOverlays = { palette: () => import('./CommandPalette.tsx') }
