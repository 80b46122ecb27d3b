/** The dialogs of moderation. */
export const moderationOverlays = {
  report: () => import('./ReportMessage.tsx'),
  'remove-message': () => import('./RemoveMessage.tsx'),
  silence: () => import('./SilencePerson.tsx'),
}
