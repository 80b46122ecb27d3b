import { i18n } from '@lingui/core'
import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useState,
  type PropsWithChildren,
} from 'react'
import { Skeleton } from '../../../ui/Skeleton.tsx'

const LoadingContext = createContext<((change: number) => void) | null>(null)

/** `LoadTogether` around the component waits while `isLoading`. `QueryContent` calls this hook for its query. */
export function useLoading(isLoading: boolean): void {
  const count = useContext(LoadingContext)
  useLayoutEffect(() => {
    if (!count) return
    const change = isLoading ? 1 : 0
    count(change)
    return () => count(-change)
  }, [isLoading, count])
}

/**
 * Displays its children once all their queries have a value or a failure, and a placeholder until then. A value of one section
 * therefore does not move the sections below it. Once displayed, the children stay. If the address has the id of one of them,
 * the page scrolls to it.
 */
export function LoadTogether({ children }: PropsWithChildren) {
  // Null until the children have been counted.
  const [loadingCount, setLoadingCount] = useState<number | null>(null)
  const [isShown, setShown] = useState(false)
  if (loadingCount === 0 && !isShown) setShown(true)
  const count = useCallback((change: number) => setLoadingCount((before) => (before ?? 0) + change), [])
  useEffect(() => {
    if (isShown) document.getElementById(location.hash.slice(1))?.scrollIntoView()
  }, [isShown])
  return (
    <LoadingContext value={count}>
      {isShown ? null : <Skeleton label={i18n._('Loading…')} shape="lines" />}
      {/* Once shown, the children are items of the element around this one, so that they have its gaps. */}
      <div hidden={!isShown} style={isShown ? { display: 'contents' } : undefined}>
        {children}
        <LoadedSection />
      </div>
    </LoadingContext>
  )
}

/** A section that is loaded. It ends the initial state (null) if no other child has a query. */
function LoadedSection() {
  useLoading(false)
  return null
}
