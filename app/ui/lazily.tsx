import { i18n } from '@lingui/core'
import { createElement, lazy, useEffect, useEffectEvent, useState, type ComponentType } from 'react'
import { useNotice } from './notice.ts'

/**
 * A part that is loaded when it is first drawn, below a `Suspense`. Without a connection it can't be: then it draws
 * nothing, calls its `onClose` or `onEnd`, says so where it has one, and is tried again the next time. React's own
 * `lazy` would take the page down and never try again.
 */
export function lazily<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
): ComponentType<P> {
  const fresh = () =>
    lazy(() =>
      load().catch(() => {
        part = fresh()
        return { default: Missing as ComponentType<P> }
      }),
    )
  let part = fresh()
  return function Lazily(props: P) {
    const [Part] = useState(() => part as unknown as ComponentType<P>)
    return createElement(Part, props)
  }
}

function Missing({ onClose, onEnd }: { onClose?: () => void; onEnd?: () => void }) {
  const notice = useNotice()
  const tell = useEffectEvent(() => {
    const end = onClose ?? onEnd
    if (!end) return
    end()
    notice({ words: i18n._('This part of Linnet couldn’t load. Try again.') })
  })
  useEffect(() => tell(), [])
  return null
}
