/** The dialogs of channels. */
export const channelOverlays = {
  'create-channel': () => import('./CreateChannel.tsx'),
  'browse-channels': () => import('./BrowseChannels.tsx'),
  channel: () => import('./details/ChannelDetails.tsx'),
  'leave-channel': () => import('./LeaveChannel.tsx'),
  'delete-channel': () => import('./details/DeleteChannel.tsx'),
}
