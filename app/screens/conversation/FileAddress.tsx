import { useEffectEvent, useLayoutEffect } from 'react'
import { pathTo } from '../../paths.ts'
import { navigate } from '../../historyState.ts'
import { useOverlay } from '../../features/parts/overlays/OverlayContext.ts'

interface Props {
  channelId: string
  messageId: string
  fileId: string
}

/** The address of a file: opens its message, and the file above it. */
export default function FileAddress({ channelId, messageId, fileId }: Props) {
  const open = useOverlay()
  const show = useEffectEvent(() => {
    navigate(pathTo('message', { channelId, messageId }), { replace: true })
    open({ kind: 'file', messageId, fileId })
  })
  useLayoutEffect(() => show(), [])
  return null
}
