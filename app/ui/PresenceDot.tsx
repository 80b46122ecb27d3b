import { cx } from './cx.ts'
import styles from './PresenceDot.module.css'

interface Props {
  state: 'active' | 'away' | 'dnd' | 'offline'
  /** Read aloud: a dot says nothing to those who can't see it. Empty where words stand beside it. */
  label: string
}

/** Full when here, a ring when away, a ring crossed out when not to be disturbed, a speck when not here. */
export function PresenceDot({ state, label }: Props) {
  return (
    <span
      {...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true })}
      className={cx(styles.dot, styles[state])}
    />
  )
}
