import type { KeyboardEvent, RefObject, TextareaHTMLAttributes } from 'react'
import { cx } from './cx.ts'
import styles from './AutoGrowTextarea.module.css'

interface Props extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange' | 'value'> {
  label: string
  value: string
  onChange: (text: string) => void
  onKeyDown?: (event: KeyboardEvent<HTMLTextAreaElement>) => void
  ref: RefObject<HTMLTextAreaElement | null>
}

/** More characters than fit into the largest height: the layout of a long copy would double that of each key stroke. */
const MAX_COPIED = 5_000

/**
 * A text area that grows with its content: a hidden copy of the text in the same grid cell determines the height,
 * without measuring.
 */
export function AutoGrowTextarea({ label, value, onChange, className, ref, ...rest }: Props) {
  return (
    <div className={cx(styles.grow, className)} data-value={`${value.slice(0, MAX_COPIED)} `}>
      <textarea
        ref={ref}
        rows={1}
        dir="auto"
        {...rest}
        aria-label={label}
        className={styles.textarea}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  )
}
