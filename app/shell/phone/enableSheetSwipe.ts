import { beginSwipeDown, completesSwipe, moveSwipe, type Swipe } from './swipe.ts'

/** What uses a movement of the finger itself. */
const OWN_GESTURES = 'input, textarea, [contenteditable=true], video, audio, iframe, [data-pans]'

/**
 * Closes a sheet (an element with `data-sheet`) that is swiped down, by the event `cancel`, which it handles like Escape.
 * Returns the function that removes it.
 */
export function enableSheetSwipe(): () => void {
  let current: { sheet: HTMLElement; swipe: Swipe } | null = null

  function show(sheet: HTMLElement, moved: number, animated: boolean) {
    sheet.style.transition = animated ? 'transform 120ms ease-out' : ''
    sheet.style.transform = moved ? `translateY(${moved}px)` : ''
  }
  function begin({ target, touches, timeStamp }: TouchEvent) {
    const [touch] = touches
    current = null
    if (!touch || touches.length > 1 || !(target instanceof Element) || target.closest(OWN_GESTURES)) return
    const sheet = target.closest<HTMLElement>('[data-sheet]')
    if (!sheet || isScrolled(target, sheet)) return
    const swipe = beginSwipeDown(touch.clientX, touch.clientY, sheet.offsetHeight, timeStamp)
    current = { sheet, swipe }
  }
  function move(event: TouchEvent) {
    const [touch] = event.touches
    if (!current || !touch) return
    if (event.touches.length > 1) return cancel()
    current.swipe = moveSwipe(current.swipe, touch.clientY, touch.clientX)
    if (current.swipe.state !== 'swiping') return
    if (event.cancelable) event.preventDefault()
    show(current.sheet, current.swipe.moved, false)
  }
  function end(event: TouchEvent) {
    if (!current) return
    const { sheet, swipe } = current
    if (!completesSwipe(swipe, event.timeStamp)) return cancel()
    current = null
    // The sheet stays if its owner asks before it discards a text.
    show(sheet, 0, false)
    sheet.dispatchEvent(new Event('cancel', { cancelable: true }))
  }
  function cancel() {
    if (current?.swipe.state === 'swiping') show(current.sheet, 0, true)
    current = null
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

/** Whether an element between the target and the sheet can scroll up: the swipe scrolls it. */
function isScrolled(target: Element, sheet: HTMLElement): boolean {
  for (let element: Element | null = target; element; element = element.parentElement) {
    if (element.scrollTop > 0) return true
    if (element === sheet) return false
  }
  return false
}
