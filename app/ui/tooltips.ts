import layer from './layer.module.css'
import styles from './tooltips.module.css'
import { LONG_PRESS_MS, swallowClick } from './useLongPress.ts'
import { placeLayer } from './useLayer.ts'

/** Milliseconds until the tooltip of an element appears. */
const DELAY_MS = 500

/**
 * Shows the tooltip of each element with the attribute `data-tooltip`, and its keyboard shortcut, `data-keys`: while a mouse
 * rests on it, the keyboard focuses it, or a finger holds it. A press, a key or scrolling hides it. It repeats the accessible
 * name, so that assistive technology does not read it.
 */
export function startTooltips(): void {
  const tooltip = document.createElement('div')
  tooltip.popover = 'manual'
  tooltip.role = 'tooltip'
  tooltip.ariaHidden = 'true'
  tooltip.className = `${layer.layer} ${styles.tooltip}`
  document.body.append(tooltip)
  let timer: ReturnType<typeof setTimeout> | undefined
  let isHeld = false
  let isFocused = false
  let shown: HTMLElement | null = null
  /** Whether the last key moved the focus: code moves it too, such as a dialog that opens. */
  let isMoving = false

  const anchorOf = ({ target }: Event) =>
    target instanceof Element ? target.closest<HTMLElement>('[data-tooltip]') : null
  const hide = () => {
    clearTimeout(timer)
    isHeld = false
    isFocused = false
    shown = null
    if (tooltip.matches(':popover-open')) tooltip.hidePopover()
  }
  const place = () => {
    if (shown) placeLayer(tooltip, shown.getBoundingClientRect(), 'above')
  }
  const show = (anchor: HTMLElement) => {
    if (!anchor.isConnected || anchor.ariaExpanded === 'true') return
    const { tooltip: text = '', keys } = anchor.dataset
    tooltip.replaceChildren(text)
    if (keys) tooltip.appendChild(document.createElement('kbd')).textContent = keys
    tooltip.dir = getComputedStyle(anchor).direction
    shown = anchor
    tooltip.showPopover()
    place()
  }
  const showAfter = (event: Event, delay: number, onShow = () => {}) => {
    hide()
    const anchor = anchorOf(event)
    if (!anchor) return
    timer = setTimeout(() => {
      show(anchor)
      onShow()
    }, delay)
  }
  const listen = <K extends keyof DocumentEventMap>(
    type: K,
    listener: (event: DocumentEventMap[K]) => void,
  ) => document.addEventListener(type, listener, { capture: true, passive: true })

  listen('pointerover', (event) => {
    // The page scrolls below a resting mouse when the keyboard moves the focus.
    if (event.pointerType === 'mouse' && (anchorOf(event) || !isFocused)) showAfter(event, DELAY_MS)
  })
  listen('focusin', (event) => {
    if (!isMoving || !anchorOf(event)) return
    showAfter(event, DELAY_MS)
    isFocused = true
  })
  listen('pointerdown', (event) => {
    isMoving = false
    // An element with an action of its own for a long press has no tooltip by touch.
    if (event.pointerType === 'mouse' || anchorOf(event)?.hasAttribute('data-has-long-press')) return hide()
    showAfter(event, LONG_PRESS_MS, () => {
      isHeld = true
    })
  })
  listen('pointerup', () => {
    // The finger has held the button to read its tooltip, not to press it.
    if (isHeld) swallowClick()
    hide()
  })
  listen('keydown', ({ key }) => {
    hide()
    isMoving = key === 'Tab' || key === 'F6' || key.startsWith('Arrow')
  })
  // Focusing an element may scroll the page.
  listen('scroll', () => (isFocused ? place() : hide()))
  for (const type of ['pointercancel', 'focusout'] as const) listen(type, hide)
}
