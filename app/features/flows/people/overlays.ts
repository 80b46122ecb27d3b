/** The profile of a person, and the dialogs that change people. */
export const peopleOverlays = {
  person: () => import('./card/PersonCard.tsx'),
  'change-people': () => import('./manage/ChangePeople.tsx'),
  status: () => import('./status/SetStatus.tsx'),
  invite: () => import('./invite/Invite.tsx'),
}
