/** The dialog of a reminder. */
const overlays = {
  reminder: () => import('./ReminderDialog.tsx'),
}

export default overlays

type ReminderOverlays = typeof overlays
declare module '../../parts/overlays/OverlayContext.ts' {
  interface Overlays extends ReminderOverlays {}
}
