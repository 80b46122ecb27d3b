/** The dialogs of workspaces. */
const overlays = {
  'create-workspace': () => import('./CreateWorkspace.tsx'),
}

export default overlays

type WorkspaceOverlays = typeof overlays
declare module '../../parts/overlays/OverlayContext.ts' {
  interface Overlays extends WorkspaceOverlays {}
}
