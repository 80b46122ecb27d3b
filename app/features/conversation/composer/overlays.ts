/** The dialogs of the composer. */
const overlays = {
  'create-poll': () => import('./poll/CreatePoll.tsx'),
  'schedule-message': () => import('./schedule/ScheduleDialog.tsx'),
}

export default overlays

type ComposerOverlays = typeof overlays
declare module '../../parts/overlays/OverlayContext.ts' {
  interface Overlays extends ComposerOverlays {}
}
