import { i18n } from '@lingui/core'
import {
  createElement,
  lazy,
  useEffect,
  useEffectEvent,
  useState,
  type ComponentType,
  type FunctionComponent,
} from 'react'
import { useToast } from './toast.ts'

/** Milliseconds from `startPreloading` to the first request. Visible content is loaded first. */
const PRELOAD_AFTER_MS = 2_000

type Load = () => Promise<unknown>

/** What `startPreloading` loads. */
const waiting: Load[] = []
let preloading: 'not started' | 'waiting' | 'started' = 'not started'

/** Loads something. If that fails, it is loaded when it is needed. */
function preload(load: Load): void {
  void load().catch(() => {})
}

/** Loads the components with `preload` after a short delay. Call it as soon as the first page is usable. */
export function startPreloading(): void {
  if (preloading !== 'not started') return
  preloading = 'waiting'
  setTimeout(() => {
    preloading = 'started'
    waiting.forEach(preload)
  }, PRELOAD_AFTER_MS)
}

/** Calls a function that loads something when `startPreloading` loads components. */
export function preloadLater(load: Load): void {
  if (preloading === 'started') preload(load)
  else waiting.push(load)
}

/**
 * Creates a component that is loaded on its first render, below a `Suspense`. With `preload` it is loaded earlier,
 * for components that must open at once or without a network. If loading fails (offline), the component renders
 * nothing and is loaded again on the next render. If it has `onClose` or `onEnd`, it calls that and shows a toast.
 * React's own `lazy` would throw and never retry. It would also suspend the first render of a loaded component, and React
 * delays the end of a `Suspense` by up to 300 ms: keys in a field would miss the tools that listen to it.
 */
export function lazyComponent<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
  options?: { preload: true },
): FunctionComponent<P> {
  const loadOnce = async () => {
    const loaded = await load()
    current = loaded.default
    return loaded
  }
  const createLazy = (): ComponentType<P> =>
    lazy(() =>
      loadOnce().catch(() => {
        current = createLazy()
        return { default: LoadFailure as ComponentType<P> }
      }),
    ) as unknown as ComponentType<P>
  let current = createLazy()
  if (options) preloadLater(loadOnce)
  return function LazyComponent(props: P) {
    const [Current] = useState(() => current)
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
