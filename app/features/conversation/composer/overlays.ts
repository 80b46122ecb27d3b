/** The dialogs of the composer. */
export const composerOverlays = {
  'create-poll': () => import('./poll/CreatePoll.tsx'),
  'schedule-message': () => import('./schedule/ScheduleDialog.tsx'),
}
