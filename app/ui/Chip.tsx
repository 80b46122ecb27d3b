import X from 'lucide-react/icons/x'
import type { ReactNode } from 'react'
import styles from './Chip.module.css'
import { cx } from './cx.ts'
import { Icon } from './Icon.tsx'

interface Props {
  /** Shown before the text. */
  picture?: ReactNode
  /** The text of the chip. */
  children: string
  /** Accessible name of a chip that stands for a chosen value: a press removes it. */
  removeLabel?: string
  onClick: () => void
}

/** A small button that adds a value, or stands for a chosen value and removes it. */
export function Chip({ picture, children, removeLabel, onClick }: Props) {
  return (
    <button
      type="button"
      className={cx(styles.chip, removeLabel && styles.chosen)}
      aria-label={removeLabel}
      onClick={onClick}
    >
      {picture}
      <bdi>{children}</bdi>
      {removeLabel ? <Icon of={X} /> : null}
    </button>
  )
}
