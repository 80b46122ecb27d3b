import { cx } from './cx.ts'
import styles from './PresenceDot.module.css'

interface Props {
  state: 'active' | 'away' | 'dnd' | 'offline'
  /** Read aloud: a dot says nothing to those who can't see it. */
  label: string
}

/** Filled when here, a ring when not: the shape tells it too, not the colour alone. */
export function PresenceDot({ state, label }: Props) {
  return <span role="img" aria-label={label} className={cx(styles.dot, styles[state])} />
}
