import { i18n } from '@lingui/core'
import { createElement, lazy, useEffect, useEffectEvent, useState, type ComponentType } from 'react'
import { useToast } from './toast.ts'

/**
 * A component that is loaded on its first render, below a `Suspense`. If loading fails (offline), it renders nothing,
 * calls its `onClose` or `onEnd` and shows a toast if it has one of them, and is loaded again the next time. React's
 * own `lazy` would throw and never retry.
 */
export function lazyComponent<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
): ComponentType<P> {
  const createLazy = () =>
    lazy(() =>
      load().catch(() => {
        current = createLazy()
        return { default: LoadFailure as ComponentType<P> }
      }),
    )
  let current = createLazy()
  return function LazyComponent(props: P) {
    const [Current] = useState(() => current as unknown as ComponentType<P>)
    return createElement(Current, props)
  }
}

function LoadFailure({ onClose, onEnd }: { onClose?: () => void; onEnd?: () => void }) {
  const showToast = useToast()
  const reportFailure = useEffectEvent(() => {
    const end = onClose ?? onEnd
    if (!end) return
    end()
    showToast({ text: i18n._('This part of Linnet couldn’t load. Try again.') })
  })
  useEffect(() => reportFailure(), [])
  return null
}
