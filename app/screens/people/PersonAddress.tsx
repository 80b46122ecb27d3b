import { useEffectEvent, useLayoutEffect } from 'react'
import { pathTo } from '../../paths.ts'
import { navigate } from '../../historyState.ts'
import { useOverlay } from '../../features/parts/overlays/OverlayContext.ts'

/** The address of a person: opens the people directory, and the profile above it. */
export default function PersonAddress({ personId }: { personId: string }) {
  const open = useOverlay()
  const show = useEffectEvent(() => {
    navigate(pathTo('people'), { replace: true })
    open({ kind: 'person', id: personId })
  })
  useLayoutEffect(() => show(), [])
  return null
}
