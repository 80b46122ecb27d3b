/** Confirms signing out. */
const overlays = {
  'sign-out': () => import('./SignOutDialog.tsx'),
}

export default overlays

type SignOutOverlays = typeof overlays
declare module '../../parts/overlays/OverlayContext.ts' {
  interface Overlays extends SignOutOverlays {}
}
