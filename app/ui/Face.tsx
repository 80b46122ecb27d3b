import { cx } from './cx.ts'
import styles from './Face.module.css'
import { hueOf, initialOf } from './hue.ts'

interface Props {
  /** What the colour comes from: the same person has the same one everywhere. */
  id: string
  name: string
  size?: 20 | 24 | 36 | 56
  className?: string | undefined
}

/** A person's initial on their colour. Decoration: the name stands beside it. */
export function Face({ id, name, size = 36, className }: Props) {
  return (
    <span
      aria-hidden
      className={cx(styles.face, styles[`s${size}`], className)}
      style={{ '--h': hueOf(id) } as React.CSSProperties}
    >
      {initialOf(name)}
    </span>
  )
}
