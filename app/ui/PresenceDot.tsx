import { cx } from './cx.ts'
import styles from './PresenceDot.module.css'

interface Props {
  state: 'active' | 'away' | 'dnd' | 'offline'
  /** Accessible name. Empty where visible text states it. */
  label: string
}

/** Active: filled; away: ring; do not disturb: crossed-out ring; offline: small dot. */
export function PresenceDot({ state, label }: Props) {
  return (
    <span
      {...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true })}
      className={cx(styles.dot, styles[state])}
    />
  )
}
