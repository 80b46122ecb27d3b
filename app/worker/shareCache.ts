/** The cache with what another application has shared and no conversation has received yet. */
export const SHARE_CACHE = 'linnet-share'
