import { useEffect, useEffectEvent, useState } from 'react'
import { useAccount } from '../../data/session/account.ts'

/**
 * An action that needs to know who is signed in. What is pressed before that is known is not lost: the action runs then,
 * with `wasWaiting`, since the page may show something else by then.
 */
export function useOnceLoaded(action: (wasWaiting: boolean) => void): {
  isWaiting: boolean
  run: () => null
} {
  const isLoading = useAccount().status === 'loading'
  const [isPressed, setPressed] = useState(false)
  const runAfterLoading = useEffectEvent(() => action(true))
  useEffect(() => {
    if (isPressed && !isLoading) runAfterLoading()
  }, [isPressed, isLoading])
  return {
    isWaiting: isPressed && isLoading,
    run: () => {
      if (isLoading) setPressed(true)
      else action(false)
      return null
    },
  }
}
