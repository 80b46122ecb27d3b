import { enableSheetSwipe } from './enableSheetSwipe.ts'
import { followSwipes, moveBy } from './followSwipes.ts'
import { insertListEntry } from './insertListEntry.ts'
import { beginSwipe } from './swipe.ts'

/**
 * Adds what a phone needs besides the layout: "back" leads to the list, a swipe from the leading edge goes back, a swipe
 * down closes a sheet, the composer stays above the keyboard, and a tap shows no focus ring. Returns the function that
 * removes it.
 */
export function enablePhoneGestures(): () => void {
  insertListEntry()
  const disposers = [enableSwipeBack(), enableSheetSwipe(), fitAboveKeyboard(), trackTouch()]
  return () => {
    for (const end of disposers) end()
  }
}

/** The back link of the current pane, and the pane that moves with the swipe. */
const backLink = () => document.querySelector<HTMLElement>('main [data-back]')
const pane = () => document.querySelector<HTMLElement>('main')

function enableSwipeBack(): () => void {
  return followSwipes((touch, { timeStamp }) => {
    if (!backLink() || document.querySelector('dialog[open]')) return null
    const direction = getComputedStyle(document.documentElement).direction === 'rtl' ? -1 : 1
    const swipe = beginSwipe(touch.clientX, touch.clientY, innerWidth, direction, timeStamp)
    return (
      swipe && {
        swipe,
        positionOf: ({ clientX, clientY }) => [clientX, clientY],
        show: (moved, isAnimated) => {
          const moving = pane()
          if (moving) moveBy(moving, moved ? `translateX(${moved * direction}px)` : '', isAnimated)
        },
        complete: () => backLink()?.click(),
      }
    )
  })
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

/** Marks the page while the last input was a touch. Tab and the arrow keys end it. */
function trackTouch(): () => void {
  const { documentElement } = document
  const mark = (isTouched: boolean) => documentElement.toggleAttribute('data-touched', isTouched)
  const onPointerDown = ({ pointerType }: PointerEvent) => mark(pointerType === 'touch')
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === 'Tab' || key.startsWith('Arrow')) mark(false)
  }
  addEventListener('pointerdown', onPointerDown, true)
  addEventListener('keydown', onKeyDown, true)
  return () => {
    removeEventListener('pointerdown', onPointerDown, true)
    removeEventListener('keydown', onKeyDown, true)
    mark(false)
  }
}
