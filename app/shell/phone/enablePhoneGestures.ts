import { beginSwipe, completesSwipe, moveSwipe, type Swipe } from './swipe.ts'
import { enableSheetSwipe } from './enableSheetSwipe.ts'
import { insertListEntry } from './insertListEntry.ts'

/**
 * Adds what a phone needs besides the layout: "back" leads to the list, a swipe from the leading edge goes back, a swipe
 * down closes a sheet, and the composer stays above the keyboard. Returns the function that removes it.
 */
export function enablePhoneGestures(): () => void {
  insertListEntry()
  const disposers = [enableSwipeBack(), enableSheetSwipe(), fitAboveKeyboard()]
  return () => {
    for (const end of disposers) end()
  }
}

/** The back link of the current pane, and the pane that moves with the swipe. */
const backLink = () => document.querySelector<HTMLElement>('main [data-back]')
const pane = () => document.querySelector<HTMLElement>('main')

function enableSwipeBack(): () => void {
  let swipe: Swipe | null = null

  function show(moved: number, animated: boolean) {
    const moving = pane()
    if (!moving) return
    moving.style.transition = animated ? 'transform 120ms ease-out' : ''
    moving.style.transform = moved ? `translateX(${moved * (swipe?.direction ?? 1)}px)` : ''
  }
  function begin(event: TouchEvent) {
    const [touch] = event.touches
    if (!touch || event.touches.length > 1 || !backLink() || document.querySelector('dialog[open]')) return
    const direction = getComputedStyle(document.documentElement).direction === 'rtl' ? -1 : 1
    swipe = beginSwipe(touch.clientX, touch.clientY, innerWidth, direction, event.timeStamp)
  }
  function move(event: TouchEvent) {
    const [touch] = event.touches
    if (!swipe || !touch) return
    swipe = event.touches.length > 1 ? cancelled() : moveSwipe(swipe, touch.clientX, touch.clientY)
    if (swipe?.state !== 'swiping') return
    // A recognized swipe prevents scrolling.
    if (event.cancelable) event.preventDefault()
    show(swipe.moved, false)
  }
  function cancelled(): null {
    if (swipe?.state === 'swiping') show(0, true)
    return null
  }
  function end(event: TouchEvent) {
    const link = swipe && completesSwipe(swipe, event.timeStamp) ? backLink() : null
    if (link) {
      show(0, false)
      link.click()
    } else cancelled()
    swipe = null
  }
  const cancel = () => {
    swipe = cancelled()
  }
  addEventListener('touchstart', begin, { passive: true })
  addEventListener('touchmove', move, { passive: false })
  addEventListener('touchend', end)
  addEventListener('touchcancel', cancel)
  return () => {
    cancel()
    removeEventListener('touchstart', begin)
    removeEventListener('touchmove', move)
    removeEventListener('touchend', end)
    removeEventListener('touchcancel', cancel)
  }
}

/** Where the keyboard overlaps the page (iOS), reduces the height of the page. */
function fitAboveKeyboard(): () => void {
  const view = window.visualViewport
  if (!view) return () => {}
  const { style } = document.documentElement
  const fit = () => {
    // Pinch zoom shrinks the visual viewport as well.
    const covered = view.scale > 1.01 ? 0 : innerHeight - view.height
    style.setProperty('--covered', `${covered > 60 ? Math.round(covered) : 0}px`)
    if (covered > 60 && view.offsetTop > 0) scrollTo(0, 0)
  }
  view.addEventListener('resize', fit)
  view.addEventListener('scroll', fit)
  fit()
  return () => {
    view.removeEventListener('resize', fit)
    view.removeEventListener('scroll', fit)
    style.removeProperty('--covered')
  }
}
