import { countUnsent } from '../../../data/messages/countUnsent.ts'
import { useOverlay } from '../../parts/overlays/OverlayContext.ts'

/** Returns a function that asks whether to sign out, and names what this device would lose. */
export function useSignOut(): () => void {
  const open = useOverlay()
  return () => void countUnsent().then((unsent) => open({ kind: 'sign-out', ...unsent }))
}
