/** The profile of a person, and the dialogs that change people. */
const overlays = {
  person: () => import('./card/PersonCard.tsx'),
  'change-people': () => import('./manage/ChangePeople.tsx'),
  status: () => import('./status/SetStatus.tsx'),
  invite: () => import('./invite/Invite.tsx'),
}

export default overlays

type PeopleOverlays = typeof overlays
declare module '../../parts/overlays/OverlayContext.ts' {
  interface Overlays extends PeopleOverlays {}
}
