import { useEffectEvent, useLayoutEffect, type ComponentProps, type MouseEvent } from 'react'
import { navigate } from '../historyState.ts'

interface Props extends ComponentProps<'a'> {
  /** An address of the app. */
  href: string
  /** Replaces the current entry of the browser's history. */
  replace?: boolean
}

/** A link to a page of the app, which opens without loading the app again. `onClick` is called before. */
export function Link({ href, replace = false, onClick, children, ...props }: Props) {
  const open = (event: MouseEvent<HTMLAnchorElement>) => {
    // With a modifier key the browser opens a new tab or window.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return
    onClick?.(event)
    if (event.defaultPrevented) return
    event.preventDefault()
    navigate(href, { replace })
  }
  return (
    <a {...props} href={href} onClick={open}>
      {children}
    </a>
  )
}

/** Opens another page in place of the current one, once. */
export function Redirect({ to }: { to: string }) {
  // Once: the address to return to, which can be part of `to`, changes with the navigation.
  const open = useEffectEvent(() => navigate(to, { replace: true }))
  useLayoutEffect(() => open(), [])
  return null
}
