import { useConnection } from '../../data/session/useWorkspace.ts'
import { useDelayed } from '../../ui/useDelayed.ts'

/**
 * Returns whether the page has no live connection. A reconnect within four seconds is not reported. A missing network is
 * reported after half a second, because what is shown may be out of date.
 */
export function useIsDisconnected(): boolean {
  const connection = useConnection()
  return useDelayed(connection !== 'online', connection === 'offline' ? 500 : 4_000)
}
