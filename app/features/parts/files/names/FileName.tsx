import { cx } from '../../../../ui/cx.ts'
import styles from './FileName.module.css'
import { nameParts } from './nameParts.ts'

/**
 * A file name on one line, in its own direction. If it is too long, its middle is truncated and its extension stays.
 */
export function FileName({ name, className }: { name: string; className?: string | undefined }) {
  const [head, tail] = nameParts(name)
  return (
    <bdi className={cx(styles.name, className)} dir="auto" title={name}>
      <span className={styles.head}>{head}</span>
      {tail ? <span className={styles.tail}>{tail}</span> : null}
    </bdi>
  )
}
