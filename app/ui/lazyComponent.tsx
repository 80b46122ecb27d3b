import { i18n } from '@lingui/core'
import { createElement, lazy, useEffect, useEffectEvent, useState, type ComponentType } from 'react'
import { useToast } from './toast.ts'

/**
 * A part that is loaded when it is first drawn, below a `Suspense`. Without a connection it can't be: then it draws
 * nothing, calls its `onClose` or `onEnd`, says so where it has one, and is tried again the next time. React's own
 * `lazy` would take the page down and never try again.
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
