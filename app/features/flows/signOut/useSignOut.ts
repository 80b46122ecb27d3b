import { pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import { countUnsent } from '../../../data/messages/countUnsent.ts'
import { signOut } from '../../../data/session/account.ts'
import { useToast } from '../../../ui/toast.ts'
import { useOverlay } from '../../parts/overlays/OverlayContext.ts'

/**
 * Returns a function that signs out. It opens a confirmation first if this device would lose unsent messages or
 * drafts.
 */
export function useSignOut(): () => void {
  const open = useOverlay()
  const showToast = useToast()
  const signOutOrConfirm = async () => {
    const unsent = await countUnsent()
    if (unsent.messages + unsent.drafts > 0) return open({ kind: 'sign-out', ...unsent })
    const outcome = await signOut()
    if (outcome.ok) navigate(pathTo('signIn'))
    else showToast({ text: outcome.failure.message })
  }
  return () => void signOutOrConfirm()
}
