/** The dialogs of workspaces. */
export const workspaceOverlays = { 'create-workspace': () => import('./CreateWorkspace.tsx') }
