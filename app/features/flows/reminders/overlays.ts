/** The dialog of a reminder. */
export const reminderOverlays = { reminder: () => import('./ReminderDialog.tsx') }
