/** Confirms signing out. */
export const signOutOverlays = { 'sign-out': () => import('./SignOutDialog.tsx') }
