import X from 'lucide-react/icons/x'
import { i18n } from '@lingui/core'
import { useEffectEvent, useId, useLayoutEffect, useRef, type ReactNode } from 'react'
import { closeOnBack } from '../historyState.ts'
import { cx } from './cx.ts'
import styles from './Dialog.module.css'
import { FIELD } from './field.ts'
import layer from './layer.module.css'
import { Icon } from './Icon.tsx'
import { OverlayBoundary } from './ErrorBoundary.tsx'
import { IconButton } from './IconButton.tsx'
import { PHONE } from './useMedia.ts'

interface Props {
  title: string
  onClose: () => void
  children: ReactNode
  /** The title is visually hidden, for dialogs with a heading of their own. */
  bare?: boolean
  /**
   * `top` is placed near the top edge, so that a list can grow without moving; `bottom` is a sheet at the lower edge,
   * within reach of the thumb.
   */
  position?: 'middle' | 'top' | 'bottom'
  className?: string | undefined
}

/**
 * A modal dialog based on `<dialog>`: the focus stays inside, Escape and a click outside close it, and the focus
 * returns to where it was.
 */
export function Dialog({ title, onClose, children, bare = false, position = 'middle', className }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  // With the render that shows or removes it: keys that are pressed until an effect runs would reach the page.
  useLayoutEffect(() => {
    const dialog = ref.current
    if (!dialog) return
    const previousFocus = document.activeElement
    if (!dialog.open) dialog.showModal()
    // Focuses the first text field instead of the close button. On touch devices the keyboard would cover the dialog.
    if (matchMedia('(pointer: fine)').matches) dialog.querySelector<HTMLElement>(FIELD)?.focus()
    return () => {
      dialog.close()
      if (previousFocus instanceof HTMLElement) previousFocus.focus({ preventScroll: true })
    }
  }, [])
  const close = useEffectEvent(onClose)
  // On a phone a dialog fills the screen: "back" closes it instead of leaving the page, as soon as the dialog is visible.
  useLayoutEffect(() => (matchMedia(PHONE).matches ? closeOnBack(() => close()) : undefined), [])
  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      data-sheet
      className={cx(styles.dialog, position === 'middle' ? null : styles[position], className)}
      onCancel={(event) => {
        // The event of a nested dialog bubbles.
        if (event.target !== event.currentTarget) return
        event.preventDefault()
        onClose()
      }}
      onPointerDown={(event) => {
        if (event.target === event.currentTarget) onClose()
      }}
    >
      <div className={cx(styles.sheet, layer.handle)}>
        {bare ? (
          <h2 id={titleId} className="visually-hidden">
            {title}
          </h2>
        ) : (
          <div className={styles.header}>
            <h2 id={titleId} className={styles.title} dir="auto">
              {title}
            </h2>
            <IconButton label={i18n._('Close')} icon={<Icon of={X} size={20} />} onClick={onClose} />
          </div>
        )}
        <OverlayBoundary onClose={onClose}>{children}</OverlayBoundary>
      </div>
    </dialog>
  )
}
