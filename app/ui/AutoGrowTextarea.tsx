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

/**
 * Several lines of text in a field that grows with them: an unseen copy of the words in the same grid cell
 * gives it its height, without measuring.
 */
export function AutoGrowTextarea({ label, value, onChange, className, ref, ...rest }: Props) {
  return (
    <div className={cx(styles.grow, className)} data-value={`${value} `}>
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
