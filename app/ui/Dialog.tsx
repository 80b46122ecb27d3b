import X from 'lucide-react/icons/x'
import { i18n } from '@lingui/core'
import { useEffect, useEffectEvent, useId, useRef, type ReactNode } from 'react'
import { closeOnBack } from './closeOnBack.ts'
import { cx } from './cx.ts'
import styles from './Dialog.module.css'
import { FIELD } from './field.ts'
import { Icon } from './Icon.tsx'
import { IconButton } from './IconButton.tsx'
import { PHONE } from './useMedia.ts'

interface Props {
  title: string
  onClose: () => void
  children: ReactNode
  /** The title is read aloud only: for a palette, which is its own heading. */
  bare?: boolean
  /**
   * `high` stands a little below the top edge, so that a list may grow without moving; `foot` is a sheet at the
   * lower edge, within a thumb's reach.
   */
  position?: 'middle' | 'top' | 'bottom'
  className?: string | undefined
}

/**
 * A modal dialog on the browser's own `<dialog>`: focus stays inside, Escape and a press outside close it,
 * and focus goes back to where it was.
 */
export function Dialog({ title, onClose, children, bare = false, position = 'middle', className }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const dialog = ref.current
    if (!dialog) return
    const previousFocus = document.activeElement
    if (!dialog.open) dialog.showModal()
    // Who opened it wants to type, not to close it. By touch that would cover it with the keyboard.
    if (matchMedia('(pointer: fine)').matches) dialog.querySelector<HTMLElement>(FIELD)?.focus()
    return () => {
      dialog.close()
      if (previousFocus instanceof HTMLElement) previousFocus.focus({ preventScroll: true })
    }
  }, [])
  const close = useEffectEvent(onClose)
  // A dialog fills a phone's screen: "back" closes it instead of leaving the page behind it.
  useEffect(() => (matchMedia(PHONE).matches ? closeOnBack(() => close()) : undefined), [])
  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      className={cx(styles.dialog, position === 'middle' ? null : styles[position], className)}
      onCancel={(event) => {
        // One dialog of two: what closes the inner is heard here too.
        if (event.target !== event.currentTarget) return
        event.preventDefault()
        onClose()
      }}
      onPointerDown={(event) => {
        if (event.target === event.currentTarget) onClose()
      }}
    >
      <div className={styles.sheet}>
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
        {children}
      </div>
    </dialog>
  )
}
