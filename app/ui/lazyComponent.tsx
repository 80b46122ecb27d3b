import { i18n } from '@lingui/core'
import { createElement, lazy, useEffect, useEffectEvent, useState, type ComponentType } from 'react'
import { useToast } from './toast.ts'

/** Milliseconds from `startPreloading` to the first request: visible content is loaded before. */
const PRELOAD_AFTER_MS = 2_000

type Load = () => Promise<unknown>

/** What `startPreloading` loads. */
const waiting: Load[] = []
let preloading: 'not started' | 'waiting' | 'started' = 'not started'

/** What fails is loaded when it is rendered. */
function preload(load: Load): void {
  void load().catch(() => {})
}

/** Loads the components with `preload` shortly afterwards: call it as soon as the first page is usable. */
export function startPreloading(): void {
  if (preloading !== 'not started') return
  preloading = 'waiting'
  setTimeout(() => {
    preloading = 'started'
    waiting.forEach(preload)
  }, PRELOAD_AFTER_MS)
}

/**
 * A component that is loaded on its first render, below a `Suspense`, or earlier with `preload`: for what opens at once
 * or without a network. If loading fails (offline), it renders nothing, calls its `onClose` or `onEnd` and shows a toast
 * if it has one of them, and is loaded again the next time. React's own `lazy` would throw and never retry.
 */
export function lazyComponent<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
  options?: { preload: true },
): ComponentType<P> {
  if (options && preloading === 'started') preload(load)
  else if (options) waiting.push(load)
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
