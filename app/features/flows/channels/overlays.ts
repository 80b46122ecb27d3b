/** The dialogs of channels. */
const overlays = {
  'create-channel': () => import('./CreateChannel.tsx'),
  'browse-channels': () => import('./BrowseChannels.tsx'),
  channel: () => import('./details/ChannelDetails.tsx'),
  'leave-channel': () => import('./LeaveChannel.tsx'),
  'delete-channel': () => import('./details/DeleteChannel.tsx'),
}

export default overlays

type ChannelOverlays = typeof overlays
declare module '../../parts/overlays/OverlayContext.ts' {
  interface Overlays extends ChannelOverlays {}
}
