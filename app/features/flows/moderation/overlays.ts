/** The dialogs of moderation. */
const overlays = {
  report: () => import('./ReportMessage.tsx'),
  'remove-message': () => import('./RemoveMessage.tsx'),
  silence: () => import('./SilencePerson.tsx'),
}

export default overlays

type ModerationOverlays = typeof overlays
declare module '../../parts/overlays/OverlayContext.ts' {
  interface Overlays extends ModerationOverlays {}
}
