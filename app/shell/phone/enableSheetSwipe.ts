import { followSwipes, moveBy } from './followSwipes.ts'
import { beginSwipeDown } from './swipe.ts'

/** What uses a movement of the finger itself. */
const OWN_GESTURES = 'input, textarea, [contenteditable=true], video, audio, iframe, [data-pans]'

/**
 * Closes a sheet (an element with `data-sheet`) that is swiped down, by the event `cancel`, which it handles like Escape.
 * Returns the function that removes it.
 */
export function enableSheetSwipe(): () => void {
  return followSwipes((touch, { target, timeStamp }) => {
    if (!(target instanceof Element) || target.closest(OWN_GESTURES)) return null
    const sheet = target.closest<HTMLElement>('[data-sheet]')
    if (!sheet || isScrolled(target, sheet)) return null
    return {
      swipe: beginSwipeDown(touch.clientX, touch.clientY, sheet.offsetHeight, timeStamp),
      positionOf: ({ clientX, clientY }) => [clientY, clientX],
      show: (moved, isAnimated) => moveBy(sheet, moved ? `translateY(${moved}px)` : '', isAnimated),
      // The sheet stays if its owner asks before it discards a text.
      complete: () => void sheet.dispatchEvent(new Event('cancel', { cancelable: true })),
    }
  })
}

/** Whether an element between the target and the sheet can scroll up: the swipe scrolls it. */
function isScrolled(target: Element, sheet: HTMLElement): boolean {
  for (let element: Element | null = target; element; element = element.parentElement) {
    if (element.scrollTop > 0) return true
    if (element === sheet) return false
  }
  return false
}
