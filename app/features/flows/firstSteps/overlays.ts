/** What an owner does before others use the server. */
export const firstStepsOverlays = { 'first-steps': () => import('./FirstSteps.tsx') }
